package panel_test

import (
	"errors"
	"testing"
	"time"

	"tavolo/drivers/drivertest"
	"tavolo/drivers/panel"
	"tavolo/drivers/sim"
)

// A panel's keys and lamps are lines of the kernel's GPIO, whose chip is taken away and comes back.
func TestOnTheBoardLines(t *testing.T) {
	if !sim.HasGPIO() {
		t.Skip("not on the virtual board: make test-board")
	}
	drivertest.TestContacts(t, drivertest.RealTime, func(t *testing.T) drivertest.Contacts {
		do := func(err error) {
			if err != nil {
				t.Error(err)
			}
		}
		var chip *sim.GPIO
		open := [2]bool{true, true} // contacts
		pull := func() { do(errors.Join(chip.Pull(0, open[0]), chip.Pull(1, open[1]))) }
		plug := func() {
			var err error
			if chip, err = sim.NewGPIO("panel", "FOLD", "CALL", "FOLD_LAMP", "CALL_LAMP"); err != nil {
				t.Fatal(err)
			}
			pull()
		}
		unplug := func() {
			if chip != nil {
				do(chip.Close())
			}
			chip = nil
		}
		plug()
		t.Cleanup(unplug)
		lines := panel.Lines{Chip: "panel", Contacts: []string{"FOLD", "CALL"}, Lamps: []string{"FOLD_LAMP", "CALL_LAMP"}}
		d, _ := driver(t, func() (panel.Wires, error) { return panel.GPIO(lines) }, func() uint64 {
			if chip == nil {
				return 0
			}
			lit, err := chip.Levels(2, 2)
			do(err)
			return lit
		})
		return drivertest.Contacts{
			Driver: d, Keeps: 66, Unplug: unplug, Plug: plug,
			Set: func(contact int, on bool) {
				open[contact] = !on
				if chip != nil {
					pull()
					<-time.After(40 * time.Millisecond) // for the kernel to take it for no bounce, busy as it may be
				}
			},
		}
	})
}
