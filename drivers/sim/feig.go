package sim

import (
	"context"
	"slices"
	"time"

	"tavolo/drivers/feig"
	"tavolo/drivers/framing"
)

// FeigOptions describe a simulated reader.
type FeigOptions struct {
	// Antennas is how many outputs it has; zero means all of [feig.MaxAntennas].
	Antennas int
	// OnlyNew makes the reader report a tag only once, until its field was off.
	OnlyNew bool
	Timing  Timing
}

// feigPart is how many tags an answer to an inventory holds.
const feigPart = 20

// Feig is the device side of a FEIG reader in host mode, in both forms of its protocol.
type Feig struct {
	*coils
	cable *PTY
	o     FeigOptions
	quiet []string // tags that were reported, OnlyNew
	rest  []string // of the inventory under way
	scan  *framing.Scanner[feigAsked]
}

// NewFeig puts a reader at the end of a cable. Run makes it work.
func NewFeig(cable *PTY, o FeigOptions) *Feig {
	if o.Antennas == 0 {
		o.Antennas = feig.MaxAntennas
	}
	return &Feig{coils: newCoils(), cable: cable, o: o}
}

// Run answers the host until ctx ends, then closes the cable and returns nil.
func (f *Feig) Run(ctx context.Context) error {
	return questions(ctx, f.cable, feigQuestion, func(q feigAsked) error { return f.serve(ctx, q) })
}

// Answer gives the bytes that answer what the host sends, at once: for a reader without a cable, of which nothing else may
// be used at the same time but the coils.
func (f *Feig) Answer(b []byte) (out []byte) {
	if f.scan == nil {
		f.scan = framing.NewScanner(feigQuestion)
	}
	f.scan.Push(b)
	for q, ok := f.scan.Next(); ok; q, ok = f.scan.Next() {
		f.mu.Lock()
		status, data, _ := f.obey(q.Cmd, q.Data)
		f.mu.Unlock()
		out = q.form.Append(out, feig.Frame{Cmd: q.Cmd, Data: append([]byte{status}, data...)})
	}
	return out
}

// feigAsked is a question, and the form it came in.
type feigAsked struct {
	feig.Frame
	form feig.Form
}

func feigQuestion(b []byte) (feigAsked, int, framing.Fault) {
	form := feig.Form(b[0] == 2) // no standard frame is so short
	f, size, fault := form.Decode(b)
	return feigAsked{f, form}, size, fault
}

// Unplug pulls the reader's cable, which is also its power.
func (f *Feig) Unplug() error { return f.cable.Unplug() }

// Plug puts the cable back; the reader starts up.
func (f *Feig) Plug() error {
	f.Restart()
	return f.cable.Plug()
}

// Restart is what the reader does when its power comes back: its field is on, and it has forgotten everything.
func (f *Feig) Restart() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.light(1)
	f.quiet, f.rest, f.scan = nil, nil, nil
}

func (f *Feig) serve(ctx context.Context, q feigAsked) error {
	f.mu.Lock()
	if f.hung {
		f.mu.Unlock()
		return nil
	}
	status, data, took := f.obey(q.Cmd, q.Data)
	frame := q.form.Append(nil, feig.Frame{Cmd: q.Cmd, Data: append([]byte{status}, data...)})
	f.mu.Unlock()
	return reply(ctx, f.cable, frame, took+f.o.Timing.Command+time.Duration(len(frame))*f.o.Timing.Byte)
}

// obey does what a command asks and tells its status, the data of the answer, and the time beyond that for any command.
func (f *Feig) obey(cmd byte, args []byte) (status byte, data []byte, took time.Duration) {
	switch {
	case cmd == feig.CmdVersion && len(args) == 0:
		return feig.StatusOK, []byte{2, 8, 0, 0x11, 0x5C, 0x00, 0x08}, 0
	case cmd == feig.CmdResetRF && len(args) == 0:
		f.quiet, f.rest = nil, nil
		return feig.StatusOK, nil, f.o.Timing.Switch
	case cmd == feig.CmdOutput && len(args) == 1:
		if int(args[0]) > f.o.Antennas {
			return feig.StatusRange, nil, 0
		}
		f.light(int(args[0]))
		f.quiet, f.rest = nil, nil
		return feig.StatusOK, nil, f.o.Timing.Switch
	case cmd == feig.CmdISO && len(args) == 2 && args[0] == feig.CmdInventory:
		status, data = f.inventory(args[1])
		return status, data, f.o.Timing.Look + time.Duration(len(data)/10)*f.o.Timing.Tag
	case slices.Contains([]byte{feig.CmdVersion, feig.CmdResetRF, feig.CmdOutput, feig.CmdISO}, cmd):
		return feig.StatusLength, nil, 0
	}
	return feig.StatusUnknown, nil, 0
}

func (f *Feig) inventory(mode byte) (status byte, data []byte) {
	if mode&feig.MoreTags == 0 {
		f.rest = slices.DeleteFunc(f.look(), func(uid string) bool { return !icode(uid) || slices.Contains(f.quiet, uid) })
	}
	if len(f.rest) == 0 {
		return feig.StatusNoTag, nil
	}
	part := f.rest[:min(len(f.rest), feigPart)]
	f.rest = f.rest[len(part):]
	data = []byte{byte(len(part))}
	for _, uid := range part {
		data = append(append(data, feig.TagISO15693, 0), raw(uid)...)
	}
	if f.o.OnlyNew {
		f.quiet = append(f.quiet, part...)
	}
	if len(f.rest) > 0 {
		return feig.StatusMore, data
	}
	return feig.StatusOK, data
}
