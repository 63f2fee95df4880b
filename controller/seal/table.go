package seal

import (
	"crypto/ecdh"
	"crypto/hmac"
	"crypto/hpke"
	"errors"
	"fmt"
	"slices"
	"sync"
)

const (
	// maxDevices is how many logins of a player are told what is the player's: the last ones heard of.
	maxDevices = 4
	// maxLogins bounds the logins of a player in one run of the table. Each has its count of requests to be remembered, or
	// old requests could be sent again; at one an hour they last five months.
	maxLogins = 4096
)

// ErrReplayed is a request that was sent before, or in another run of the table.
var ErrReplayed = errors.New("sent before, or for another run of the table")

// ErrTooManyLogins is a login that there is no more room for until the table starts anew.
var ErrTooManyLogins = errors.New("too many logins in this run of the table")

// Table is the table's end for one player, in one run of the table. Its methods may be called from any goroutine.
type Table struct {
	key   Key
	ch    Channel
	epoch uint64

	mu      sync.Mutex
	devices []device          // the last heard of first
	had     map[string]uint64 // the highest N by login
}

// device is a login that is told what is the player's.
type device struct {
	keys
	login string
	pub   hpke.PublicKey
}

// NewTable is the table's end in a run of the table.
func NewTable(key Key, ch Channel, epoch uint64) *Table {
	return &Table{key: key, ch: ch, epoch: epoch, had: map[string]uint64{}}
}

// Epoch is the run of the table that it is for.
func (t *Table) Epoch() uint64 { return t.epoch }

// Open gives what a request asks, and reports whether it came from a login that was not told what is the player's until now:
// a new one, or one that had left.
func (t *Table) Open(r Request) (request []byte, came bool, err error) {
	if r.V != version {
		return nil, false, fmt.Errorf("sealed by version %d, want %d", r.V, version)
	}
	pub, err := ecdh.X25519().NewPublicKey(r.Pub)
	if err != nil {
		return nil, false, ErrForged
	}
	to, err := hpke.NewDHKEMPublicKey(pub)
	if err != nil {
		return nil, false, ErrForged
	}
	k := newKeys(t.key, t.ch, r.Pub)
	request, err = k.request.Open(nil, nonce(r.N), r.CT, data(r.Epoch, r.N))
	if err != nil {
		return nil, false, ErrForged
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	login := r.Login()
	had, known := t.had[login]
	switch {
	case r.Epoch != t.epoch, r.N <= had:
		return nil, false, ErrReplayed
	case !known && len(t.had) >= maxLogins:
		return nil, false, ErrTooManyLogins
	}
	t.had[login] = r.N
	came = !t.forget(login)
	t.devices = slices.Insert(t.devices, 0, device{k, login, to})
	t.devices = t.devices[:min(len(t.devices), maxDevices)]
	return request, came, nil
}

// Leave ends what a login is told, by its farewell: ErrForged is one that the player did not make, ErrReplayed that of a
// connection before the present one.
func (t *Table) Leave(login string, n uint64, mac Bytes) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.IndexFunc(t.devices, func(d device) bool { return d.login == login })
	switch {
	case i < 0: // it is told nothing
		return nil
	case !hmac.Equal(mac, t.devices[i].leaves(n)):
		return ErrForged
	case t.had[login] > n:
		return ErrReplayed
	}
	t.forget(login)
	return nil
}

// forget reports whether a login was told what is the player's, and ends that. The caller holds mu.
func (t *Table) forget(login string) bool {
	before := len(t.devices)
	t.devices = slices.DeleteFunc(t.devices, func(d device) bool { return d.login == login })
	return len(t.devices) < before
}

// Reached reports whether anybody is told what is the player's.
func (t *Table) Reached() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.devices) > 0
}

// Seal seals what is for the player, once for each of the player's devices, for the topic that ends in leaf.
func (t *Table) Seal(leaf string, at Place, text []byte) []Message {
	t.mu.Lock()
	devices := slices.Clone(t.devices)
	t.mu.Unlock()
	var out []Message
	aad := at.aad(leaf)
	for i := range devices {
		d := &devices[i]
		enc, s, err := hpke.NewSender(d.pub, hpke.HKDFSHA256(), hpke.AES128GCM(), []byte(d.info))
		if err != nil {
			continue // a public key that leads to no secret: whoever chose it has the key, and only harms himself
		}
		ct, err := s.Seal([]byte(aad), pad(text))
		if err != nil {
			panic("seal: " + err.Error()) // the first message of a context always has a nonce
		}
		out = append(out, Message{
			V: version, Epoch: at.Epoch, Hand: at.Hand, Seq: at.Seq, Login: d.login, Enc: enc, CT: ct, MAC: d.mac(aad, enc, ct),
		})
	}
	return out
}
