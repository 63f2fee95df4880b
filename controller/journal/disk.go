package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// makeDir makes dir, if it does not exist, so that it is there after a power cut.
func makeDir(dir string) error {
	err := os.Mkdir(dir, 0o700)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	parent, err := os.Open(filepath.Dir(filepath.Clean(dir)))
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	if err := errors.Join(parent.Sync(), parent.Close()); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	return nil
}

// lock opens dir and locks it against every other opener until it is closed. The kernel drops the lock of a process
// that dies.
func lock(dir string) (*os.File, error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	err = unix.Flock(int(d.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		err = ErrLocked
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("journal: lock %s: %w", dir, err), d.Close())
	}
	return d, nil
}

// place makes a file in dir that, whenever the power goes, is there with all of data or not at all.
func place(dir *os.File, name string, data []byte, perm fs.FileMode) error {
	fresh := filepath.Join(dir.Name(), "new") // a power cut leaves at most this one behind
	if err := os.Remove(fresh); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(fresh, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(fresh, filepath.Join(dir.Name(), name)); err != nil {
		return err
	}
	return dir.Sync()
}
