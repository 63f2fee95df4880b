package broker

import (
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

const (
	rounds    = 210_000    // the work of a new hash, what OWASP asks of PBKDF2 with SHA-512
	maxRounds = 10_000_000 // the most a hash may ask for
)

// hash is a password hash. Its text is $pbkdf2-sha512$i=ROUNDS$SALT$KEY, salt and key in base64 without padding.
type hash struct {
	rounds    int
	salt, key []byte
}

// HashPassword returns the hash of a password, for User.Hash. It takes as long as a first login: some tenths of a
// second.
func HashPassword(password string) (string, error) { return hashPassword(password, rounds) }

// HashPublic returns the hash of a password that is no secret, such as a demo's, for User.Hash. It takes no time to
// check, nor to break.
func HashPublic(password string) (string, error) { return hashPassword(password, 1) }

func hashPassword(password string, rounds int) (string, error) {
	if password == "" {
		return "", errors.New("password: empty")
	}
	h := hash{rounds: rounds, salt: make([]byte, 16)}
	_, _ = rand.Read(h.salt) // never fails
	var err error
	if h.key, err = h.derive(password); err != nil {
		return "", fmt.Errorf("password: %w", err)
	}
	return h.String(), nil
}

func (h hash) String() string {
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$pbkdf2-sha512$i=%d$%s$%s", h.rounds, b64.EncodeToString(h.salt), b64.EncodeToString(h.key))
}

// CheckHash reports whether a text is a hash as HashPassword gives it. The error never quotes the text.
func CheckHash(text string) error {
	_, err := parseHash(text)
	return err
}

// parseHash reads what HashPassword wrote. The error never quotes it.
func parseHash(s string) (hash, error) {
	bad := errors.New("not a password hash; want $pbkdf2-sha512$i=ROUNDS$SALT$KEY")
	part := strings.Split(s, "$")
	if len(part) != 5 || part[0] != "" || part[1] != "pbkdf2-sha512" {
		return hash{}, bad
	}
	i, ok := strings.CutPrefix(part[2], "i=")
	n, err1 := strconv.Atoi(i)
	salt, err2 := base64.RawStdEncoding.Strict().DecodeString(part[3])
	key, err3 := base64.RawStdEncoding.Strict().DecodeString(part[4])
	if !ok || err1 != nil || err2 != nil || err3 != nil || n < 1 || n > maxRounds || len(salt) < 8 || len(key) != sha512.Size {
		return hash{}, bad
	}
	return hash{rounds: n, salt: salt, key: key}, nil
}

func (h hash) derive(password string) ([]byte, error) {
	return pbkdf2.Key(sha512.New, password, h.salt, h.rounds, sha512.Size)
}

// passwords checks passwords without letting anybody keep the machine busy: the slow check is done for one client at
// a time, and a password that was right once is known again at once, so that everybody is soon back after an outage.
type passwords struct {
	slot chan struct{} // holds one while a hash is computed
	salt []byte        // of this run

	mu    sync.Mutex
	right map[string][]byte // user to mark of the password that was right
}

func newPasswords() *passwords {
	p := &passwords{slot: make(chan struct{}, 1), salt: make([]byte, 32), right: map[string][]byte{}}
	_, _ = rand.Read(p.salt) // never fails
	return p
}

func (p *passwords) mark(user, password string) []byte {
	m := hmac.New(sha256.New, p.salt)
	m.Write([]byte(user + "\x00" + password))
	return m.Sum(nil)
}

// admit makes a password right without a hash.
func (p *passwords) admit(user, password string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.right[user] = p.mark(user, password)
}

// check reports whether the password is the user's. It gives up, with false, when done is closed.
func (p *passwords) check(user, password string, h hash, done <-chan struct{}) bool {
	p.mu.Lock()
	known := p.right[user]
	p.mu.Unlock()
	if hmac.Equal(known, p.mark(user, password)) {
		return true
	}
	select {
	case p.slot <- struct{}{}:
		defer func() { <-p.slot }()
	case <-done:
		return false
	}
	key, err := h.derive(password)
	if err != nil || subtle.ConstantTimeCompare(key, h.key) != 1 {
		return false
	}
	p.admit(user, password)
	return true
}
