// Package seal keeps what a player and a table say to each other from everybody in between: the broker, whoever runs it,
// and whoever got hold of a broker's password.
//
// The two share a Key of 130 bits, which the table's configuration holds and the player was given, not over the broker. At
// each login the player makes a new pair of X25519 keys. What the table tells the player is sealed to it, so that cards
// recorded today stay unread should the Key leak tomorrow; what the player asks is sealed under the Key and the new public
// key together, which also vouches for that: a broker that put its own in place would have to know the Key. Start at
// NewPlayer and NewTable.
//
// # What it withstands, and what not
//
// Whoever reads and writes every topic, the broker's operator or the thief of any broker password, reads no card and no
// request, makes neither, and gains nothing by sending an old one again, late, twice or to another topic. He can keep
// messages back, as he can cut the line; he sees when something is said, and at what size, which is padded. Public state
// and events are not sealed, so he can forge those. Whoever holds the Key is the player; whoever reads the table's
// configuration and journal sees the cards anyway.
//
// # The wire
//
// Binary values are base64url without padding. A login is named by the first 8 bytes of the SHA-256 of its public key, in
// lower-case hexadecimal. All text is UTF-8. With K the key's 26 characters in upper case, pub the 32 bytes of the login's
// public key, and
//
//	info = "tavolo/v1|" studio "|" table "|" player "|" login
//
// a request, on act/{player}, is
//
//	{"v":1,"epoch":E,"pub":pub,"n":N,"ct":ct}
//
//	E    the table's epoch, as its status tells it
//	N    1 for the login's first request, then always higher, for the same request sent again too
//	ct   AES-128-GCM(key: HKDF-SHA256(secret K, salt pub, info info "|request", 16 bytes),
//	     nonce: 4 zero bytes and N in 8, big-endian, data: "act|" E "|" N, plaintext: the padded request)
//
// and a message, on seat/{player}/{leaf} (leaf being hole, turn, reply, offer …), is
//
//	{"v":1,"epoch":E,"hand":H,"seq":S,"login":login,"enc":enc,"ct":ct,"mac":mac}
//
//	aad  leaf "|" E "|" H "|" S
//	enc, ct  HPKE of RFC 9180, base mode, DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, AES-128-GCM, single shot, to pub, with
//	     info and aad, of the padded message
//	mac  HMAC-SHA256(HKDF-SHA256(secret K, salt pub, info info "|message", 32 bytes), aad, a zero byte, enc, ct)
//
// and a farewell, also on act/{player}, which a player leaves with the broker for when a connection breaks, is
//
//	{"v":1,"gone":login,"n":N,"mac":mac}
//
//	N    above that of any request sent over the connection, and below that of any sent over the next: each begins 2^24 higher
//	mac  HMAC-SHA256(HKDF-SHA256(secret K, salt pub, info info "|farewell", 32 bytes), "gone|" N)
//
// Numbers in info, aad and data are decimal. Padding is spaces after the JSON, to a multiple of 512 bytes: a parser skips
// them. The table drops a request of another epoch, and one whose N it has had from that login; it passes over a farewell
// with a wrong mac, and one below whose N it has had a request, which is of an earlier connection; a player checks the mac
// before opening, and drops what is for another login, or older than what that topic had before in (E, S). Where a player
// looks from two devices each has its login, and its messages. testdata/vectors.json has examples, made by the test.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/hpke"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// version is the "v" of both envelopes.
const version = 1

// block is what the length of a plaintext is a multiple of, so that it does not tell what is said.
const block = 512

// Key is the secret that a player and a table share. It prints as the text that people copy, so it must not be logged.
type Key string

// keyLen is the number of characters of a key, of 5 bits each.
const keyLen = 26

// NewKey makes a key.
func NewKey() Key { return Key(rand.Text()[:keyLen]) }

// ParseKey reads a key as a person enters it: the 26 letters and digits (a to z, 2 to 7), in either case; spaces and hyphens
// between them do not matter. The error never quotes it.
func ParseKey(text string) (Key, error) {
	text = strings.ToUpper(strings.NewReplacer(" ", "", "-", "").Replace(text))
	if len(text) != keyLen || strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") != "" {
		return "", fmt.Errorf("not a player's key; want the %d characters that 'tavolo broker key' prints", keyLen)
	}
	return Key(text), nil
}

// Channel says between whom something is sealed: a key may be used at several tables.
type Channel struct {
	Studio string `json:"studio"`
	Table  string `json:"table"`
	Player string `json:"player"`
}

func (c Channel) info(login string) string {
	return "tavolo/v1|" + c.Studio + "|" + c.Table + "|" + c.Player + "|" + login
}

// Bytes are bytes that go over the wire in base64url.
type Bytes []byte

// MarshalText writes base64url without padding.
func (b Bytes) MarshalText() ([]byte, error) { return base64.RawURLEncoding.AppendEncode(nil, b), nil }

// UnmarshalText reads it.
func (b *Bytes) UnmarshalText(text []byte) (err error) {
	*b, err = base64.RawURLEncoding.Strict().AppendDecode(nil, text)
	return err
}

// Request is a player's request as it is sent.
type Request struct {
	V     int    `json:"v"`
	Epoch uint64 `json:"epoch"` // of the table that it is for
	Pub   Bytes  `json:"pub"`   // the login's public key
	N     uint64 `json:"n"`     // number of the request, each larger than the one before
	CT    Bytes  `json:"ct"`    // what is asked, sealed
}

// Login names the login that it says it is of.
func (r *Request) Login() string { return loginOf(r.Pub) }

// Message is what a table tells a player as it is sent.
type Message struct {
	V     int    `json:"v"`
	Epoch uint64 `json:"epoch"` // of the table that says it
	Hand  uint64 `json:"hand"`  // in play, or the last one
	Seq   uint64 `json:"seq"`   // of the last event when it was said
	Login string `json:"login"` // whom it is sealed to
	Enc   Bytes  `json:"enc"`   // the encapsulated key
	CT    Bytes  `json:"ct"`    // what is said, sealed
	MAC   Bytes  `json:"mac"`   // by the key of player and table
}

// Place is where in a table's life something was said: the last event when it was.
type Place struct{ Epoch, Hand, Seq uint64 }

func (p Place) aad(leaf string) string {
	return fmt.Sprintf("%s|%d|%d|%d", leaf, p.Epoch, p.Hand, p.Seq)
}

// loginOf names a login by its public key.
func loginOf(pub []byte) string {
	sum := sha256.Sum256(pub)
	return hex.EncodeToString(sum[:8])
}

// keys are those of one login that the Key gives.
type keys struct {
	request  cipher.AEAD
	message  []byte
	farewell []byte
	info     string
}

func newKeys(key Key, ch Channel, pub []byte) keys {
	info := ch.info(loginOf(pub))
	derive := func(what string, n int) []byte {
		b, err := hkdf.Key(sha256.New, []byte(key), pub, info+"|"+what, n)
		if err != nil {
			panic("seal: " + err.Error()) // the lengths are in bounds
		}
		return b
	}
	b, err := aes.NewCipher(derive("request", 16))
	if err != nil {
		panic("seal: " + err.Error()) // 16 bytes are a key
	}
	gcm, err := cipher.NewGCM(b)
	if err != nil {
		panic("seal: " + err.Error()) // AES has blocks of 16 bytes
	}
	return keys{gcm, derive("message", 32), derive("farewell", 32), info}
}

// nonce and data are those of request n.
func nonce(n uint64) []byte { return binary.BigEndian.AppendUint64(make([]byte, 4), n) }

func data(epoch, n uint64) []byte { return fmt.Appendf(nil, "act|%d|%d", epoch, n) }

func (k *keys) mac(aad string, enc, ct []byte) []byte {
	m := hmac.New(sha256.New, k.message)
	m.Write(append([]byte(aad), 0))
	m.Write(enc)
	m.Write(ct)
	return m.Sum(nil)
}

// leaves is the mac of a farewell.
func (k *keys) leaves(n uint64) []byte {
	m := hmac.New(sha256.New, k.farewell)
	fmt.Fprintf(m, "gone|%d", n)
	return m.Sum(nil)
}

// pad fills JSON up with spaces.
func pad(text []byte) []byte {
	return append(text[:len(text):len(text)], strings.Repeat(" ", (block-len(text)%block)%block)...)
}

// Player is a player's end, from one login on. It may be used from one goroutine at a time.
type Player struct {
	keys
	login string
	pub   []byte
	priv  hpke.PrivateKey
	n     uint64
	until uint64           // the last number of the connection
	last  map[string]Place // by leaf
}

// NewPlayer begins a login.
func NewPlayer(key Key, ch Channel) *Player {
	priv, err := ecdh.X25519().GenerateKey(rand.Reader)
	if err != nil {
		panic("seal: " + err.Error()) // the random source never fails
	}
	return newPlayer(key, ch, priv)
}

func newPlayer(key Key, ch Channel, priv *ecdh.PrivateKey) *Player {
	open, err := hpke.NewDHKEMPrivateKey(priv)
	if err != nil {
		panic("seal: " + err.Error()) // X25519 is one of its curves
	}
	pub := priv.PublicKey().Bytes()
	return &Player{keys: newKeys(key, ch, pub), login: loginOf(pub), pub: pub, priv: open, last: map[string]Place{}}
}

// Login names the login.
func (p *Player) Login() string { return p.login }

// Seal seals a request, for a run of the table. One that is sent again is sealed again.
func (p *Player) Seal(epoch uint64, request []byte) Request {
	p.n++
	ct := p.request.Seal(nil, nonce(p.n), pad(request), data(epoch, p.n))
	return Request{V: version, Epoch: epoch, Pub: p.pub, N: p.n, CT: ct}
}

// perConnection is how many requests a connection has numbers for. One that makes more is not missed when it breaks: its
// farewell looks like that of an earlier one.
const perConnection = 1 << 24

// Farewell begins a connection, and gives what proves its farewell.
func (p *Player) Farewell() (n uint64, mac Bytes) {
	p.n = max(p.n, p.until)
	p.until = p.n + perConnection
	return p.until, p.leaves(p.until)
}

// The reasons why a message is not opened.
var (
	// ErrOtherLogin: it is for another device of the player, or an earlier login.
	ErrOtherLogin = errors.New("sealed to another login")
	// ErrOld: a newer one came before on its topic.
	ErrOld = errors.New("older than what came before")
	// ErrForged: it is not from who has the key, or was changed on the way.
	ErrForged = errors.New("not sealed with the key, or changed on the way")
)

// Open gives what the table told, on the topic that ends in leaf.
func (p *Player) Open(leaf string, m Message) ([]byte, error) {
	at := Place{m.Epoch, m.Hand, m.Seq}
	aad := at.aad(leaf)
	switch last := p.last[leaf]; {
	case m.V != version:
		return nil, fmt.Errorf("sealed by version %d, want %d", m.V, version)
	case m.Login != p.login:
		return nil, ErrOtherLogin
	case !hmac.Equal(m.MAC, p.mac(aad, m.Enc, m.CT)):
		return nil, ErrForged
	case at.Epoch < last.Epoch || at.Epoch == last.Epoch && at.Seq < last.Seq:
		return nil, ErrOld
	}
	r, err := hpke.NewRecipient(m.Enc, p.priv, hpke.HKDFSHA256(), hpke.AES128GCM(), []byte(p.info))
	if err != nil {
		return nil, fmt.Errorf("sealed message: %w", err)
	}
	text, err := r.Open([]byte(aad), m.CT)
	if err != nil {
		return nil, fmt.Errorf("sealed message: %w", err)
	}
	p.last[leaf] = at
	return text, nil
}
