package main

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// pack writes a folder as an archive the kernel takes for its first file system: cpio, "new ASCII" format, as in the
// kernel's Documentation/driver-api/early-userspace/buffer-format.rst. All belongs to root.
func pack(image, root string) (err error) {
	f, err := os.Create(image)
	if err != nil {
		return err
	}
	defer func() {
		if closed := f.Close(); err == nil {
			err = closed
		}
	}()
	a := archive{w: bufio.NewWriter(f)}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == root {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return a.add(name, 0o040755, nil)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return a.add(name, 0o100755, data)
	})
	if err == nil {
		err = a.add("TRAILER!!!", 0, nil)
	}
	if err != nil {
		return err
	}
	return a.w.Flush()
}

type archive struct {
	w       *bufio.Writer
	entries int
}

// add writes a file, or a folder. Header with name, and data, are each filled up to a multiple of four bytes.
func (a *archive) add(name string, mode int, data []byte) error {
	a.entries++
	const headLen = 110
	fields := []int{a.entries, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0}
	fmt.Fprint(a.w, "070701")
	for _, v := range fields {
		fmt.Fprintf(a.w, "%08x", v)
	}
	fmt.Fprint(a.w, name, "\x00")
	pad(a.w, headLen+len(name)+1)
	if _, err := a.w.Write(data); err != nil {
		return err
	}
	pad(a.w, len(data))
	return nil
}

func pad(w io.Writer, n int) {
	_, _ = w.Write(make([]byte, -n&3)) // a bufio.Writer keeps its error for Flush
}
