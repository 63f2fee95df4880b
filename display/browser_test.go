package display_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	mochi "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/packets"

	"tavolo/display"
	"tavolo/display/displaytest"
	"tavolo/engine"
	"tavolo/engine/card"
)

// TestPageInBrowser plays hands on a table whose events and snapshots go over a broker to the page in a headless Chromium,
// and reads there what a spectator sees.
func TestPageInBrowser(t *testing.T) {
	host := newHost(t)
	b := displaytest.Start(t, host.url).Open(t, host.url)
	tb := newTable(t, host)

	b.Sees("the table's name", `document.querySelector("h1")?.textContent`, "Table 1")
	b.Sees("the game", `document.querySelector(".game")?.textContent`, "Texas Hold'em No limit")
	b.Sees("the stakes", `document.querySelector(".stakes")?.textContent`, "50 / 100")
	b.Sees("a free seat", `document.querySelector('[data-seat="7"]')?.innerText`, "Seat 7, free\n7")
	b.Sees("that it is live", `document.querySelector(".light")?.firstChild.textContent`, "Live")

	for range 2 {
		tb.do(engine.Input{Kind: engine.HandStarted})
		tb.deal(nil)
		for tb.state.Phase == engine.Betting {
			tb.act(engine.Fold, 0)
		}
	}
	b.Sees("who won", `document.querySelector(".message")?.textContent`, "Dmitri wins 100")

	// The hand of the pictures: three all-in for different amounts, so a main pot and two side pots.
	tb.do(engine.Input{Kind: engine.HandStarted})
	tb.deal(map[engine.Seat]string{3: "KsKd", 4: "AhQh", 6: "9c9d", 9: "JsTs"})
	tb.act(engine.Raise, 300) // Farid
	tb.act(engine.Fold, 0)    // Giulia
	tb.act(engine.Call, 0)    // Hana
	tb.act(engine.Fold, 0)    // Alice
	tb.act(engine.Fold, 0)    // Bruno
	tb.act(engine.Raise, 1100)
	tb.clock(14 * time.Second)
	b.Sees("the turn", `document.querySelector(".turn .name")?.textContent`, "Dmitri")
	b.Sees("what it takes", `document.querySelector(".message")?.innerText`, "Dmitri: 1,050 to call")
	b.Sees("the round and its pot, to be heard", `/^Before the flop. Pot [0-9,]+\.$/.test(document.querySelector("[data-said]").textContent)`, "true")
	b.Sees("the bets", `[...document.querySelectorAll(".wager .amount")].map(e => e.textContent).join(" ")`, "1,100 50 100 300 300")
	b.Sees("who folded", `[...document.querySelectorAll(".folded .name")].map(e => e.textContent).join(" ")`, "Alice Bruno Giulia")
	b.Sees("no hole card", `[...document.querySelectorAll(".hole [data-card]")].every(e => e.dataset.card === "??")`, "true")
	b.Picture("preflop")

	tb.act(engine.Call, 0)  // Dmitri
	tb.act(engine.Fold, 0)  // Emma
	tb.act(engine.AllIn, 0) // Farid
	tb.act(engine.AllIn, 0) // Hana
	tb.act(engine.AllIn, 0) // Chiara
	tb.act(engine.Call, 0)  // Dmitri
	b.Sees("the pots", `[...document.querySelectorAll("[data-side]")].map(e => e.innerText).join(", ")`,
		"Main pot 3,900, Side pot 1 6,450, Side pot 2 6,700")
	b.Sees("who is all-in", `[...document.querySelectorAll(".seat")].filter(e => e.innerText.includes("All in")).map(e => e.dataset.seat).join(" ")`, "3 6 9")

	tb.board = card.MustParse("Kh9h6s4cJd")
	tb.deal(nil)
	b.Sees("the board", `[...document.querySelectorAll(".board [data-card]")].map(e => e.dataset.card).join(" ")`, "Kh 9h 6s 4c Jd")
	b.Sees("the winners", `[...document.querySelectorAll(".won")].map(e => e.querySelector(".name").textContent + e.querySelector(".win").textContent).join(" ")`, "Chiara+10,350 Farid+6,700")
	b.Sees("the winning hand", `[...document.querySelectorAll('[data-seat="3"] [data-card]')].map(e => e.dataset.card).join(" ")`, "Ks Kd")
	b.Sees("who won with what", `document.querySelector(".message").innerText`,
		"Chiara wins 10,350 with three of a kind, kings\nFarid wins 6,700 with three of a kind, nines")
	b.Sees("the board in words", `document.querySelector(".board .sr").textContent`,
		"Board: king of hearts, nine of hearts, six of spades, four of clubs, jack of diamonds")
	b.Accessible("a showdown")
	b.Picture("showdown")

	b.Click(`nav button[lang="it"]`)
	b.Sees("the language", `document.documentElement.lang + ": " + document.querySelector(".message").innerText`,
		"it: Chiara vince 10.350 con tris di re\nFarid vince 6.700 con tris di nove")
	b.Picture("showdown-it")
	b.Click(`nav button[lang="en"]`)

	b.Value(`window.unloaded = "no"`)
	host.stop()
	b.Sees("that the connection is lost", `document.querySelector(".light").firstChild.textContent`, "Reconnecting…")
	b.Sees("the last picture", `document.querySelectorAll(".won").length`, "2")
	b.Accessible("a lost connection")
	b.Picture("reconnecting")
	host.start()
	tb.extra["holds"] = []string{"reader antennas-a lost"}
	tb.extra["jackpot"] = 12345
	tb.online()
	b.Sees("that it is live again", `document.querySelector(".light").firstChild.textContent`, "Live")
	b.Sees("why it stands still", `document.querySelector(".notes").textContent`, "The table stands still: reader antennas-a lost")
	b.Sees("the jackpot", `document.querySelector("header .jackpot").textContent`, "Bad beat jackpot 12,345")
	delete(tb.extra, "holds")
	tb.do(engine.Input{Kind: engine.HandStarted})
	tb.deal(nil)
	b.Sees("the next hand", `document.querySelector("header .hand").textContent`, "Hand 4")
	b.Sees("the log go on", `[...document.querySelectorAll(".log p")].at(-1).textContent`, "Farid posts the big blind, 100.")
	b.Sees("no reload", `window.unloaded`, "no")

	tb.act(engine.Raise, 250) // Giulia
	tb.act(engine.Fold, 0)    // Alice
	tb.act(engine.Fold, 0)    // Bruno
	tb.act(engine.Call, 0)    // Chiara
	tb.act(engine.Fold, 0)    // Dmitri
	tb.act(engine.Fold, 0)    // Emma
	tb.act(engine.Call, 0)    // Farid
	tb.board = card.MustParse("As8d7d")
	tb.deal(nil)
	tb.act(engine.Check, 0) // Farid
	tb.act(engine.Bet, 500) // Giulia
	tb.clock(13 * time.Second)
	b.Sees("the flop's turn", `document.querySelector(".message").innerText`, "Chiara: 500 to call")
	b.Picture("flop")
	tb.act(engine.AllIn, 0)
	tb.clock(9 * time.Second)
	b.Sees("an all-in", `document.querySelector(".tag.all-in").textContent`, "Raise to 10,100")
	b.Sees("a clock", `document.querySelector(".turn .clock").dataset.seconds <= 9`, "true")
	b.Picture("all-in")
}

// host serves the page and, at /mqtt, a broker that can be restarted.
type host struct {
	t      *testing.T
	url    string
	mu     sync.Mutex
	broker *mochi.Server
	conns  []*websocket.Conn
}

func newHost(t *testing.T) *host {
	h := &host{t: t}
	h.start()
	mux := http.NewServeMux()
	mux.HandleFunc("/mqtt", h.mqtt)
	mux.Handle("/", display.Page(display.Spectator{Studio: "milan", Table: "t1", User: "watch", Password: "sesame"}))
	server := httptest.NewServer(mux)
	t.Cleanup(func() {
		h.stop()
		server.Close()
	})
	h.url = server.URL
	return h
}

func (h *host) start() {
	broker := mochi.New(&mochi.Options{InlineClient: true, Logger: slog.New(slog.DiscardHandler)})
	if err := broker.AddHook(new(spectators), nil); err != nil {
		h.t.Fatal(err)
	}
	if err := broker.Serve(); err != nil {
		h.t.Fatal(err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.broker = broker
}

func (h *host) stop() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.conns {
		_ = c.CloseNow() // the broker knows of no listener that would close it
	}
	if h.broker != nil {
		_ = h.broker.Close()
	}
	h.broker, h.conns = nil, nil
}

func (h *host) mqtt(w http.ResponseWriter, r *http.Request) {
	broker, ws := h.accept(w, r)
	if broker == nil {
		return
	}
	_ = broker.EstablishConnection("ws", websocket.NetConn(context.Background(), ws, websocket.MessageBinary))
}

func (h *host) accept(w http.ResponseWriter, r *http.Request) (*mochi.Server, *websocket.Conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.broker == nil {
		http.Error(w, "the broker is down", http.StatusServiceUnavailable)
		return nil, nil
	}
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{"mqtt"}})
	if err != nil {
		return nil, nil // and has been answered
	}
	h.conns = append(h.conns, ws)
	return h.broker, ws
}

func (h *host) publish(topic string, retain bool, payload any) {
	h.t.Helper()
	b, err := json.Marshal(payload)
	if err != nil {
		h.t.Fatal(err)
	}
	if err := h.broker.Publish("tavolo/v1/milan/t1/"+topic, b, retain, 0); err != nil {
		h.t.Fatal(err)
	}
}

// spectators is a broker's door that lets the page's account in, to read what spectators may.
type spectators struct{ mochi.HookBase }

func (*spectators) ID() string { return "spectators" }

func (*spectators) Provides(call byte) bool {
	return call == mochi.OnConnectAuthenticate || call == mochi.OnACLCheck
}

func (*spectators) OnConnectAuthenticate(_ *mochi.Client, pk packets.Packet) bool {
	c := pk.Connect
	return string(c.Username) == "watch" && string(c.Password) == "sesame" && c.Clean &&
		strings.HasPrefix(c.ClientIdentifier, "watch:")
}

func (*spectators) OnACLCheck(_ *mochi.Client, topic string, write bool) bool {
	switch strings.TrimPrefix(topic, "tavolo/v1/milan/t1/") {
	case "status", "pub/state", "pub/ev":
		return !write
	}
	return false
}

// table plays hands by the engine's rules and publishes them as the daemon does.
type table struct {
	t     *testing.T
	host  *host
	epoch int
	state engine.State
	board []card.Card
	extra map[string]any
}

var people = []map[string]any{
	{"seat": 1, "player": "alice", "name": "Alice", "kind": "remote", "connected": true},
	{"seat": 2, "player": "bruno", "name": "Bruno", "kind": "felt", "connected": true},
	{"seat": 3, "player": "chiara", "name": "Chiara", "kind": "felt", "connected": true},
	{"seat": 4, "player": "dmitri", "name": "Dmitri", "kind": "remote", "connected": true},
	{"seat": 5, "player": "emma", "name": "Emma", "kind": "remote", "bot": true, "connected": true},
	{"seat": 6, "player": "farid", "name": "Farid", "kind": "felt", "connected": true},
	{"seat": 7, "player": "", "name": "", "kind": "remote"},
	{"seat": 8, "player": "giulia", "name": "Giulia", "kind": "remote", "connected": true},
	{"seat": 9, "player": "hana", "name": "Hana", "kind": "remote", "connected": true},
}

func newTable(t *testing.T, h *host) *table {
	game, err := engine.GameNamed("holdem")
	if err != nil {
		t.Fatal(err)
	}
	house, err := engine.HouseNamed("tda")
	if err != nil {
		t.Fatal(err)
	}
	rules := &engine.Rules{Game: game, House: house, Stakes: engine.Stakes{SmallBlind: 50, BigBlind: 100}}
	tb := &table{t: t, host: h, epoch: 3, state: engine.State{Rules: rules}, extra: map[string]any{}}
	tb.online()
	for seat, stack := range map[engine.Seat]engine.Chips{1: 12400, 2: 8250, 3: 3100, 4: 15000, 5: 9600, 6: 6450, 8: 11050, 9: 950} {
		tb.do(engine.Input{Kind: engine.SeatTaken, Seat: seat, Amount: stack})
	}
	return tb
}

func (tb *table) online() {
	tb.host.publish("status", true, map[string]any{"v": 1, "state": "online", "epoch": tb.epoch, "version": "test"})
	tb.snapshot()
}

func (tb *table) do(in engine.Input) {
	tb.t.Helper()
	next, events, err := engine.Apply(tb.state, in)
	if err != nil {
		tb.t.Fatalf("%v: %v", in.Kind, err)
	}
	seq := tb.state.Seq
	tb.state = next
	for i, e := range events {
		tb.host.publish("pub/ev", false, map[string]any{
			"v": 1, "epoch": tb.epoch, "seq": seq + uint64(i) + 1, "hand": next.Hand, "time": time.Now().UnixMilli(),
			"event": engine.Redact(e, engine.Viewer{}),
		})
	}
	tb.snapshot()
}

func (tb *table) snapshot() {
	body := map[string]any{
		"v": 1, "epoch": tb.epoch, "seq": tb.state.Seq, "time": time.Now().UnixMilli(), "name": "Table 1",
		"view": engine.ViewFor(tb.state, engine.Viewer{}), "players": people,
	}
	maps.Copy(body, tb.extra)
	tb.host.publish("pub/state", true, body)
}

// deal gives the cards that are awaited: those named for each seat, unknown ones elsewhere, and the board's in order.
func (tb *table) deal(hole map[engine.Seat]string) {
	for {
		in := engine.Input{Kind: engine.CardRead, Card: card.Hidden}
		switch a := tb.state.Awaits(); a.Kind {
		case engine.AwaitBurn:
		case engine.AwaitHole:
			if text := hole[a.Seat]; text != "" {
				in.Card = card.MustParse(text)[a.Number-1]
			}
		case engine.AwaitBoard:
			in.Card, tb.board = tb.board[0], tb.board[1:]
		default:
			return
		}
		tb.do(in)
	}
}

func (tb *table) act(a engine.Action, to engine.Chips) {
	tb.t.Helper()
	tb.do(engine.Input{Kind: engine.Acted, Seat: tb.state.Turn, Action: a, Amount: to})
}

// clock starts the clock of the seat whose turn it is.
func (tb *table) clock(left time.Duration) {
	tb.extra["clock"] = map[string]any{
		"seat": tb.state.Turn, "deadline": time.Now().Add(left).UnixMilli(), "total_ms": 20000,
	}
	tb.snapshot()
	delete(tb.extra, "clock")
}
