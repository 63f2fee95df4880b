// Command guest is the first process of the virtual board, see cmd/board. It makes the hardware and runs the tests.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

func main() {
	if err := setUp(); err != nil {
		fmt.Printf("BOARD FAIL setting up: %v\n", err)
	} else {
		runAll()
		fmt.Println("BOARD done")
	}
	unix.Sync()
	time.Sleep(100 * time.Millisecond) // for the console to send the rest
	_ = unix.Reboot(unix.LINUX_REBOOT_CMD_RESTART)
	select {} // the kernel must not lose its first process before it restarts
}

func setUp() error {
	for _, m := range []struct{ kind, at string }{
		{"proc", "/proc"}, {"sysfs", "/sys"}, {"devtmpfs", "/dev"}, {"devpts", "/dev/pts"}, {"tmpfs", "/tmp"},
	} {
		if err := mount(m.kind, m.at); err != nil {
			return err
		}
	}
	for _, name := range []string{
		"configfs", "i2c-dev", "spidev", "industrialio", "kfifo_buf", "industrialio-triggered-buffer", "nau7802", "hx711", "gpio-sim", "hwsim",
	} {
		if err := load("/modules/" + name + ".ko"); err != nil {
			return err
		}
	}
	if err := mount("configfs", "/sys/kernel/config"); err != nil {
		return err
	}
	return errors.Join(loopback(), cables(), transceiver("/dev/near/3"))
}

func mount(kind, at string) error {
	if err := os.MkdirAll(at, 0o755); err != nil {
		return err
	}
	if err := unix.Mount(kind, at, kind, 0, ""); err != nil && !errors.Is(err, unix.EBUSY) {
		return fmt.Errorf("mount %s: %w", at, err)
	}
	return nil
}

// load loads a module, unless it is a part of the kernel.
func load(path string) error {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	err = unix.FinitModule(int(f.Fd()), "", 0)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("load %s: %w", path, err)
	}
	return nil
}

// loopback switches the network 127.0.0.1 on.
func loopback() error {
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	defer unix.Close(s)
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	lo.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(s, unix.SIOCSIFFLAGS, lo)
}

// cables gives the UARTs of the cards in the board's slots names. They are wired in pairs, in their order.
func cables() error {
	ports, err := filepath.Glob("/sys/bus/pci/drivers/serial/*/tty/ttyS*")
	if err != nil {
		return err
	}
	sort.Slice(ports, func(i, j int) bool { // by card, then by number
		a, b := filepath.Dir(ports[i]), filepath.Dir(ports[j])
		if a != b {
			return a < b
		}
		x, y := filepath.Base(ports[i]), filepath.Base(ports[j])
		return len(x) < len(y) || len(x) == len(y) && x < y
	})
	if len(ports) == 0 || len(ports)%2 != 0 {
		return fmt.Errorf("UARTs in pairs are missing, there are %q", ports)
	}
	for i, p := range ports {
		end := []string{"near", "far"}[i%2]
		if err := os.MkdirAll("/dev/"+end, 0o755); err != nil {
			return err
		}
		if err := os.Symlink("/dev/"+filepath.Base(p), fmt.Sprintf("/dev/%s/%d", end, i/2)); err != nil {
			return err
		}
	}
	return nil
}

// transceiver has the driver of a UART switch a transceiver by RTS, as that of many boards does. This board's does not by
// itself.
func transceiver(path string) error {
	name, err := os.Readlink(path)
	if err != nil {
		return err
	}
	line := strings.TrimPrefix(name, "/dev/ttyS")
	return os.WriteFile("/sys/module/hwsim/parameters/rs485", []byte(line), 0)
}

// runAll runs each package's tests, in the order of their names.
func runAll() {
	tests, err := filepath.Glob("/tests/*/test")
	if err != nil || len(tests) == 0 {
		fmt.Printf("BOARD FAIL no tests, %v\n", err)
	}
	for _, test := range tests {
		dir := filepath.Dir(test)
		arguments, err := os.ReadFile(filepath.Join(dir, "arguments"))
		if err != nil {
			fmt.Printf("BOARD FAIL %v\n", err)
			continue
		}
		cmd := exec.Command(test, append([]string{"-test.v", "-test.timeout=10m"}, strings.Split(string(arguments), "\n")...)...)
		cmd.Dir, cmd.Stdout, cmd.Stderr = dir, os.Stdout, os.Stdout
		cmd.Env = []string{"HOME=/tmp", "PATH=/"}
		began := time.Now()
		verdict := "ok "
		if err := cmd.Run(); err != nil {
			verdict = fmt.Sprintf("FAIL (%v)", err)
		}
		fmt.Printf("BOARD %s %s %.1fs\n", verdict, filepath.Base(dir), time.Since(began).Seconds())
	}
}
