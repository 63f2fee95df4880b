package broker

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
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

// cheap is up to how many rounds a hash takes no turn: it is computed in a millisecond.
const cheap = 1000

const (
	maxWaiting = 2    // who wait for their turn from one address with one name; one more is told to come again
	maxServed  = 4096 // addresses and names whose turns are kept in mind; when there are more, all begin anew
)

// passwords checks passwords without letting anybody keep the machine busy, or the others out. A slow check is done for one
// client at a time, whose turn it is: that of the address that had one longest ago, or never, and of one address that of the
// name. So who guesses waits behind who does not. A password that was right once is known again at once, so that everybody is
// soon back after an outage.
type passwords struct {
	salt []byte // of this run

	mu      sync.Mutex
	right   map[string][]byte // user to mark of the password that was right
	busy    bool              // somebody has the turn
	turns   uint64            // so many were given
	served  map[claimant]uint64
	waiting []*waiter // in the order in which they came
}

// claimant is who asks for a turn: a name at an address, or, without a name, the address.
type claimant struct{ from, user string }

// waiter is one that waits for its turn, which is given by closing the channel.
type waiter struct {
	claimant
	turn chan struct{}
}

func newPasswords() *passwords {
	p := &passwords{salt: make([]byte, 32), right: map[string][]byte{}, served: map[claimant]uint64{}}
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

// Why a password was not checked.
var (
	errCrowd = errors.New("too many of this user wait at this address")
	errLate  = errors.New("gone, or too late, before its password was checked")
)

// check reports whether the password of who asks is right, or why that was not found out. Present gives a
// context that ends when there is nobody to wait for any more; it is called only if there is a wait.
func (p *passwords) check(who claimant, password string, h hash, present func() (context.Context, context.CancelFunc)) (right bool, err error) {
	p.mu.Lock()
	known := p.right[who.user]
	p.mu.Unlock()
	if hmac.Equal(known, p.mark(who.user, password)) {
		return true, nil
	}
	if h.rounds > cheap {
		if err := p.await(who, present); err != nil {
			return false, err
		}
		defer p.next()
	}
	key, err := h.derive(password)
	if err != nil || subtle.ConstantTimeCompare(key, h.key) != 1 {
		return false, nil
	}
	p.admit(who.user, password)
	return true, nil
}

// await returns when it is somebody's turn, who then calls next, or says why it does not come.
func (p *passwords) await(who claimant, present func() (context.Context, context.CancelFunc)) error {
	p.mu.Lock()
	if !p.busy {
		p.busy = true
		p.serve(who)
		p.mu.Unlock()
		return nil
	}
	alike := 0
	for _, w := range p.waiting {
		if w.claimant == who {
			alike++
		}
	}
	if alike >= maxWaiting {
		p.mu.Unlock()
		return errCrowd
	}
	w := &waiter{who, make(chan struct{})}
	p.waiting = append(p.waiting, w)
	p.mu.Unlock()
	ctx, done := present()
	defer done()
	select {
	case <-w.turn:
		return nil
	case <-ctx.Done():
	}
	p.mu.Lock()
	i := slices.Index(p.waiting, w)
	if i >= 0 {
		p.waiting = slices.Delete(p.waiting, i, i+1)
	}
	p.mu.Unlock()
	if i < 0 { // it had just been given the turn
		p.next()
	}
	return errLate
}

// next gives the turn to the next, if anybody waits.
func (p *passwords) next() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.busy = len(p.waiting) > 0
	if !p.busy {
		return
	}
	first := slices.MinFunc(p.waiting, func(a, b *waiter) int {
		return cmp.Or(cmp.Compare(p.served[claimant{from: a.from}], p.served[claimant{from: b.from}]),
			cmp.Compare(p.served[a.claimant], p.served[b.claimant]))
	})
	p.waiting = slices.DeleteFunc(p.waiting, func(w *waiter) bool { return w == first })
	p.serve(first.claimant)
	close(first.turn)
}

// serve takes down that somebody has the turn. The caller holds mu.
func (p *passwords) serve(who claimant) {
	if len(p.served)+2 > maxServed {
		clear(p.served)
	}
	p.turns++
	p.served[claimant{from: who.from}], p.served[who] = p.turns, p.turns
}
