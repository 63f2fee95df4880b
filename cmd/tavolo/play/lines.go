package play

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"tavolo/controller"
	"tavolo/controller/client"
	"tavolo/controller/client/hands"
	"tavolo/controller/mqtt"
	"tavolo/engine"
	"tavolo/engine/card"
)

// lines is the player for programs: a line for each thing that happens, a command a line.
type lines struct {
	table
	conn seatClient
	out  io.Writer
	json bool

	doing   string     // the request under way, "" if none is
	token   uint64     // of the turn it answers
	done    chan ended // how it ended
	waiting bool       // for the player's turn
	acting  sync.WaitGroup

	turned  uint64          // the token of the turn that was printed last
	planned controller.Verb // ahead, as told last
	stood   string          // why the table stood still, as printed last
	trouble string          // what was wrong with the connection, as printed last
}

func newLines(c seatClient, opt Options) *lines {
	return &lines{
		table: table{me: opt.Player, words: opt.Words}, conn: c, out: opt.Out, json: opt.JSON, done: make(chan ended, 1),
	}
}

// run prints what happens and does what the input says, one command after another, until it says quit or ends.
func (l *lines) run(ctx context.Context, in io.Reader, early []any) error {
	defer l.acting.Wait()
	for _, msg := range early {
		l.print(msg)
	}
	input := Lines(ctx, in)
	look := time.NewTicker(beat)
	defer look.Stop()
	for {
		commands := input
		if l.doing != "" || l.waiting && l.turn == nil {
			commands = nil
		}
		select {
		case msg := <-l.conn.Messages():
			l.print(msg)
		case <-look.C:
			l.health()
		case command, ok := <-commands:
			if command = strings.Join(strings.Fields(command), " "); !ok || command == "quit" {
				return nil
			}
			l.obey(ctx, command)
		case e := <-l.done:
			l.finish(e)
		case <-ctx.Done():
			return nil
		}
	}
}

// ended is how a command ended: with an error, or with hands that were asked for.
type ended struct {
	err  error
	tell func()
}

// Lines gives the lines of the input. Its goroutine is not waited for: it may be in a read that nothing can end.
func Lines(ctx context.Context, in io.Reader) <-chan string {
	input := make(chan string)
	go func() {
		defer close(input)
		for s := bufio.NewScanner(in); s.Scan(); {
			select {
			case input <- s.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	return input
}

// obey begins a command; what it asks of the table ends in done.
func (l *lines) obey(ctx context.Context, command string) {
	if l.waiting = command == "wait"; l.waiting || command == "" {
		return
	}
	if number, ok := ofOld(command); ok {
		l.doing, l.token = command, 0
		now := l.state
		l.acting.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, answerIn)
			defer cancel()
			all, err := l.recall(ctx, now, number)
			l.done <- ended{err, func() { l.tellHands(all, number) }}
		})
		return
	}
	a, err := l.parse(command)
	if err != nil {
		l.reply(command, err)
		return
	}
	if l.doing, l.token = command, a.Turn; power(a.Action) {
		l.token = 0 // the turn goes on
	}
	l.acting.Go(func() {
		ctx, cancel := context.WithTimeout(ctx, answerIn)
		defer cancel()
		l.done <- ended{err: l.conn.Act(ctx, a)}
	})
}

// finish prints how the request under way ended, after all that came before its answer.
func (l *lines) finish(e ended) {
	l.catchUp()
	if e.err == nil && e.tell != nil {
		e.tell()
	}
	l.reply(l.doing, e.err)
	if e.err == nil {
		l.answered(l.token)
	}
	l.doing = ""
}

// ofOld reads a command about hands that were played: "hands", or "hand 12"; 0 is for the last ones.
func ofOld(command string) (number uint64, ok bool) {
	if command == "hands" {
		return 0, true
	}
	word, of, _ := strings.Cut(command, " ")
	number, err := strconv.ParseUint(of, 10, 64)
	return number, word == "hand" && err == nil && number > 0
}

// recall asks for the last hands that were played, or as far back as to the one with a number, which it gives alone. They are
// told with what was on the table at the end.
func (l *lines) recall(ctx context.Context, now mqtt.StatePayload, number uint64) (all []hands.Hand, err error) {
	var events []mqtt.EventPayload
	for before := now.Seq + 1; before > 1; before = events[0].Seq {
		first := uint64(1)
		if before > depth {
			first = before - depth
		}
		older, err := l.conn.Past(ctx, first, before-1)
		if err != nil {
			return nil, err
		}
		if len(older) == 0 {
			break
		}
		events = append(older, events...)
		if all = hands.Of(events, now); number == 0 && len(all) > 0 {
			return all, nil
		}
		if i := slices.IndexFunc(all, func(h hands.Hand) bool { return h.Number() == number }); i >= 0 {
			return all[i : i+1], nil
		}
	}
	if number > 0 {
		return nil, fmt.Errorf("hand %d is not over, or the table has it no longer", number)
	}
	return nil, nil
}

// tellHands prints hands that were asked for: each in a line, or, asked for by its number, the whole story of one.
func (l *lines) tellHands(all []hands.Hand, number uint64) {
	for i := range all {
		h := &all[i]
		switch {
		case l.json:
			l.handJSON(h, number > 0)
		case number == 0:
			l.say("%s", l.inShort(h))
		default:
			pictures := frames(l.me, l.words, h)
			for _, said := range pictures[len(pictures)-1].story() {
				l.say("%s", said)
			}
		}
	}
}

// catchUp prints what came before the answer to a command.
func (l *lines) catchUp() {
	for {
		select {
		case msg := <-l.conn.Messages():
			l.print(msg)
		default:
			return
		}
	}
}

// print folds in a message and prints what it means.
func (l *lines) print(msg any) {
	first := !l.known
	l.hear(msg, time.Now())
	if l.json {
		l.printJSON(msg)
		return
	}
	switch m := msg.(type) {
	case client.Connected:
		if !m.Up {
			l.say("connection: %s", l.awayText())
		} else {
			l.say("connection: the table is there")
		}
	case client.Missed:
		l.say("%s", l.words.Say("log.gap"))
	case mqtt.StatePayload:
		if first {
			l.say("table: %s, %s; %s", l.state.Title, l.rules(), l.whoIAm())
		}
		if stands := strings.Join(l.state.Holds, "; "); stands != l.stood {
			l.stood = stands
			l.say("table: %s", strings.Join(l.messages(), "; "))
		}
	case mqtt.EventPayload:
		if said := l.news(&m.Event); said != "" {
			l.say("%s", said)
		}
	case mqtt.HolePayload:
		said := "your cards: " + card.Text(m.Cards)
		if holds := l.holds(m); holds != "" {
			said += ", " + holds
		}
		l.say("%s", said)
	case mqtt.PlanPayload:
		if m.Plan == "" && m.Plan != l.planned {
			l.say("plan: none")
		}
		l.planned = m.Plan
	case mqtt.OfferPayload:
		l.say("seat: %s", l.offered())
	case mqtt.TurnPayload:
		if m.Turn != l.turned && l.turn != nil {
			l.turned = m.Turn
			left, _ := l.left()
			l.say("your turn: %s; %d s", strings.Join(l.may(), ", "), seconds(left))
		}
	}
}

// news is what the last event added to the story; the cards of a street are told one by one.
func (l *lines) news(e *engine.Event) string {
	added := table{me: l.me, words: l.words, state: l.state, board: l.board, smallBlind: l.smallBlind, bigBlind: l.bigBlind}
	added.tell(e)
	if len(added.log) == 0 {
		return ""
	}
	added.log[0].on = 0 // no street is told as a whole
	return added.line(&added.log[0], card.Text)
}

// whoIAm says where the player sits.
func (l *lines) whoIAm() string {
	p := l.seated()
	if p == nil {
		return l.words.Say("actions.no_seat")
	}
	s := fmt.Sprintf("you are %s at seat %d", l.name(p.Seat), p.Seat)
	if p.Out {
		s += ", sitting out"
	}
	return s
}

// printJSON prints a message as it is in MQTT, with its type.
func (l *lines) printJSON(msg any) {
	switch m := msg.(type) {
	case client.Connected:
		l.connectionJSON(m.Text, m.Up)
	case mqtt.StatePayload:
		l.encode(struct {
			Type string `json:"type"`
			mqtt.StatePayload
		}{"state", m})
	case mqtt.EventPayload:
		l.encode(struct {
			Type string `json:"type"`
			mqtt.EventPayload
		}{"event", m})
	case mqtt.HolePayload:
		l.encode(struct {
			Type string `json:"type"`
			mqtt.HolePayload
		}{"hole", m})
	case mqtt.TurnPayload:
		l.encode(struct {
			Type string `json:"type"`
			mqtt.TurnPayload
		}{"turn", m})
	case mqtt.PlanPayload:
		l.encode(struct {
			Type string `json:"type"`
			mqtt.PlanPayload
		}{"plan", m})
	case mqtt.OfferPayload:
		l.encode(struct {
			Type string `json:"type"`
			mqtt.OfferPayload
		}{"offer", m})
	case mqtt.BehindPayload:
		l.encode(struct {
			Type string `json:"type"`
			mqtt.BehindPayload
		}{"behind", m})
	case client.Missed:
		l.encode(struct {
			Type  string `json:"type"`
			First uint64 `json:"first"`
			Last  uint64 `json:"last"`
		}{"missed", m.First, m.Last})
	}
}

// handJSON prints a hand that was played: who won it, or all of it.
func (l *lines) handJSON(h *hands.Hand, whole bool) {
	type won struct {
		Seat   engine.Seat  `json:"seat"`
		Amount engine.Chips `json:"amount"`
	}
	line := struct {
		Type   string              `json:"type"`
		Hand   uint64              `json:"hand"`
		Time   int64               `json:"time"`
		Won    []won               `json:"won"`
		Before *mqtt.StatePayload  `json:"before,omitempty"`
		Events []mqtt.EventPayload `json:"events,omitempty"`
	}{Type: "hand", Hand: h.Number(), Time: h.Events[0].Time, Won: []won{}}
	for seat, amount := range h.Won() {
		if amount > 0 {
			line.Won = append(line.Won, won{engine.Seat(seat), amount})
		}
	}
	if whole {
		line.Before, line.Events = &h.Before, h.Events
	}
	l.encode(line)
}

func (l *lines) connectionJSON(trouble string, up bool) {
	l.encode(struct {
		Type string `json:"type"`
		Up   bool   `json:"up"`
		Text string `json:"text,omitempty"`
	}{"connection", up, trouble})
}

// health prints when the connection to the broker goes or comes back.
func (l *lines) health() {
	h := l.conn.Health()
	trouble := ""
	if !h.Up {
		if trouble = "reconnecting"; h.Err != nil {
			trouble += ": " + reconnecting(h.Err)
		}
	}
	if trouble == l.trouble {
		return
	}
	l.trouble = trouble
	switch {
	case l.json:
		l.connectionJSON(trouble, h.Up)
	case trouble != "":
		l.say("connection: %s", trouble)
	default:
		l.say("connection: the broker is there")
	}
}

// reply prints what became of a command.
func (l *lines) reply(command string, err error) {
	code, text := "", ""
	if err != nil {
		text = clean(err.Error())
	}
	if refusal, ok := errors.AsType[*client.Refused](err); ok {
		code = refusal.Code
	}
	switch {
	case l.json:
		l.encode(struct {
			Type    string `json:"type"`
			Command string `json:"command"`
			OK      bool   `json:"ok"`
			Code    string `json:"code,omitempty"`
			Text    string `json:"text,omitempty"`
		}{"reply", command, err == nil, code, text})
	case err != nil:
		l.say("refused: %s: %s", command, text)
	default:
		l.say("done: %s", command)
	}
}

func (l *lines) say(format string, args ...any) { fmt.Fprintf(l.out, format+"\n", args...) }

func (l *lines) encode(v any) {
	enc := json.NewEncoder(l.out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // plain structs always marshal
}
