package port

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// serialDevices is where the kernel keeps the settings of USB adapters.
const serialDevices = "/sys/bus/usb-serial/devices"

// Advice says what would make the port at a path answer sooner, "" where there is nothing to say. An FTDI adapter holds
// an answer back for 16 ms unless it is told otherwise.
func Advice(path string) string { return advice(serialDevices, path) }

func advice(devices, path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	file := filepath.Join(devices, filepath.Base(real), "latency_timer")
	text, err := os.ReadFile(file)
	if err != nil {
		return "" // no FTDI adapter
	}
	ms, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || ms <= 1 {
		return ""
	}
	return fmt.Sprintf("the adapter holds answers back for %d ms: write 1 to %s, best by a rule of udev", ms, file)
}
