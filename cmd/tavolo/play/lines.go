package play

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"tavolo/controller"
	"tavolo/controller/client"
	"tavolo/controller/mqtt"
	"tavolo/engine"
	"tavolo/engine/card"
)

// verbs are the commands that act, as they are typed. The ones marked take an amount or cards, or need no turn.
var verbs = map[string]struct {
	verb                  controller.Verb
	amount, cards, noTurn bool
	target                bool
	numbers               string // what the numbers of a stake mean, the last may be left out
}{
	"fold":      {verb: controller.VerbFold},
	"check":     {verb: controller.VerbCheck},
	"call":      {verb: controller.VerbCall},
	"bring in":  {verb: controller.VerbBringIn},
	"bet":       {verb: controller.VerbBet, amount: true},
	"raise":     {verb: controller.VerbRaise, amount: true},
	"all-in":    {verb: controller.VerbAllIn},
	"show":      {verb: controller.VerbShow},
	"muck":      {verb: controller.VerbMuck},
	"split":     {verb: controller.VerbSplit},
	"discard":   {verb: controller.VerbDiscard, cards: true},
	"stand pat": {verb: controller.VerbStandPat},
	"peek":      {verb: controller.VerbPeek},
	"swap":      {verb: controller.VerbSwap, cards: true},
	"anchor":    {verb: controller.VerbAnchor, target: true},
	"shield":    {verb: controller.VerbShield},
	"accept":    {verb: controller.VerbAcceptAnchor},
	"sit out":   {verb: controller.VerbSitOut, noTurn: true},
	"sit in":    {verb: controller.VerbSitIn, noTurn: true},
	"stake":     {verb: controller.VerbStake, noTurn: true, numbers: "ANTE [BONUS]"},
	"back":      {verb: controller.VerbBack, noTurn: true, numbers: "SEAT ANTE [BONUS]"},
}

// lines is the player for programs: a line for each thing that happens, a command a line.
type lines struct {
	table
	conn seatClient
	out  io.Writer
	json bool

	doing   string     // the request under way, "" if none is
	token   uint64     // of the turn it answers
	done    chan error // how it ended
	waiting bool       // for the player's turn
	acting  sync.WaitGroup

	turned  uint64 // the token of the turn that was printed last
	stood   string // why the table stood still, as printed last
	trouble string // what was wrong with the connection, as printed last
}

func newLines(c seatClient, opt Options) *lines {
	return &lines{table: table{me: opt.Player}, conn: c, out: opt.Out, json: opt.JSON, done: make(chan error, 1)}
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
		case err := <-l.done:
			l.finish(err)
		case <-ctx.Done():
			return nil
		}
	}
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
		l.done <- l.conn.Act(ctx, a)
	})
}

// finish prints how the request under way ended, after all that came before its answer.
func (l *lines) finish(err error) {
	l.catchUp()
	l.reply(l.doing, err)
	if err == nil {
		l.answered(l.token)
	}
	l.doing = ""
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

// parse reads a command: fold, bet 300, sit out.
func (l *lines) parse(command string) (mqtt.ActionPayload, error) {
	var a mqtt.ActionPayload
	name, number := command, ""
	if _, ok := verbs[name]; !ok {
		name, number, _ = strings.Cut(command, " ")
	}
	v, ok := verbs[name]
	if !ok || !v.amount && !v.cards && !v.target && v.numbers == "" && number != "" {
		return a, fmt.Errorf("%q is no command: want fold, check, call, bet AMOUNT, raise AMOUNT, all-in, bring in, split, "+
			"discard CARDS, stand pat, show, muck, peek, swap CARD, anchor SEAT, shield, accept, stake ANTE [BONUS], back SEAT ANTE [BONUS], sit out, sit in, wait or quit", command)
	}
	a.Action = v.verb
	if v.amount {
		n, err := strconv.ParseInt(strings.ReplaceAll(number, ",", ""), 10, 64)
		if err != nil || n <= 0 {
			return a, fmt.Errorf("%q: want %s and an amount, the whole bet of the round, as in %s 300", command, name, name)
		}
		a.Amount = engine.Chips(n)
	}
	if v.numbers != "" {
		if err := stakeOf(number, v.verb == controller.VerbBack, &a); err != nil {
			return a, fmt.Errorf("%q: want %s %s, no ante to take it back: %w", command, name, v.numbers, err)
		}
	}
	if v.target {
		n, err := strconv.Atoi(number)
		if err != nil || !isSeat(engine.Seat(min(max(n, 0), engine.MaxSeats+1))) {
			return a, fmt.Errorf("%q: want the number of a seat, as in anchor 3", command)
		}
		a.Target = engine.Seat(n)
	}
	if v.cards {
		for word := range strings.FieldsSeq(number) {
			n, err := strconv.Atoi(word)
			if err != nil || n < 1 || n > engine.MaxHole {
				return a, fmt.Errorf("%q: want the numbers of cards, the first being 1, as in %s 1 3", command, name)
			}
			a.Cards |= controller.PlacesOf(n)
		}
		if a.Cards == 0 {
			return a, fmt.Errorf("%q: want the numbers of cards, the first being 1, as in %s 1 3", command, name)
		}
	}
	if !v.noTurn && l.turn != nil {
		a.Epoch, a.Turn = l.turn.Epoch, l.turn.Turn
	}
	return a, nil
}

// stakeOf reads a stake against the house: the seat, where it is behind a box, the ante, and the bonus bet if there is one.
func stakeOf(text string, behind bool, a *mqtt.ActionPayload) error {
	var numbers []int64
	for word := range strings.FieldsSeq(strings.ReplaceAll(text, ",", "")) {
		n, err := strconv.ParseInt(word, 10, 64)
		if err != nil || n < 0 {
			return fmt.Errorf("%q is no amount", word)
		}
		numbers = append(numbers, n)
	}
	if behind {
		if len(numbers) == 0 || !isSeat(engine.Seat(min(numbers[0], engine.MaxSeats+1))) {
			return errors.New("a seat is missing")
		}
		a.Seat, numbers = engine.Seat(numbers[0]), numbers[1:]
	}
	if len(numbers) < 1 || len(numbers) > 2 {
		return fmt.Errorf("%d amounts", len(numbers))
	}
	a.Amount = engine.Chips(numbers[0])
	if len(numbers) == 2 {
		a.Bonus = engine.Chips(numbers[1])
	}
	return nil
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
			l.say("connection: %s", l.away)
		} else {
			l.say("connection: the table is there")
		}
	case mqtt.StatePayload:
		if first {
			l.say("table: %s, %s; %s", l.state.Title, l.rules(), l.whoIAm())
		}
		if stands := strings.Join(l.state.Holds, "; "); stands != l.stood {
			l.stood = stands
			l.say("table: %s", l.awaited())
		}
	case mqtt.EventPayload:
		if e := l.tell(&m.Event); e.text != "" {
			l.say("%s", e.in(card.Text))
		}
	case mqtt.HolePayload:
		l.say("%s", entry{text: "your cards:", cards: l.hole.Cards, holds: l.holds()}.in(card.Text))
	case mqtt.TurnPayload:
		if m.Turn != l.turned {
			l.turned = m.Turn
			l.say("%s", l.yourTurn())
		}
	}
}

// whoIAm says where the player sits.
func (l *lines) whoIAm() string {
	s := fmt.Sprintf("you are %s at seat %d", l.name(l.seat()), l.seat())
	if p := l.place(l.seat()); p != nil && p.Out {
		s += ", sitting out"
	}
	return s
}

// yourTurn says what may be done, in the words of the commands.
func (l *lines) yourTurn() string {
	var may []string
	for _, o := range l.options() {
		may = append(may, o.text)
	}
	left, _ := l.left(time.Now())
	return fmt.Sprintf("your turn: %s; %d s", strings.Join(may, ", "), seconds(left))
}

// printJSON prints a message as it is in MQTT, with its type.
func (l *lines) printJSON(msg any) {
	switch m := msg.(type) {
	case client.Connected:
		l.connectionJSON(l.away)
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
	}
}

func (l *lines) connectionJSON(trouble string) {
	l.encode(struct {
		Type string `json:"type"`
		Up   bool   `json:"up"`
		Text string `json:"text,omitempty"`
	}{"connection", trouble == "", trouble})
}

// health prints when the connection to the broker goes or comes back.
func (l *lines) health() {
	h := l.conn.Health()
	trouble := ""
	if !h.Up {
		trouble = reconnecting(h.Err)
	}
	if trouble == l.trouble {
		return
	}
	l.trouble = trouble
	switch {
	case l.json:
		l.connectionJSON(trouble)
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
