package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// Disk is what Probe found out about the place of a journal.
type Disk struct {
	Free, Size uint64          // bytes
	Syncs      []time.Duration // how long each of some appends with their sync took, shortest first
}

// Probe appends so many records, of the size that an event has.
const probes, probeSize = 64, 440

// Probe finds out whether a journal can be kept in dir, and how long an append takes there. It locks dir as Open does, so the
// error is [ErrLocked] while a journal is open there, and leaves one that is there as it is. Where there is no dir yet its
// parent is tried, and no dir is made.
func Probe(dir string) (d Disk, err error) {
	held, err := lock(dir)
	if errors.Is(err, fs.ErrNotExist) {
		held, err = os.Open(filepath.Dir(filepath.Clean(dir)))
	}
	if err != nil {
		return Disk{}, err
	}
	defer func() { err = errors.Join(err, held.Close()) }()
	var disk unix.Statfs_t
	if err := unix.Statfs(held.Name(), &disk); err != nil {
		return Disk{}, fmt.Errorf("journal: space at %s: %w", held.Name(), err)
	}
	d.Free, d.Size = disk.Bavail*uint64(disk.Bsize), disk.Blocks*uint64(disk.Bsize)
	d.Syncs, err = probe(held)
	if err != nil {
		return d, fmt.Errorf("journal: %w", err)
	}
	return d, nil
}

// InUse is whether a journal is open in dir, in this process or in another.
func InUse(dir string) bool {
	held, err := lock(dir)
	if err != nil {
		return errors.Is(err, ErrLocked)
	}
	_ = held.Close() // it was opened to be read
	return false
}

// probe writes a file in dir as a segment is written, and takes it away.
func probe(dir *os.File) (took []time.Duration, err error) {
	f, err := os.CreateTemp(dir.Name(), "probe-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name()), dir.Sync()) }()
	record := bytes.Repeat([]byte("x"), probeSize)
	for range probes {
		began := time.Now()
		if _, err := f.Write(record); err != nil {
			return nil, err
		}
		if err := unix.Fdatasync(int(f.Fd())); err != nil {
			return nil, err
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	return took, nil
}
