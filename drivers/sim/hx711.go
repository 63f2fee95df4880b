package sim

import (
	"os"
	"strconv"
)

// HX711 is that converter with a load cell at its input A, as the virtual board has one: its clock is too fast for a program,
// so the module hwsim plays it, and this says what. Its device is [HX711Device].
type HX711 struct{}

// HX711Device is the folder of the converter, which the kernel's driver has made.
const HX711Device = "/sys/bus/platform/devices/hx711-gpio"

const hx711 = "/sys/module/hwsim/parameters/hx711"

// Lay has it read so much at a gain of 128; what does not fit in 24 bits overloads it. Its wires are mended.
func (HX711) Lay(reading int64) error {
	return os.WriteFile(hx711, strconv.AppendInt(nil, reading, 10), 0)
}

// Unplug takes its wires off.
func (HX711) Unplug() error { return os.WriteFile(hx711, []byte("gone"), 0) }
