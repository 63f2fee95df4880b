package broker

import (
	"strings"
	"testing"
)

func TestHashPassword(t *testing.T) {
	a, err := HashPassword("correct horse")
	if err != nil {
		t.Fatal(err)
	}
	b, err := HashPassword("correct horse")
	if err != nil || a == b {
		t.Fatalf("two hashes of one password: %q, %v", b, err)
	}
	h, err := parseHash(a)
	if err != nil || h.rounds != rounds || h.String() != a {
		t.Fatalf("%q read as %v, %v", a, h, err)
	}
	if strings.Contains(a, "horse") {
		t.Error("the hash tells the password")
	}
	if _, err := HashPassword(""); err == nil {
		t.Error("an empty password has a hash")
	}
}

func TestHashPublic(t *testing.T) {
	text, err := HashPublic("demo")
	if err != nil {
		t.Fatal(err)
	}
	h, err := parseHash(text)
	if err != nil || h.rounds != 1 {
		t.Fatalf("%q read as %v, %v", text, h, err)
	}
	if p := newPasswords(); !p.check("alice", "demo", h, nil) || p.check("alice", "omed", h, nil) {
		t.Error("the password is refused, or another taken")
	}
}

// TestHashIsPBKDF2 compares with Python: hashlib.pbkdf2_hmac("sha512", b"password", b"saltsaltsalt", 1000).
func TestHashIsPBKDF2(t *testing.T) {
	h, err := parseHash("$pbkdf2-sha512$i=1000$c2FsdHNhbHRzYWx0$qEWuBHP82uzPrybCUpp9FMGVDoszagDwOgBhAY44y2gPun4RFBM9zjAnhQjJRk+l/dEEhatLCI65Yj/OYq4dcQ")
	if err != nil {
		t.Fatal(err)
	}
	p, never := newPasswords(), make(chan struct{})
	if !p.check("alice", "password", h, never) {
		t.Error("the right password is refused")
	}
	if p.check("alice", "Password", h, never) || p.check("alice", "", h, never) {
		t.Error("a wrong password is taken, after the right one was")
	}
	if !p.check("alice", "password", hash{}, never) {
		t.Error("the right password is not known again")
	}
	if p.check("bob", "password", hash{}, never) {
		t.Error("alice's password is bob's")
	}
}

func TestPasswordCheckGivesUp(t *testing.T) {
	p, done := newPasswords(), make(chan struct{})
	p.slot <- struct{}{} // busy with somebody else
	close(done)
	if p.check("alice", "x", hash{}, done) {
		t.Error("taken without a check")
	}
}

var badHashes = []string{
	"", "password", "$", "$$$$", "$pbkdf2-sha512$i=1000$c2FsdHNhbHRzYWx0$", "$pbkdf2-sha512$i=0$c2FsdHNhbHRzYWx0$qEWuBHP82uzPrybCUpp9FMGVDoszagDwOgBhAY44y2gPun4RFBM9zjAnhQjJRk+l/dEEhatLCI65Yj/OYq4dcQ",
	"$pbkdf2-sha512$i=-1$c2FsdHNhbHRzYWx0$qEWuBHP82uzPrybCUpp9FMGVDoszagDwOgBhAY44y2gPun4RFBM9zjAnhQjJRk+l/dEEhatLCI65Yj/OYq4dcQ", "$pbkdf2-sha512$i=99999999999$c2FsdHNhbHRzYWx0$qEWuBHP82uzPrybCUpp9FMGVDoszagDwOgBhAY44y2gPun4RFBM9zjAnhQjJRk+l/dEEhatLCI65Yj/OYq4dcQ",
	"$pbkdf2-sha512$1000$c2FsdHNhbHRzYWx0$qEWuBHP82uzPrybCUpp9FMGVDoszagDwOgBhAY44y2gPun4RFBM9zjAnhQjJRk+l/dEEhatLCI65Yj/OYq4dcQ", "$pbkdf2-sha256$i=1000$c2FsdHNhbHRzYWx0$qEWuBHP82uzPrybCUpp9FMGVDoszagDwOgBhAY44y2gPun4RFBM9zjAnhQjJRk+l/dEEhatLCI65Yj/OYq4dcQ",
	"$pbkdf2-sha512$i=1000$$qEWuBHP82uzPrybCUpp9FMGVDoszagDwOgBhAY44y2gPun4RFBM9zjAnhQjJRk+l/dEEhatLCI65Yj/OYq4dcQ", "$pbkdf2-sha512$i=1000$c2FsdHNhbHRzYWx0$qEWuBHP82uzPrybCUpp9FMGVDoszagDwOgBhAY44y2gPun4RFBM9zjAnhQjJRk+l/dEEhatLCI65Yj/OYq4dcQ$",
	"$pbkdf2-sha512$i=1000$c2FsdHNhbHRzYWx0$!", "$2a$10$abcdefghijklmnopqrstuv",
}

func TestParseHashRefuses(t *testing.T) {
	for _, s := range badHashes {
		if h, err := parseHash(s); err == nil {
			t.Errorf("%q read as %v", s, h)
		} else if len(s) > 8 && strings.Contains(err.Error(), s) {
			t.Errorf("the error quotes the hash: %v", err)
		}
	}
}

func FuzzParseHash(f *testing.F) {
	for _, s := range badHashes {
		f.Add(s)
	}
	f.Add("$pbkdf2-sha512$i=1000$c2FsdHNhbHRzYWx0$qEWuBHP82uzPrybCUpp9FMGVDoszagDwOgBhAY44y2gPun4RFBM9zjAnhQjJRk+l/dEEhatLCI65Yj/OYq4dcQ")
	f.Fuzz(func(t *testing.T, s string) {
		h, err := parseHash(s)
		if err != nil {
			return
		}
		again, err := parseHash(h.String())
		if err != nil || again.String() != h.String() {
			t.Fatalf("%q read as %v, written and read as %v, %v", s, h, again, err)
		}
	})
}
