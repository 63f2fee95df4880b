package sim

import (
	"context"
	"encoding/binary"
	"sync"
	"time"

	"tavolo/drivers/crc"
	"tavolo/drivers/framing"
	"tavolo/drivers/uhf"
)

// UHFOptions describe a simulated reader.
type UHFOptions struct {
	// Name is what it says it is; empty means M100 26dBm V1.0.
	Name string
	// Selects makes the reader come up with a selection that no tag is in.
	Selects bool
	// Timing's Look and Tag are how long a round takes, two milliseconds at least.
	Timing Timing
}

const (
	// uhfRound is the shortest round.
	uhfRound = 2 * time.Millisecond
	// uhfPower is the power that a reader comes up with and uhfMost what it has at most, in 0.01 dBm.
	uhfPower, uhfMost = 2600, 2650
	// uhfSignal is how strong the first tag is in a round, in dBm; each that lies farther down is a decibel weaker.
	uhfSignal = -45
)

// UHF is the device side of a reader of the YRM100's kind.
type UHF struct {
	*coils
	cable   *PTY
	o       UHFOptions
	begun   chan struct{} // a token says that an inventory has begun
	rounds  int           // that are left of it
	power   uint16        // 0.01 dBm
	selects bool
	scan    *framing.Scanner[uhf.Frame] // what the host sends
}

// NewUHF puts a reader at the end of a cable. Run makes it work.
func NewUHF(cable *PTY, o UHFOptions) *UHF {
	if o.Name == "" {
		o.Name = "M100 26dBm V1.0"
	}
	u := &UHF{coils: newCoils(), cable: cable, o: o, begun: make(chan struct{}, 1), scan: framing.NewScanner(uhf.Decode)}
	u.boot()
	return u
}

func (u *UHF) boot() {
	u.light(0)
	u.rounds, u.power, u.selects = 0, uhfPower, u.o.Selects
}

// Run answers the host until ctx ends, then closes the cable and returns nil.
func (u *UHF) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	var rounds sync.WaitGroup
	defer rounds.Wait()
	defer cancel()
	rounds.Go(func() { u.inventories(ctx) })
	return questions(ctx, u.cable, uhf.Decode, func(f uhf.Frame) error {
		frame := u.answer(f)
		if frame == nil {
			return nil
		}
		return reply(ctx, u.cable, frame, u.o.Timing.Command+time.Duration(len(frame))*u.o.Timing.Byte)
	})
}

// Answer gives the bytes that answer what the host sends, at once: for a reader without a cable, of which nothing else may
// be used at the same time but Lay, Says and Restart.
func (u *UHF) Answer(b []byte) (out []byte) {
	u.scan.Push(b)
	for f, ok := u.scan.Next(); ok; f, ok = u.scan.Next() {
		out = append(out, u.answer(f)...)
	}
	return out
}

// Says gives what the reader tells in the next round of an inventory that is under way, at once; nil where none is.
func (u *UHF) Says() []byte {
	_, out, _ := u.round()
	return out
}

// Restart is what the reader does when its power comes back.
func (u *UHF) Restart() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.boot()
}

// Unplug pulls the reader's cable, which is also its power.
func (u *UHF) Unplug() error { return u.cable.Unplug() }

// Plug puts the cable back; the reader starts up and has forgotten what it was told.
func (u *UHF) Plug() error {
	u.Restart()
	return u.cable.Plug()
}

// answer is the frame that answers another, nil for none.
func (u *UHF) answer(f uhf.Frame) []byte {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.hung || f.Type != uhf.Command {
		return nil
	}
	data, known := u.obey(f.Cmd, f.Data)
	switch {
	case !known:
		f.Cmd, data = uhf.CmdError, []byte{uhf.ErrorCommand}
	case data == nil:
		return nil
	}
	return uhf.Append(nil, uhf.Frame{Type: uhf.Response, Cmd: f.Cmd, Data: data})
}

// obey does what a command asks and gives the data of its response, nil for none; or the command is not known like that.
// The caller holds mu.
func (u *UHF) obey(cmd byte, args []byte) (data []byte, known bool) {
	switch {
	case cmd == uhf.CmdInfo && len(args) == 1 && args[0] <= uhf.InfoSoftware:
		return append([]byte{args[0]}, u.o.Name...), true
	case cmd == uhf.CmdSelect && len(args) == 1:
		u.selects = args[0] != uhf.SelectNever
	case cmd == uhf.CmdSetPower && len(args) == 2 && binary.BigEndian.Uint16(args) <= uhfMost:
		u.power = binary.BigEndian.Uint16(args)
	case cmd == uhf.CmdPower && len(args) == 0:
		return binary.BigEndian.AppendUint16(nil, u.power), true
	case cmd == uhf.CmdPoll && len(args) == 0:
		u.begin(1)
		return nil, true
	case cmd == uhf.CmdPollMany && len(args) == 3 && args[0] == uhf.PollMany:
		u.begin(int(binary.BigEndian.Uint16(args[1:])))
		return nil, true
	case cmd == uhf.CmdStop && len(args) == 0:
		u.rounds = 0
		u.light(0)
	default:
		return nil, false
	}
	return []byte{0}, true
}

// begin begins an inventory of so many rounds. The caller holds mu.
func (u *UHF) begin(rounds int) {
	u.rounds = rounds
	u.light(1)
	select {
	case u.begun <- struct{}{}:
	default: // it will be looked at
	}
}

// inventories goes through the rounds of one inventory after the other, until ctx ends.
func (u *UHF) inventories(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-u.begun:
		}
		for tags, out, on := u.round(); on; tags, out, on = u.round() {
			_, _ = u.cable.Write(out) // fails once the cable is closed, when Run ends
			timer := time.NewTimer(max(uhfRound, u.o.Timing.Look+time.Duration(tags)*u.o.Timing.Tag))
			select {
			case <-ctx.Done():
				timer.Stop()
				return
			case <-timer.C:
			}
		}
	}
}

// round is one round: it tells of each of so many tags, or that there is none. It is false once no round is left.
func (u *UHF) round() (tags int, out []byte, on bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.rounds == 0 {
		u.light(0)
		return 0, nil, false
	}
	u.rounds--
	if u.hung {
		return 0, nil, true
	}
	seen := u.look()
	if len(seen) == 0 || u.selects {
		return 0, uhf.Append(nil, uhf.Frame{Type: uhf.Response, Cmd: uhf.CmdError, Data: []byte{uhf.ErrorNoTag}}), true
	}
	for i, uid := range seen {
		out = uhf.Append(out, notice(uhfSignal-i, raw(uid)))
	}
	return len(seen), out, true
}

// notice tells of a tag as strong as that in dBm, whose EPC is an even number of bytes long.
func notice(rssi int, epc []byte) uhf.Frame {
	epc = epc[:len(epc)&^1]
	data := append([]byte{byte(rssi), byte(len(epc) / 2 << 3), 0}, epc...)
	return uhf.Frame{Type: uhf.Notice, Cmd: uhf.CmdPoll, Data: binary.BigEndian.AppendUint16(data, crc.EPC(data[1:]))}
}
