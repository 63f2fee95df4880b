package pepper

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"tavolo/drivers/framing"
	"tavolo/drivers/port"
	"tavolo/drivers/rfid"
)

const (
	// probe is how often a reader that reports by itself is asked whether it still does.
	probe = time.Second
	// stay is how long after its last event a tag counts as still in the field.
	stay = time.Second
	// maxInventory bounds one ISO 15693 inventory: a deck and a few strangers.
	maxInventory = 64
)

// session is one time the reader is up.
type session struct {
	port  *port.Port // nil where the line is somebody else's
	line  *framing.Line[Message]
	o     Options
	clock rfid.Clock

	// Of a reader that reports by itself, once it is known: when it is to be asked next, when it told last of each tag in its
	// field, and which have come into that and were not given yet.
	probeAt time.Time
	told    map[string]time.Time
	passing []string
}

// meet wakes the reader, asks who it is, and stops whatever an earlier program left it doing.
func (s *session) meet(ctx context.Context) (firmware string, err error) {
	for range wakeUps {
		if _, err = s.ask(ctx, CmdDummy); !errors.Is(err, framing.ErrSilent) {
			break
		}
	}
	if errors.Is(err, framing.ErrSilent) {
		return "", fmt.Errorf("%w; check power, wiring (RX and TX crossed) and that this port is a Pepper C1 at 115200 baud", err)
	}
	if err != nil {
		return "", err
	}
	version, err := s.ask(ctx, CmdVersion)
	if err != nil {
		return "", fmt.Errorf("version: %w", err)
	}
	firmware = strings.TrimRight(string(version), "\x00")
	if firmware == "" || strings.ContainsFunc(firmware, func(r rune) bool { return r < ' ' || r > '~' }) {
		return "", fmt.Errorf("%w: its version is %q; check which device is on this port", ErrUnknown, version)
	}
	_, err = s.ask(ctx, CmdPolling, 0)
	if s.o.Passing {
		s.told = map[string]time.Time{}
	}
	return firmware, err
}

// Look looks at one antenna. Of a reader that reports by itself it gives the next tag that has come into the field, as soon
// as there is one.
func (s *session) Look(ctx context.Context, antenna int) (rfid.Scan, error) {
	if s.o.Passing {
		return s.watch(ctx)
	}
	if _, err := s.ask(ctx, CmdAntenna, byte(antenna)); errors.Is(err, errRefused) {
		return rfid.Scan{}, fmt.Errorf("this board has no such antenna: %v", err) // which costs more than a look
	} else if err != nil {
		return rfid.Scan{}, err
	}
	count, err := s.ask(ctx, CmdTagCount)
	if err != nil {
		return rfid.Scan{}, err
	}
	if len(count) != 1 || count[0] > MaxListed {
		return rfid.Scan{}, rfid.Spoilt("number of tags % x", count)
	}
	var scan rfid.Scan
	for i := range count[0] {
		data, err := s.ask(ctx, CmdUID, i)
		if err != nil {
			return rfid.Scan{}, err
		}
		uid, err := tagData(data)
		if err != nil {
			return rfid.Scan{}, rfid.Spoilt("%w", err)
		}
		scan.UIDs = append(scan.UIDs, uid)
	}
	if len(scan.UIDs) == MaxListed {
		err = s.more(ctx, &scan)
	}
	return scan, err
}

// more completes a scan whose list is full with an ISO 15693 inventory, which has no such limit. Where the inventory
// misses a tag of the list, tags of another kind lie there, and how many the list left out cannot be known.
func (s *session) more(ctx context.Context, scan *rfid.Scan) error {
	listed := slices.Clone(scan.UIDs)
	scan.Partial = true
	cmd := byte(CmdInventoryStart)
	for range maxInventory {
		data, err := s.ask(ctx, cmd, 0)
		if errors.Is(err, errRefused) {
			return nil // no such tags
		}
		if err != nil {
			return err
		}
		if len(data) != icodeUID+2 {
			return rfid.Spoilt("inventory of %d bytes", len(data))
		}
		uid, err := rfid.FormatUID(data[:icodeUID])
		if err != nil {
			return rfid.Spoilt("%w", err)
		}
		listed = slices.DeleteFunc(listed, func(l string) bool { return l == uid })
		scan.UIDs = append(scan.UIDs, uid)
		if data[icodeUID+1] == 0 {
			scan.Partial = len(listed) > 0
			return nil
		}
		cmd = CmdInventoryNext
	}
	return nil
}

// watch waits for a tag that the reader reports, for a while. Asking again and again for what it already does shows that it
// is alive, and brings a reader back to work that restarted unnoticed.
func (s *session) watch(ctx context.Context) (rfid.Scan, error) {
	if !s.clock.Now().Before(s.probeAt) {
		if _, err := s.ask(ctx, CmdPolling, 1); err != nil {
			return rfid.Scan{}, err
		}
		s.probeAt = s.clock.Now().Add(probe)
	}
	for len(s.passing) == 0 {
		m, err := s.line.Receive(ctx, s.probeAt.Sub(s.clock.Now()))
		if errors.Is(err, framing.ErrSilent) {
			return rfid.Scan{}, nil
		}
		if err == nil && m.event() {
			err = s.hear(m)
		}
		if err != nil {
			return rfid.Scan{}, err
		}
	}
	scan := rfid.Scan{UIDs: s.passing[:1]}
	s.passing = s.passing[1:]
	return scan, nil
}

// hear takes note of a tag that the reader reports, unless it has been there all the time.
func (s *session) hear(m Message) error {
	uid, err := reported(m)
	if err != nil {
		return rfid.Spoilt("%w", err)
	}
	now := s.clock.Now()
	for other, last := range s.told {
		if now.Sub(last) > stay {
			delete(s.told, other)
		}
	}
	if _, there := s.told[uid]; !there {
		s.passing = append(s.passing, uid)
	}
	s.told[uid] = now
	return nil
}

// Check is as in [rfid.Session]. Answers come in the order of the commands: once this one is answered, none can be taken for
// another's.
func (s *session) Check(ctx context.Context) error {
	if _, err := s.ask(ctx, CmdDummy); err != nil {
		return fmt.Errorf("pepper: %s: %w", s.o.Path, err)
	}
	return nil
}

// Halt leaves the reader without polling and without a field.
func (s *session) Halt(ctx context.Context) error {
	if s.o.Passing {
		if _, err := s.ask(ctx, CmdPolling, 0); err != nil {
			return err
		}
	}
	_, err := s.ask(ctx, CmdHalt)
	return err
}

func (s *session) Close() error {
	if s.port == nil {
		return nil
	}
	return s.port.Close()
}

// errRefused is a command that the reader refuses.
var errRefused = errors.New("refused")

// ask sends a command and waits for its answer. Any other answer that comes is one to an earlier command.
func (s *session) ask(ctx context.Context, cmd byte, args ...byte) ([]byte, error) {
	if err := s.line.Send(AppendFrame(nil, append([]byte{cmd}, args...))); err != nil {
		return nil, err
	}
	for end := time.Now().Add(s.o.ReplyTimeout); ; {
		m, err := s.line.Receive(ctx, time.Until(end))
		if err != nil {
			return nil, fmt.Errorf("command %02x: %w", cmd, err)
		}
		switch p := m.Payload; {
		case m.event() && s.told == nil: // an earlier program had it poll
		case m.event():
			if err := s.hear(m); err != nil {
				return nil, err
			}
		case len(p) >= 2 && p[0] == Ack && p[1] == cmd:
			return p[2:], nil
		case len(p) >= 4 && p[0] == Nak && p[1] == cmd:
			return nil, rfid.Spoilt("command %02x %w: layer %02x, error %02x", cmd, errRefused, p[2], p[3])
		}
	}
}
