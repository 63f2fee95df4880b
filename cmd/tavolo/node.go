package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"tavolo/drivers/port"
	"tavolo/engine"
	bridge "tavolo/firmware-bridge"
)

func nodeCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "node",
		Short: "Find the seat nodes on a table's bus, give them their seats and new firmware",
		Long: `Find the seat nodes on a table's bus, give them their seats and new firmware. The bus must not be in use: stop the
daemon first.`,
	}
	c.AddCommand(nodeListCommand(), nodeMoveCommand(), nodeUpdateCommand())
	return c
}

func nodeListCommand() *cobra.Command {
	var file string
	c := &cobra.Command{
		Use:   "list -c FILE",
		Short: "List every node on the bus, those that have no seat yet too",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return onSeatBus(cmd, file, func(b *seatBusTools) error { return b.list() })
		},
	}
	configFlag(c, &file)
	return c
}

func nodeMoveCommand() *cobra.Command {
	var file string
	c := &cobra.Command{
		Use:   "move -c FILE UID SEAT|none",
		Short: "Give a node a seat, or take it away",
		Long: `Give the node with a serial number, as list prints it, the address of a seat. The node keeps it. To exchange a panel,
take the seat away from the old one if it is still there, then give it to the new one.`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			uid, err := strconv.ParseUint(args[0], 16, 64)
			if err != nil {
				return usageError{fmt.Errorf("%q is no serial number: want up to 16 hexadecimal digits", args[0])}
			}
			return onSeatBus(cmd, file, func(b *seatBusTools) error {
				if args[1] == "none" {
					return b.move(uid, 0)
				}
				seats, err := b.seatsNamed(args[1:])
				if err != nil {
					return err
				}
				return b.move(uid, seats[0])
			})
		},
	}
	configFlag(c, &file)
	return c
}

func nodeUpdateCommand() *cobra.Command {
	var file, image string
	c := &cobra.Command{
		Use:   "update -c FILE --image FILE [SEAT...]",
		Short: "Bring the nodes of seats, or of all seats, up to date",
		Long: `Send the nodes of seats, or of all seats, a firmware image and start it. A transfer that was broken off goes on where it
was. A node whose image does not arrive whole keeps the firmware it has.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			data, err := os.ReadFile(image)
			if err != nil {
				return err
			}
			header, err := bridge.ParseImage(data)
			if err != nil {
				return fmt.Errorf("%s: %w", image, err)
			}
			if header.Schema != bridge.SchemaHash() {
				return fmt.Errorf("%s: built from message table %08x, this program from %08x: nodes with it would be refused; take the image that belongs to this program",
					image, header.Schema, bridge.SchemaHash())
			}
			return onSeatBus(cmd, file, func(b *seatBusTools) error {
				seats, err := b.seatsNamed(args)
				if err != nil {
					return err
				}
				return b.update(seats, data)
			})
		},
	}
	configFlag(c, &file)
	c.Flags().StringVar(&image, "image", "", "firmware image, a `FILE`")
	if err := c.MarkFlagRequired("image"); err != nil {
		panic(err) // the flag was made above
	}
	return c
}

// seatBusTools are a technician's at a table's seat bus.
type seatBusTools struct {
	ctx  context.Context
	cmd  *cobra.Command
	cfg  *Config
	line *bridge.Line
	out  output
}

// onSeatBus lets work use the bus of a configuration, with nobody else on it.
func onSeatBus(cmd *cobra.Command, file string, work func(*seatBusTools) error) error {
	cfg, _, err := LoadDraft(file)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(cfg.Devices, func(d DeviceConfig) bool { return d.Kind == seatBus })
	if i < 0 {
		return fmt.Errorf("%s: no device of kind %s", file, seatBus)
	}
	bus := cfg.Devices[i]
	p, err := port.Open(port.Options{Path: bus.Path, Baud: bus.Baud, RS485: bus.RS485})
	if err != nil {
		return err
	}
	b := &seatBusTools{ctx: cmd.Context(), cmd: cmd, cfg: cfg, line: bridge.NewLine(p, bus.Reply), out: outputOf(cmd)}
	return errors.Join(work(b), b.out.Flush(), p.Close())
}

// seatOf is the seat whose node has an address, 0 for none.
func (b *seatBusTools) seatOf(at bridge.Addr) engine.Seat {
	for _, s := range b.cfg.Seats {
		if s.Node != 0 && bridge.Addr(s.Node) == at {
			return s.Seat
		}
	}
	return 0
}

// address is that of a seat's node, Nameless for seat 0.
func (b *seatBusTools) address(seat engine.Seat) bridge.Addr {
	for _, s := range b.cfg.Seats {
		if s.Seat == seat {
			return bridge.Addr(s.Node)
		}
	}
	return bridge.Nameless
}

// seatsNamed are the seats with the given numbers, all those with a node if there are none.
func (b *seatBusTools) seatsNamed(numbers []string) (seats []engine.Seat, _ error) {
	for _, s := range b.cfg.Seats {
		if s.Node != 0 && len(numbers) == 0 {
			seats = append(seats, s.Seat)
		}
	}
	for _, n := range numbers {
		i := slices.IndexFunc(b.cfg.Seats, func(s SeatConfig) bool { return strconv.Itoa(int(s.Seat)) == n && s.Node != 0 })
		if i < 0 {
			return nil, usageError{fmt.Errorf("seat %q has no node in the configuration", n)}
		}
		seats = append(seats, b.cfg.Seats[i].Seat)
	}
	return seats, nil
}

// nodeReport is one node.
type nodeReport struct {
	UID     string      `json:"uid"`
	Address bridge.Addr `json:"address"`        // 15 for none
	Seat    engine.Seat `json:"seat,omitempty"` // 0 where the configuration has none for the address
	Version string      `json:"version"`
	Schema  string      `json:"schema"`
	// Result is ok; or seatless, without a seat; or twice, at an address that another node has too; or foreign, with firmware
	// that this program does not talk to.
	Result string `json:"result"`
}

func (r nodeReport) String() string {
	place := "no seat"
	switch {
	case r.Seat != 0:
		place = fmt.Sprintf("seat %d", r.Seat)
	case r.Address != bridge.Nameless:
		place = fmt.Sprintf("address %d", r.Address)
	}
	return fmt.Sprintf("%s  %-10s  firmware %-5s  table %s  %s", r.UID, place, r.Version, r.Schema, r.Result)
}

func (b *seatBusTools) report(id bridge.Identity, at bridge.Addr) nodeReport {
	r := nodeReport{
		UID: fmt.Sprintf("%016x", id.UID), Address: at, Seat: b.seatOf(at), Schema: fmt.Sprintf("%08x", id.Schema), Result: "ok",
		Version: fmt.Sprintf("%d.%d", id.Version>>8, id.Version&0xFF),
	}
	switch {
	case id.Schema != bridge.SchemaHash():
		r.Result = "foreign"
	case r.Seat == 0:
		r.Result = "seatless"
	}
	return r
}

// everywhere gives do the nodes at each address where there are any.
func (b *seatBusTools) everywhere(do func(at bridge.Addr, nodes []bridge.Identity)) error {
	bar := newProgress(b.cmd, int(bridge.Nameless), "addresses")
	defer bar.clear()
	for at := bridge.FirstAddr; at <= bridge.Nameless; at++ {
		nodes, err := b.line.Find(b.ctx, at)
		if err != nil {
			return err
		}
		do(at, nodes)
		bar.step()
	}
	return nil
}

// list prints every node. It is an error if two share an address, or one has foreign firmware.
func (b *seatBusTools) list() error {
	var all []nodeReport
	err := b.everywhere(func(at bridge.Addr, nodes []bridge.Identity) {
		for _, id := range nodes {
			r := b.report(id, at)
			if len(nodes) > 1 && at != bridge.Nameless {
				r.Result = "twice"
			}
			all = append(all, r)
		}
	})
	if err == nil && len(all) == 0 {
		err = errors.New("no node answers; check the bus's power, wiring and termination")
	}
	for _, r := range all {
		b.out.print(r, r.String())
		if err == nil && (r.Result == "twice" || r.Result == "foreign") {
			err = errReported
		}
	}
	return err
}

// move gives a node a seat; 0 takes it away.
func (b *seatBusTools) move(uid uint64, seat engine.Seat) error {
	var found []bridge.Addr
	err := b.everywhere(func(at bridge.Addr, nodes []bridge.Identity) {
		if slices.ContainsFunc(nodes, func(id bridge.Identity) bool { return id.UID == uid }) {
			found = append(found, at)
		}
	})
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return fmt.Errorf("no node %016x on the bus; tavolo node list prints those that are", uid)
	}
	to := b.address(seat)
	if found[0] != to {
		if err := b.line.Move(b.ctx, uid, found[0], to); err != nil {
			return err
		}
	}
	nodes, err := b.line.Find(b.ctx, to)
	for _, id := range nodes {
		if id.UID == uid {
			r := b.report(id, to)
			b.out.print(r, r.String())
		}
	}
	return err
}

// updated is how the update of a node ended.
type updated struct {
	Seat   engine.Seat `json:"seat"`
	Result string      `json:"result"` // ok or failed
	Error  string      `json:"error,omitempty"`
	*nodeReport
}

func (u updated) String() string {
	if u.nodeReport == nil {
		return fmt.Sprintf("seat %d: %s", u.Seat, u.Error)
	}
	return fmt.Sprintf("seat %d: node %s runs firmware %s", u.Seat, u.UID, u.Version)
}

// update brings the nodes of seats up to date, one after the other. One that fails does not keep the others from it.
func (b *seatBusTools) update(seats []engine.Seat, image []byte) (failed error) {
	for _, seat := range seats {
		bar := newProgress(b.cmd, len(image), fmt.Sprintf("bytes to seat %d", seat))
		id, err := b.line.Update(b.ctx, b.address(seat), image, bar.to)
		bar.clear()
		if b.ctx.Err() != nil {
			return err
		}
		u := updated{Seat: seat, Result: "ok"}
		if err != nil {
			u.Result, u.Error, failed = "failed", err.Error(), errReported
		} else {
			r := b.report(id, b.address(seat))
			u.nodeReport = &r
		}
		b.out.print(u, u.String())
		if err := b.out.Flush(); err != nil {
			return err
		}
	}
	return failed
}
