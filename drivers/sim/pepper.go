package sim

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"sync"
	"time"

	"tavolo/drivers/framing"
	"tavolo/drivers/pepper"
	"tavolo/drivers/rfid"
)

// Timing is how long a simulated reader takes. The zero value is as fast as the machine goes.
type Timing struct {
	Command time.Duration // to understand a command
	Switch  time.Duration // to another antenna, until its field stands
	Look    time.Duration // for tags on one antenna, found or not
	Tag     time.Duration // for each tag found
	Boot    time.Duration // from power-up to listening
	Byte    time.Duration // on the wire, to the host
}

// RealTiming gives the figures of a real reader at 115200 baud: a round over eight antennas takes some 250 ms if they
// are empty, 400 ms with two cards on each.
func RealTiming() Timing {
	return Timing{
		Command: time.Millisecond,
		Switch:  6 * time.Millisecond,
		Look:    20 * time.Millisecond,
		Tag:     6 * time.Millisecond,
		Boot:    time.Second,
		Byte:    87 * time.Microsecond,
	}
}

// PepperOptions describe a simulated reader.
type PepperOptions struct {
	// Firmware is the version text; empty means 2.56.
	Firmware string
	// Antennas is how many there are; zero means the eight of a MUX. A reader with one refuses to switch.
	Antennas int
	// JSON makes the reader report tags as JSON between the frames, instead of as binary events.
	JSON bool
	// Timing is how long things take.
	Timing Timing
}

// Pepper is the device side of an Eccel Pepper C1 or C1 MUX. Tags are put on its antennas and passed along its mouth by
// the methods, which may be called from any goroutine; what goes over the cable is up to the host and to polling, as
// with the real reader. An antenna is named by its number from 1.
type Pepper struct {
	cable *PTY
	o     PepperOptions

	mu      sync.Mutex
	tags    map[int][]string // by antenna
	hung    bool
	deaf    time.Time // until then
	booted  time.Time
	polling bool
	changed chan struct{} // closed when polling changes
	antenna int
	lit     bool
	listed  []string // what the last CmdTagCount found
	queue   []string // what the inventory under way has yet to tell
	scan    *framing.Scanner[pepper.Message]
	sight   Sight
}

// NewPepper puts a reader at the end of a cable. Run makes it work.
func NewPepper(cable *PTY, o PepperOptions) *Pepper {
	if o.Firmware == "" {
		o.Firmware = "2.56"
	}
	if o.Antennas == 0 {
		o.Antennas = pepper.MaxAntennas
	}
	p := &Pepper{cable: cable, o: o, tags: map[int][]string{}, changed: make(chan struct{})}
	p.boot()
	return p
}

// Run answers the host until ctx ends, then closes the cable and returns nil.
func (p *Pepper) Run(ctx context.Context) error {
	return questions(ctx, p.cable, pepper.Decode, func(m pepper.Message) error { return p.serve(ctx, m.Payload) })
}

// Answer gives the bytes that answer what the host sends, at once: for a reader without a cable, of which nothing else may
// be used at the same time but Lay and Says.
func (p *Pepper) Answer(b []byte) (out []byte) {
	p.scan.Push(b)
	for m, ok := p.scan.Next(); ok; m, ok = p.scan.Next() {
		if m.Payload != nil {
			frame, _ := p.answer(m.Payload)
			out = append(out, frame...)
		}
	}
	return out
}

// Says gives the bytes that the reader says by itself, at once, of the tags at its first antenna.
func (p *Pepper) Says() (out []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.polling {
		for _, uid := range p.tags[1] {
			out = append(out, p.event(1, uid)...)
		}
	}
	return out
}

// Place lays a tag on an antenna. If the reader is polling it reports the tag.
func (p *Pepper) Place(antenna int, uid string) error {
	uid, err := canonical(uid)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !slices.Contains(p.tags[antenna], uid) {
		p.tags[antenna] = append(p.tags[antenna], uid)
	}
	return p.report(antenna, uid)
}

// Lay has just these tags on an antenna, named as rfid.FormatUID does.
func (p *Pepper) Lay(antenna int, uids []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tags[antenna] = append(p.tags[antenna][:0], uids...)
}

// Remove takes a tag off an antenna. The reader says nothing of it.
func (p *Pepper) Remove(antenna int, uid string) {
	uid, _ = canonical(uid) // a UID that is none lies nowhere
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tags[antenna] = slices.DeleteFunc(p.tags[antenna], func(t string) bool { return t == uid })
}

// Pass slides a card past the reader's first antenna, the mouth of a shoe. The reader misses it unless it is polling.
func (p *Pepper) Pass(uid string) error {
	uid, err := canonical(uid)
	if err != nil {
		return err
	}
	time.Sleep(p.o.Timing.Look)
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.report(1, uid)
}

// Polling tells whether the host has the reader report tags by itself.
func (p *Pepper) Polling() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.polling
}

// Dark tells whether no antenna is energised.
func (p *Pepper) Dark() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.lit
}

// AwaitPolling waits until the host has the reader report tags by itself; cards passed before that go unseen.
func (p *Pepper) AwaitPolling(ctx context.Context) error {
	for {
		p.mu.Lock()
		polling, changed := p.polling, p.changed
		p.mu.Unlock()
		if polling {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}

// Hang makes the reader deaf and dumb, or brings it back as it was.
func (p *Pepper) Hang(hung bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hung = hung
}

// See has every look see what a Sight makes of what lies there.
func (p *Pepper) See(s Sight) { p.sight = s }

// Restart is what the reader does when its power comes back: it is deaf for a while and has forgotten what it was told.
func (p *Pepper) Restart() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.boot()
}

// Unplug pulls the reader's cable, which is also its power.
func (p *Pepper) Unplug() error { return p.cable.Unplug() }

// Plug puts the cable back; the reader starts up.
func (p *Pepper) Plug() error {
	p.Restart()
	return p.cable.Plug()
}

func (p *Pepper) boot() {
	p.booted = time.Now()
	p.deaf = p.booted.Add(p.o.Timing.Boot)
	p.antenna, p.lit, p.listed, p.queue = 1, false, nil, nil
	p.scan = framing.NewScanner(pepper.Decode)
	p.poll(false)
}

func (p *Pepper) poll(on bool) {
	p.polling, p.lit = on, p.lit || on
	close(p.changed)
	p.changed = make(chan struct{})
}

// Errors of the reader: a layer and what is wrong there.
var (
	noReply     = []byte{0x02, 0x01}
	badArgument = []byte{0x02, 0x21}
	badCommand  = []byte{0x02, 0x24}
	badState    = []byte{0x02, 0x25}
)

// serve answers one command, in the time it takes.
func (p *Pepper) serve(ctx context.Context, command []byte) error {
	p.mu.Lock()
	if command == nil || p.hung || time.Now().Before(p.deaf) {
		p.mu.Unlock()
		return nil
	}
	p.mu.Unlock()
	frame, took := p.answer(command)
	return reply(ctx, p.cable, frame, took+p.o.Timing.Command+time.Duration(len(frame))*p.o.Timing.Byte)
}

// answer is the frame that answers a command, and the time that takes beyond that for any command.
func (p *Pepper) answer(command []byte) ([]byte, time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	data, fault, took := p.obey(command[0], command[1:])
	answer := append([]byte{pepper.Ack, command[0]}, data...)
	if fault != nil {
		answer = append([]byte{pepper.Nak, command[0]}, fault...)
	}
	return pepper.AppendFrame(nil, answer), took
}

// obey does what a command asks and tells the data of the answer, or the fault, and the time beyond that for any
// command. The caller holds mu.
func (p *Pepper) obey(cmd byte, args []byte) (data, fault []byte, took time.Duration) {
	t := p.o.Timing
	arg := func() byte { return args[0] }
	if want := argCount(cmd); want < 0 {
		return nil, badCommand, 0
	} else if len(args) != want {
		return nil, badArgument, 0
	}
	switch cmd {
	case pepper.CmdHalt:
		p.lit = false
	case pepper.CmdVersion:
		return append([]byte(p.o.Firmware), 0), nil, 0
	case pepper.CmdPolling:
		p.poll(arg() != 0)
	case pepper.CmdReboot:
		p.boot()
	case pepper.CmdAntenna:
		if p.o.Antennas == 1 || arg() < 1 || int(arg()) > p.o.Antennas {
			return nil, badArgument, 0
		}
		p.antenna = int(arg())
		return nil, nil, t.Switch
	case pepper.CmdTagCount:
		p.lit = true
		found := p.sight.of(p.antenna, p.tags[p.antenna])
		p.listed = found[:min(len(found), pepper.MaxListed)]
		return []byte{byte(len(p.listed))}, nil, t.Look + time.Duration(len(p.listed))*t.Tag
	case pepper.CmdUID:
		if p.listed == nil {
			return nil, badState, 0
		}
		if int(arg()) >= len(p.listed) {
			return nil, badArgument, 0
		}
		return tagData(p.listed[arg()]), nil, 0
	case pepper.CmdInventoryStart:
		p.lit = true
		p.queue = slices.DeleteFunc(p.sight.of(p.antenna, p.tags[p.antenna]), func(uid string) bool { return !icode(uid) })
		data, fault = p.inventory()
		return data, fault, t.Look + t.Tag
	case pepper.CmdInventoryNext:
		data, fault = p.inventory()
		return data, fault, t.Tag
	}
	return nil, nil, 0
}

// argCount tells how many arguments a command has; negative if there is no such command.
func argCount(cmd byte) int {
	switch cmd {
	case pepper.CmdDummy, pepper.CmdTagCount, pepper.CmdHalt, pepper.CmdReboot, pepper.CmdVersion:
		return 0
	case pepper.CmdUID, pepper.CmdPolling, pepper.CmdAntenna, pepper.CmdInventoryStart, pepper.CmdInventoryNext:
		return 1
	}
	return -1
}

// inventory tells the next tag, its UID as on the air, low byte first.
func (p *Pepper) inventory() (data, fault []byte) {
	if len(p.queue) == 0 {
		return nil, noReply
	}
	data = raw(p.queue[0])
	slices.Reverse(data)
	p.queue = p.queue[1:]
	return append(data, 0, byte(min(len(p.queue), 1))), nil
}

// report sends an event for a tag, if the reader is polling. The caller holds mu.
func (p *Pepper) report(antenna int, uid string) error {
	if !p.polling || p.hung || time.Now().Before(p.deaf) {
		return nil
	}
	_, err := p.cable.Write(p.event(antenna, uid))
	return err
}

// event tells of a tag.
func (p *Pepper) event(antenna int, uid string) []byte {
	if p.o.JSON {
		return fmt.Appendf(nil, `{"type":"uid","uid":%q,"antenna":%d,"tag_index":0,"uptime_ms":%d,"known_tag":false}`,
			uid, antenna, time.Since(p.booted).Milliseconds())
	}
	return pepper.AppendFrame(nil, append([]byte{pepper.Event, pepper.CmdUID}, tagData(uid)...))
}

// Types of tags, as the reader tells them.
const (
	typeMifare = 0x01
	typeIcode  = 0x10
)

func tagData(uid string) []byte {
	kind := byte(typeMifare)
	if icode(uid) {
		kind = typeIcode
	}
	return append([]byte{kind, 0}, raw(uid)...)
}

// icode tells ISO 15693 tags from others: 8 bytes, of which the most significant is E0.
func icode(uid string) bool { return len(uid) == 16 && uid[:2] == "E0" }

func canonical(uid string) (string, error) {
	b, err := hex.DecodeString(uid)
	if err != nil {
		return "", fmt.Errorf("sim: uid %q: %w", uid, err)
	}
	return rfid.FormatUID(b)
}

// raw is the bytes of a canonical UID.
func raw(uid string) []byte {
	b, _ := hex.DecodeString(uid) // canonical made sure of it
	return b
}
