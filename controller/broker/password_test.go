package broker

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/eclipse/paho.mqtt.golang/packets"

	"tavolo/controller/mqtt"
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
	p := newPasswords()
	p.busy = true // with somebody's slow check, which it does not wait for
	if !is(t, p, "alice", "demo", h) || is(t, p, "alice", "omed", h) {
		t.Error("the password is refused, or another taken")
	}
}

// is asks for a password where nothing is to be waited for.
func is(t *testing.T, p *passwords, user, password string, h hash) bool {
	t.Helper()
	right, err := p.check(claimant{"here", user}, password, h, nil)
	if err != nil {
		t.Error(err)
	}
	return right
}

// TestHashIsPBKDF2 compares with Python: hashlib.pbkdf2_hmac("sha512", b"password", b"saltsaltsalt", 1000).
func TestHashIsPBKDF2(t *testing.T) {
	h, err := parseHash("$pbkdf2-sha512$i=1000$c2FsdHNhbHRzYWx0$qEWuBHP82uzPrybCUpp9FMGVDoszagDwOgBhAY44y2gPun4RFBM9zjAnhQjJRk+l/dEEhatLCI65Yj/OYq4dcQ")
	if err != nil {
		t.Fatal(err)
	}
	p := newPasswords()
	if !is(t, p, "alice", "password", h) {
		t.Error("the right password is refused")
	}
	if is(t, p, "alice", "Password", h) || is(t, p, "alice", "", h) {
		t.Error("a wrong password is taken, after the right one was")
	}
	if !is(t, p, "alice", "password", hash{}) {
		t.Error("the right password is not known again")
	}
	if is(t, p, "bob", "password", hash{}) {
		t.Error("alice's password is bob's")
	}
}

// waiting is how many wait for their turn.
func waiting(p *passwords) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.waiting)
}

// turns asks for turns while somebody has one, in the order of the claimants, and tells who gets one, one after the other.
func turns(t *testing.T, p *passwords, asking ...claimant) (order []claimant) {
	t.Helper()
	if err := p.await(claimant{"first", "first"}, nil); err != nil {
		t.Fatal(err)
	}
	got := make(chan claimant)
	for i, who := range asking {
		go func() {
			if err := p.await(who, func() (context.Context, context.CancelFunc) { return context.WithCancel(context.Background()) }); err != nil {
				t.Error(err)
			}
			got <- who
			p.next()
		}()
		synctest.Wait()
		if n := waiting(p); n != i+1 {
			t.Fatalf("%d wait, want %d", n, i+1)
		}
	}
	p.next()
	for range asking {
		order = append(order, <-got)
	}
	synctest.Wait()
	if p.busy || waiting(p) > 0 {
		t.Error("all have had their turn, and it is still somebody's")
	}
	return order
}

// The turn goes to the address that had it longest ago, and of one address to the name: not to who came first.
func TestPasswordTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPasswords()
		evil, other, proxy := claimant{"evil", "alice"}, claimant{"evil", "bob"}, claimant{"proxy", "bob"}
		got := turns(t, p, evil, evil, other, claimant{"home", "alice"}, proxy, proxy, claimant{"proxy", "carla"})
		want := []claimant{evil, {"home", "alice"}, proxy, other, {"proxy", "carla"}, evil, proxy}
		if !slices.Equal(got, want) {
			t.Errorf("turns of %v, want %v", got, want)
		}
		if got := turns(t, p, evil, claimant{"new", "alice"}); got[0].from != "new" {
			t.Errorf("turns of %v: who never had one waits behind who had", got)
		}
	})
}

// Few of one name wait at one address, and who is gone waits no more; the turn that comes meanwhile is passed on.
func TestPasswordWaitEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, who := newPasswords(), claimant{"evil", "alice"}
		if err := p.await(who, nil); err != nil {
			t.Fatal(err)
		}
		told := make(chan error)
		ctx, leave := context.WithCancel(t.Context())
		for range maxWaiting {
			go func() { told <- p.await(who, func() (context.Context, context.CancelFunc) { return ctx, func() {} }) }()
		}
		synctest.Wait()
		if right, err := p.check(who, "x", hash{rounds: rounds}, nil); right || err != errCrowd {
			t.Errorf("one too many: %v, %v", right, err)
		}
		leave()
		for range maxWaiting {
			if err := <-told; err != errLate {
				t.Errorf("gone: %v", err)
			}
		}
		if n := waiting(p); n > 0 {
			t.Errorf("%d still wait", n)
		}
		p.next()
		if p.busy {
			t.Error("nobody has the turn, and it is taken")
		}
	})
}

// TestLoginWaits: what a client sends while its password waits to be checked is kept; whose time to log in is over, or who hangs up,
// waits no more.
func TestLoginWaits(t *testing.T) {
	text, err := HashPassword("correct horse")
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		b, err := New(Options{Users: []User{{Name: "alice", Role: mqtt.Player, Hash: text}}})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- b.Run(ctx) }()
		defer func() { stop(); <-done }()
		knock := func(more ...packets.ControlPacket) net.Conn {
			t.Helper()
			c, err := b.Dial(ctx)
			if err != nil {
				t.Fatal(err)
			}
			login := packets.NewControlPacket(packets.Connect).(*packets.ConnectPacket)
			login.ProtocolName, login.ProtocolVersion, login.CleanSession, login.Keepalive = "MQTT", 4, true, 60
			login.ClientIdentifier, login.Username, login.UsernameFlag = "alice", "alice", true
			login.Password, login.PasswordFlag = []byte("correct horse"), true
			for _, p := range append([]packets.ControlPacket{login}, more...) {
				if err := p.Write(c); err != nil {
					t.Fatal(err)
				}
			}
			synctest.Wait()
			if n := waiting(b.words); n != 1 {
				t.Fatalf("%d wait", n)
			}
			return c
		}
		if err := b.words.await(claimant{"evil", "alice"}, nil); err != nil {
			t.Fatal(err)
		}

		ping := packets.NewControlPacket(packets.Pingreq)
		began, late := time.Now(), knock(ping)
		if p, err := packets.ReadPacket(late); err != nil || p.(*packets.ConnackPacket).ReturnCode != packets.ErrRefusedServerUnavailable {
			t.Errorf("who waited too long is answered %v, %v", p, err)
		}
		if took := time.Since(began); took != loginTimeout {
			t.Errorf("and after %v", took)
		}
		if err := knock().Close(); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if waiting(b.words) > 0 {
			t.Error("who has hung up waits still")
		}

		c := knock(ping)
		b.words.next()
		for _, want := range []byte{packets.Connack, packets.Pingresp} {
			p, err := packets.ReadPacket(c)
			if err != nil || want == packets.Connack && p.(*packets.ConnackPacket).ReturnCode != packets.Accepted {
				t.Fatalf("answered %v, %v, want a packet of type %d", p, err, want)
			}
		}
		_ = c.Close()
	})
}

func TestServedIsBounded(t *testing.T) {
	p := newPasswords()
	for i := range 3 * maxServed {
		p.serve(claimant{fmt.Sprint(i), "alice"})
	}
	if n := len(p.served); n > maxServed {
		t.Errorf("%d are kept in mind", n)
	}
}

func TestOrigin(t *testing.T) {
	for remote, want := range map[string]string{
		"192.0.2.7:1234": "192.0.2.7", "[::ffff:192.0.2.7]:1": "192.0.2.7", "[2001:db8:1:2:3:4:5:6]:1": "2001:db8:1:2::/64",
		"[fe80::1%eth0]:1": "fe80::/64", "pipe": "pipe",
	} {
		if got := Origin(remote); got != want {
			t.Errorf("%s: %s, want %s", remote, got, want)
		}
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
