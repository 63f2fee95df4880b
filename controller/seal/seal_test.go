package seal

import (
	"crypto/ecdh"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "make testdata anew; what is sealed differs each time")

const testKey = Key("ABCDEFGHIJKLMNOPQRSTUVWX23")

var (
	bob   = Channel{"riga", "nine", "bob"}
	place = Place{Epoch: 1764000000, Hand: 7, Seq: 412}
)

// vectors are the examples for other implementations.
type vectors struct {
	Key     Key     `json:"key"`
	Channel Channel `json:"channel"`
	// Private is the login's private key, as X25519 takes it; never sent.
	Private  Bytes           `json:"private"`
	Public   Bytes           `json:"public"`
	Login    string          `json:"login"`
	Info     string          `json:"info"`
	Requests []requestVector `json:"requests"`
	Messages []messageVector `json:"messages"`
	// Farewells are those of the connections after the requests.
	Farewells []farewellVector `json:"farewells"`
}

type farewellVector struct {
	N   uint64 `json:"n"`
	MAC Bytes  `json:"mac"`
}

// requestVector must come out as Sealed, byte for byte.
type requestVector struct {
	Text   string  `json:"text"`
	Sealed Request `json:"sealed"`
}

// messageVector must open to Text, with the padding; or must not, where there is none.
type messageVector struct {
	Leaf   string  `json:"leaf"`
	AAD    string  `json:"aad"`
	Sealed Message `json:"sealed"`
	Text   string  `json:"text,omitempty"`
	Fault  string  `json:"fault,omitempty"`
}

func makeVectors(t *testing.T) vectors {
	t.Helper()
	private := Bytes("\x77\x07\x6d\x0a\x73\x18\xa5\x7d\x3c\x16\xc1\x72\x51\xb2\x66\x45\xdf\x4c\x2f\x92\xeb\xc0\x99\x2a\xb1\x77\xfb\xa5\x1d\xb9\x2c\x2a")
	v := vectors{Key: testKey, Channel: bob, Private: private}
	p := vectorPlayer(t, v)
	v.Public, v.Login, v.Info = p.pub, p.login, p.info
	table := NewTable(testKey, bob, place.Epoch)
	for _, text := range []string{
		`{"v":1,"id":"r1","action":"resync"}`,
		`{"v":1,"id":"r2","epoch":1764000000,"turn":410,"action":"raise","amount":300}`,
		`{"v":1,"id":"` + strings.Repeat("x", 512-len(`{"v":1,"id":"","action":"fold"}`)) + `","action":"fold"}`, // a block, without padding
	} {
		r := p.Seal(place.Epoch, []byte(text))
		if _, _, err := table.Open(r); err != nil {
			t.Fatal(err)
		}
		v.Requests = append(v.Requests, requestVector{text, r})
	}
	add := func(leaf string, at Place, text, fault string, change func(*Message)) {
		m := table.Seal(leaf, at, []byte(text))[0]
		if change != nil {
			change(&m)
			text = ""
		}
		v.Messages = append(v.Messages, messageVector{leaf, at.aad(leaf), m, text, fault})
	}
	hole := `{"v":1,"epoch":1764000000,"seq":412,"hand":7,"seat":4,"cards":["Ah","Kd"],"holds":"ace high"}`
	add("hole", place, hole, "", nil)
	add("reply", place, `{"v":1,"epoch":1764000000,"seq":412,"id":"r2","ok":true}`, "", nil)
	add("hole", place, hole, "a byte of the cards is another", func(m *Message) { m.CT[0] ^= 1 })
	add("hole", place, hole, "the numbers are changed", func(m *Message) { m.Seq++ })
	add("turn", place, hole, "moved to another topic", func(m *Message) { *m = v.Messages[0].Sealed })
	for range 2 {
		n, mac := p.Farewell()
		v.Farewells = append(v.Farewells, farewellVector{n, mac})
	}
	return v
}

func vectorPlayer(t *testing.T, v vectors) *Player {
	t.Helper()
	priv, err := ecdh.X25519().NewPrivateKey(v.Private)
	if err != nil {
		t.Fatal(err)
	}
	return newPlayer(v.Key, v.Channel, priv)
}

// The examples for other implementations hold for this one.
func TestVectors(t *testing.T) {
	file := filepath.Join("testdata", "vectors.json")
	if *update {
		b, err := json.MarshalIndent(makeVectors(t), "", "\t")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, append(b, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var v vectors
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	p := vectorPlayer(t, v)
	if p.login != v.Login || string(p.pub) != string(v.Public) || p.info != v.Info {
		t.Errorf("login %s, public key %x, info %q", p.login, p.pub, p.info)
	}
	for _, r := range v.Requests {
		if got := p.Seal(r.Sealed.Epoch, []byte(r.Text)); !reflect.DeepEqual(got, r.Sealed) {
			t.Errorf("%s is sealed as %+v, want %+v", r.Text, got, r.Sealed)
		}
	}
	for _, want := range v.Farewells {
		if n, mac := p.Farewell(); n != want.N || !reflect.DeepEqual(mac, want.MAC) {
			t.Errorf("farewell %d %x, want %d %x", n, mac, want.N, want.MAC)
		}
	}
	opened, refused := 0, 0
	for _, m := range v.Messages {
		got, err := p.Open(m.Leaf, m.Sealed)
		switch {
		case m.Text == "" && err == nil:
			t.Errorf("%s: opened", m.Fault)
		case m.Text == "":
			refused++
		case err != nil || strings.TrimRight(string(got), " ") != m.Text || len(got)%block != 0:
			t.Errorf("%s opened as %q, %v", m.Text, got, err)
		default:
			opened++
		}
	}
	if opened < 2 || refused < 3 || len(v.Farewells) < 2 {
		t.Errorf("%d opened, %d refused, %d farewells", opened, refused, len(v.Farewells))
	}
}

// login is a player whom the table knows.
func login(t *testing.T, table *Table) *Player {
	t.Helper()
	p := NewPlayer(testKey, bob)
	r := p.Seal(place.Epoch, []byte(`{}`))
	if _, came, err := table.Open(r); err != nil || !came || r.Login() != p.Login() {
		t.Fatalf("login %s as %s, new: %v, %v", p.Login(), r.Login(), came, err)
	}
	return p
}

func TestAMessageIsForOneLoginOfOnePlayerAtOneTable(t *testing.T) {
	table := NewTable(testKey, bob, place.Epoch)
	p, other := login(t, table), NewPlayer(testKey, bob)
	if got := table.Seal("hole", place, []byte(`{}`)); len(got) != 1 {
		t.Fatalf("%d messages for one device", len(got))
	}
	m := table.Seal("hole", place, []byte(`{"cards":["Ah"]}`))[0]
	if _, err := other.Open("hole", m); !errors.Is(err, ErrOtherLogin) {
		t.Errorf("another login: %v", err)
	}
	m.Login = other.Login()
	if _, err := other.Open("hole", m); err == nil {
		t.Error("another login opened it under its own name")
	}
	m.Login = p.Login()
	for name, ch := range map[string]Channel{"studio": {"x", "nine", "bob"}, "table": {"riga", "x", "bob"}, "player": {"riga", "nine", "x"}} {
		q := *p
		q.keys = newKeys(testKey, ch, p.pub)
		if _, err := q.Open("hole", m); !errors.Is(err, ErrForged) {
			t.Errorf("at another %s: %v", name, err)
		}
	}
	if got, err := p.Open("hole", m); err != nil || !strings.HasPrefix(string(got), `{"cards":["Ah"]}`) {
		t.Errorf("its own: %q, %v", got, err)
	}
}

// A broker that answers in the table's name, with a key that the player does not share.
func TestAForgedMessageIsNotOpened(t *testing.T) {
	p := NewPlayer(testKey, bob)
	forger := NewTable("ZZZZZZZZZZZZZZZZZZZZZZZZZZ", bob, place.Epoch)
	q := newPlayer("ZZZZZZZZZZZZZZZZZZZZZZZZZZ", bob, mustPrivate(t, p))
	if _, _, err := forger.Open(q.Seal(place.Epoch, []byte(`{}`))); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Open("hole", forger.Seal("hole", place, []byte(`{"cards":["2c"]}`))[0]); !errors.Is(err, ErrForged) {
		t.Errorf("opened: %v", err)
	}
}

func mustPrivate(t *testing.T, p *Player) *ecdh.PrivateKey {
	t.Helper()
	b, err := p.priv.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	priv, err := ecdh.X25519().NewPrivateKey(b)
	if err != nil {
		t.Fatal(err)
	}
	return priv
}

func TestAnOldMessageIsNotOpenedAgain(t *testing.T) {
	table := NewTable(testKey, bob, place.Epoch)
	p := login(t, table)
	at := func(epoch, seq uint64) Message { return table.Seal("hole", Place{epoch, 7, seq}, []byte(`{}`))[0] }
	first, second, next := at(5, 10), at(5, 11), at(6, 1)
	for i, step := range []struct {
		m    Message
		want error
	}{{first, nil}, {second, nil}, {second, nil}, {first, ErrOld}, {next, nil}, {second, ErrOld}} {
		if _, err := p.Open("hole", step.m); !errors.Is(err, step.want) {
			t.Errorf("message %d: %v, want %v", i, err, step.want)
		}
	}
}

func TestARequestIsOpenedOnceAndInItsRun(t *testing.T) {
	table := NewTable(testKey, bob, place.Epoch)
	p := login(t, table)
	first, second := p.Seal(place.Epoch, []byte(`{"id":"a"}`)), p.Seal(place.Epoch, []byte(`{"id":"a"}`))
	for i, step := range []struct {
		r    Request
		want error
	}{{second, nil}, {second, ErrReplayed}, {first, ErrReplayed}, {p.Seal(place.Epoch-1, []byte(`{}`)), ErrReplayed}, {p.Seal(place.Epoch, []byte(`{}`)), nil}} {
		if _, _, err := table.Open(step.r); !errors.Is(err, step.want) {
			t.Errorf("request %d: %v, want %v", i, err, step.want)
		}
	}
	again := NewTable(testKey, bob, place.Epoch+1)
	if _, _, err := again.Open(second); !errors.Is(err, ErrReplayed) {
		t.Errorf("in the next run: %v", err)
	}
	if got := again.Seal("hole", place, []byte(`{}`)); got != nil {
		t.Error("a replayed request is no login")
	}
}

// A public key that somebody without the key puts in its place, or any other change, makes no request.
func TestAForgedRequestIsNotOpened(t *testing.T) {
	table := NewTable(testKey, bob, place.Epoch)
	for name, change := range map[string]func(*Request){
		"another public key":   func(r *Request) { r.Pub = NewPlayer(testKey, bob).pub },
		"another epoch":        func(r *Request) { r.Epoch++ },
		"a higher number":      func(r *Request) { r.N++ },
		"another text":         func(r *Request) { r.CT[3] ^= 8 },
		"no text":              func(r *Request) { r.CT = nil },
		"no public key":        func(r *Request) { r.Pub = nil },
		"a key of low order":   func(r *Request) { r.Pub = make([]byte, 32) },
		"of another version":   func(r *Request) { r.V = 2 },
		"sealed by a stranger": func(r *Request) { *r = NewPlayer("ZZZZZZZZZZZZZZZZZZZZZZZZZZ", bob).Seal(place.Epoch, []byte(`{}`)) },
		"for another table": func(r *Request) {
			*r = NewPlayer(testKey, Channel{"riga", "ten", "bob"}).Seal(place.Epoch, []byte(`{}`))
		},
	} {
		r := NewPlayer(testKey, bob).Seal(place.Epoch, []byte(`{"action":"fold"}`))
		change(&r)
		if text, _, err := table.Open(r); err == nil {
			t.Errorf("%s: opened as %s", name, text)
		}
	}
	if got := table.Seal("hole", place, []byte(`{}`)); got != nil {
		t.Errorf("%d messages, nobody has logged in", len(got))
	}
}

// Whoever has the key may choose a public key that leads to no secret: he is told nothing, and nobody else suffers.
func TestAUselessPublicKeyHarmsItsOwner(t *testing.T) {
	table := NewTable(testKey, bob, place.Epoch)
	p := NewPlayer(testKey, bob)
	p.pub = make([]byte, 32)
	p.keys = newKeys(testKey, bob, p.pub)
	if _, _, err := table.Open(p.Seal(place.Epoch, []byte(`{}`))); err != nil {
		t.Fatal(err)
	}
	if got := table.Seal("hole", place, []byte(`{}`)); got != nil {
		t.Errorf("%d messages", len(got))
	}
}

func TestEachDeviceIsToldAndOnlySoMany(t *testing.T) {
	table := NewTable(testKey, bob, place.Epoch)
	var ps []*Player
	for range maxDevices + 1 {
		ps = append(ps, login(t, table))
	}
	if got := table.Seal("hole", place, []byte(`{}`)); len(got) != maxDevices || got[0].Login != ps[maxDevices].Login() {
		t.Fatalf("%d messages, the first to %s", len(got), got[0].Login)
	}
	for i, p := range ps[1:] {
		n, mac := p.Farewell()
		if err := table.Leave(p.Login(), n, mac); err != nil {
			t.Fatal(err)
		}
		if others := table.Reached(); others != (i < maxDevices-1) {
			t.Errorf("after %d left: others %v", i+1, others)
		}
	}
	if _, came, err := table.Open(ps[0].Seal(place.Epoch, []byte(`{}`))); err != nil || !came {
		t.Errorf("one that was crowded out comes back: %v, %v", came, err)
	}
}

// A login is told no more when its present connection breaks, not when the broker finds out about an earlier one, and not
// because somebody without the key says so.
func TestAFarewellIsItsOwnersAndOfOneConnection(t *testing.T) {
	table := NewTable(testKey, bob, place.Epoch)
	p := NewPlayer(testKey, bob)
	asks := func(want bool) {
		t.Helper()
		if _, came, err := table.Open(p.Seal(place.Epoch, []byte(`{}`))); err != nil || came != want {
			t.Fatalf("new: %v, %v, want %v", came, err, want)
		}
	}
	leaves := func(n uint64, mac Bytes, want error) {
		t.Helper()
		if err := table.Leave(p.Login(), n, mac); !errors.Is(err, want) || table.Reached() != (want != nil) {
			t.Fatalf("farewell %d: %v, want %v; reached: %v", n, err, want, table.Reached())
		}
	}
	unused, unusedMAC := p.Farewell() // of a connection over which nothing was asked
	first, firstMAC := p.Farewell()
	asks(true)
	asks(false)
	leaves(unused, unusedMAC, ErrReplayed)
	leaves(first, nil, ErrForged)
	leaves(first+1, firstMAC, ErrForged)
	stranger := newPlayer("ZZZZZZZZZZZZZZZZZZZZZZZZZZ", bob, mustPrivate(t, p))
	_, mac := stranger.Farewell()
	leaves(perConnection, mac, ErrForged)
	second, secondMAC := p.Farewell()
	asks(false)
	leaves(first, firstMAC, ErrReplayed)
	leaves(second, secondMAC, nil)
	leaves(second, nil, nil) // it is told nothing
	asks(true)
}

func TestLoginsAreBounded(t *testing.T) {
	table := NewTable(testKey, bob, place.Epoch)
	for i := range maxLogins {
		table.had[string(rune(i))] = 1
	}
	if _, _, err := table.Open(NewPlayer(testKey, bob).Seal(place.Epoch, []byte(`{}`))); !errors.Is(err, ErrTooManyLogins) {
		t.Errorf("one more: %v", err)
	}
}

func TestKeys(t *testing.T) {
	k := NewKey()
	if got, err := ParseKey(strings.ToLower(string(k[:5] + " - " + k[5:]))); err != nil || got != k {
		t.Errorf("%s reads as %s, %v", k, got, err)
	}
	for _, bad := range []string{"", "demo", string(k) + "A", "ABCDEFGHIJKLMNOPQRSTUVWX21", "ÄBCDEFGHIJKLMNOPQRSTUVWX2"} {
		if got, err := ParseKey(bad); err == nil {
			t.Errorf("%q reads as %s", bad, got)
		} else if bad != "" && strings.Contains(err.Error(), bad) {
			t.Errorf("the error quotes the key: %v", err)
		}
	}
}

// What is sealed has one length, whatever it says.
func TestTheLengthTellsNothing(t *testing.T) {
	table := NewTable(testKey, bob, place.Epoch)
	login(t, table)
	short := table.Seal("hole", place, []byte(`{"cards":["Ah"]}`))[0]
	long := table.Seal("hole", place, []byte(`{"cards":["Ah","Ad","Ac","As","Kh","Kd","Kc"],"holds":"four of a kind, aces"}`))[0]
	if len(short.CT) != len(long.CT) {
		t.Errorf("%d and %d bytes", len(short.CT), len(long.CT))
	}
}

func FuzzOpen(f *testing.F) {
	p := NewPlayer(testKey, bob)
	b, err := json.Marshal(p.Seal(place.Epoch, []byte(`{"v":1}`)))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte(`{"pub":"AA","ct":"*"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var r Request
		if json.Unmarshal(b, &r) != nil {
			return
		}
		text, _, err := NewTable(testKey, bob, place.Epoch).Open(r)
		if err == nil && strings.TrimRight(string(text), " ") != `{"v":1}` {
			t.Errorf("opened %q", text)
		}
	})
}
