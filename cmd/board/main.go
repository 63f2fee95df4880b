// Command board runs tests on the virtual board: a Linux whose GPIO lines, I2C and SPI buses and UARTs are real to every
// program, with simulated chips at their far ends. It is Debian's kernel in an emulator, without anything of this
// machine's kernel, so it runs where there is no such hardware and no right to load modules.
//
// The tests are those of the drivers and of the daemon that ask for such hardware, and skip elsewhere. They are built
// into a file system for the guest, whose first process (folder guest) loads the modules and runs them one package after
// the other. A test that skips on the board fails the run: here nothing is missing.
// With -bench it runs benchmarks instead: what a way through the kernel takes.
//
// The kernel and its modules are made once by kernel/build, from what apt has, and kept in the user's cache directory.
package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// suites are the tests for the board: a package, and which of its tests.
var suites = []suite{
	{"./cmd/board/guest", "."},
	{"./cmd/tavolo", "^TestOnTheBoard"},
	{"./drivers/feig", onUARTs},
	{"./drivers/gpiocdev", "."},
	{"./drivers/lamp", "^TestOnTheBoard"},
	{"./drivers/loadcell", "^TestOnTheBoard"},
	{"./drivers/panel", "^TestOnTheBoard"},
	{"./drivers/port", "^TestOnTheBoard"},
	{"./drivers/screen", "^TestOnTheBoard"},
	{"./drivers/uhf", onUARTs},
}

// onUARTs are those of the readers' tests that have to do with the cable: the others only wait for a reader.
const onUARTs = "^TestOnTheBoard/^(TagsComeAndGo|UnpluggedAndBack)$"

type suite struct{ pkg, run string }

// name is the suite's in the guest.
func (s suite) name() string { return strings.ReplaceAll(strings.TrimPrefix(s.pkg, "./"), "/", "-") }

// nullModems is how many pairs of UARTs the board has, besides the console. Two are on one emulated card with four ports.
const nullModems = 4

// cannotBeMade is the exit status of kernel/build on a machine that is not for it.
const cannotBeMade = 3

func main() {
	verbose := flag.Bool("v", false, "print all that the board says")
	only := flag.String("only", "", "the package whose tests are run, as ./drivers/port; all of them by default")
	bench := flag.String("bench", "", "run these benchmarks instead of tests, a regular expression, and print their figures")
	rounds := flag.Int("rounds", 200, "how often a benchmark does what it measures")
	limit := flag.Duration("timeout", 20*time.Minute, "what the board may take once it is switched on")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if *only != "" {
		suites = slices.DeleteFunc(suites, func(s suite) bool { return s.pkg != *only })
	}
	arguments := func(s suite) string { return "-test.run=" + s.run }
	if *bench != "" {
		arguments = func(suite) string {
			return fmt.Sprintf("-test.run=^$\n-test.timeout=0\n-test.benchtime=%dx\n-test.bench=%s", *rounds, *bench)
		}
	}
	if err := run(ctx, arguments, *verbose || *bench != "", *limit); err != nil {
		fmt.Fprintf(os.Stderr, "board: %v\n", err)
		os.Exit(1)
	}
}

// run runs the suites, each with arguments, one a line.
func run(ctx context.Context, arguments func(suite) string, verbose bool, limit time.Duration) error {
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	kernel := filepath.Join(cache, "tavolo", "board")
	err = say(ctx, "cmd/board/kernel/build", kernel)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == cannotBeMade {
		fmt.Printf("skipped, there can be no virtual board here: %v\n", err)
		return nil
	}
	if err != nil {
		return fmt.Errorf("kernel: %w", err)
	}
	work, err := os.MkdirTemp("", "board-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	root := filepath.Join(work, "root")
	if err := fill(ctx, root, kernel, arguments); err != nil {
		return fmt.Errorf("file system: %w", err)
	}
	image := filepath.Join(work, "root.cpio")
	if err := pack(image, root); err != nil {
		return fmt.Errorf("file system: %w", err)
	}
	ctx, stop := context.WithTimeout(ctx, limit)
	defer stop()
	return boot(ctx, filepath.Join(kernel, "vmlinuz"), image, work, verbose)
}

// say runs a program, and shows what it says only if it fails.
func say(ctx context.Context, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // there is no C library on the board
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(append([]string{name}, args...), " "), err, out)
	}
	return nil
}

// fill makes the file system: /init, /modules, and for each suite a folder of /tests with the test program, its arguments,
// and the package's testdata.
func fill(ctx context.Context, root, kernel string, arguments func(suite) string) error {
	for _, dir := range []string{"dev", "proc", "sys", "tmp", "modules", "tests"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			return err
		}
	}
	modules, err := filepath.Glob(filepath.Join(kernel, "*.ko"))
	if err != nil {
		return err
	}
	for _, m := range modules {
		if err := copyFile(m, filepath.Join(root, "modules", filepath.Base(m))); err != nil {
			return err
		}
	}
	if err := say(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", filepath.Join(root, "init"), "./cmd/board/guest"); err != nil {
		return err
	}
	for _, s := range suites {
		dir := filepath.Join(root, "tests", s.name())
		if err := os.Mkdir(dir, 0o755); err != nil {
			return err
		}
		if err := say(ctx, "go", "test", "-c", "-ldflags", "-s -w", "-o", filepath.Join(dir, "test"), s.pkg); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, "arguments"), []byte(arguments(s)), 0o644); err != nil {
			return err
		}
		data := filepath.Join(s.pkg, "testdata")
		if _, err := os.Stat(data); errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err := os.CopyFS(filepath.Join(dir, "testdata"), os.DirFS(data)); err != nil {
			return err
		}
	}
	return nil
}

// copyFile puts a copy of a file somewhere.
func copyFile(from, to string) error {
	b, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, b, 0o644)
	}
	return err
}

// boot switches the board on, and returns when it has switched itself off. The error says which tests failed.
func boot(ctx context.Context, kernel, image, work string, verbose bool) error {
	args := []string{
		"-accel", "tcg", "-M", "pc", "-smp", "2", "-m", "768", "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
		"-kernel", kernel, "-initrd", image,
		"-append", "console=ttyS0,115200 quiet panic=-1 mitigations=off 8250.nr_uarts=32",
		"-chardev", "stdio,id=console,signal=off", "-device", "isa-serial,chardev=console",
	}
	var ports []string
	for i := range nullModems {
		socket := filepath.Join(work, fmt.Sprint("uart", i))
		args = append(
			args, "-chardev", fmt.Sprintf("socket,id=near%d,path=%s,server=on,wait=off", i, socket),
			"-chardev", fmt.Sprintf("socket,id=far%d,path=%s", i, socket),
		)
		ports = append(ports, fmt.Sprint("near", i), fmt.Sprint("far", i))
	}
	for ; len(ports) >= 4; ports = ports[4:] {
		args = append(args, "-device", fmt.Sprintf("pci-serial-4x,chardev1=%s,chardev2=%s,chardev3=%s,chardev4=%s",
			ports[0], ports[1], ports[2], ports[3]))
	}
	cmd := exec.CommandContext(ctx, "qemu-system-x86_64", args...)
	cmd.Stderr = os.Stderr
	console, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%w; .ci/tools installs it", err)
	}
	verdict := judge(console, os.Stdout, verbose)
	err = cmd.Wait()
	if ctx.Err() != nil {
		err = fmt.Errorf("not done in time: %w", ctx.Err())
	}
	return errors.Join(verdict, err)
}

// judge reads the console to its end. Of a package that passes it prints one line, of one that fails all it said.
func judge(console io.Reader, out io.Writer, verbose bool) error {
	var said bytes.Buffer // since the latest verdict
	done, faults := false, 0
	lines := bufio.NewScanner(console)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := strings.TrimRight(lines.Text(), "\r")
		fmt.Fprintln(&said, line)
		if verbose {
			fmt.Fprintln(out, line)
		}
		verdict, is := strings.CutPrefix(line, "BOARD ")
		if !is {
			continue
		}
		if verdict == "done" {
			done = true
			continue
		}
		if bad := !strings.HasPrefix(verdict, "ok "); bad || broken(said.String()) {
			faults++
			if !verbose {
				_, _ = said.WriteTo(out) // of the terminal
			}
		}
		fmt.Fprintln(out, verdict)
		said.Reset()
	}
	switch {
	case !done:
		return fmt.Errorf("the board stopped before its tests were done; it said last:\n%s", said.String())
	case faults > 0:
		return fmt.Errorf("%d packages failed on the board", faults)
	}
	return lines.Err()
}

// broken is whether a test skipped, or the kernel complained.
func broken(said string) bool {
	for _, mark := range []string{"--- SKIP", "BUG: ", "WARNING: CPU", "Oops: "} {
		if strings.Contains(said, mark) {
			return true
		}
	}
	return false
}
