package gpiocdev

import (
	"errors"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What follows is the character device ABI v2 as linux/gpio.h has it since kernel 5.10. Sizes and offsets are the same on
// every architecture, and abi_test.go holds them against the header's.

const (
	maxLines = 64 // of one request
	nameSize = 32
	maxAttrs = 10
)

// The requests, as _IOR and _IOWR of type 0xB4 make them: direction, size, type, number.
const (
	ioctlChipInfo  = 0x8044_B401
	ioctlLineInfo  = 0xC100_B405
	ioctlGetLine   = 0xC250_B407
	ioctlGetValues = 0xC010_B40E
	ioctlSetValues = 0xC010_B40F
)

const (
	flagUsed         = 1 << 0
	flagActiveLow    = 1 << 1
	flagInput        = 1 << 2
	flagOutput       = 1 << 3
	flagEdgeRising   = 1 << 4
	flagEdgeFalling  = 1 << 5
	flagOpenDrain    = 1 << 6
	flagBiasPullUp   = 1 << 8
	flagBiasPullDown = 1 << 9
	flagBiasDisabled = 1 << 10
)

const (
	attrOutputValues = 2
	attrDebounce     = 3
)

// Events tell logical edges: rising is from inactive to active, whatever the wire does.
const (
	eventRising  = 1
	eventFalling = 2
)

type chipInfo struct {
	name, label [nameSize]byte
	lines       uint32
}

type lineAttribute struct {
	id, _ uint32
	value uint64 // flags, values of outputs, or the debounce time in µs
}

type configAttribute struct {
	lineAttribute
	mask uint64 // of the lines it is for, by their place in the request
}

type lineRequest struct {
	offsets  [maxLines]uint32
	consumer [nameSize]byte
	flags    uint64
	attrsN   uint32
	_        [5]uint32
	attrs    [maxAttrs]configAttribute
	linesN   uint32
	buffer   uint32 // events the kernel keeps; 0 for 16 a line
	_        [5]uint32
	fd       int32 // of the lines, from the kernel
}

type lineInfo struct {
	name, consumer [nameSize]byte
	offset, _      uint32
	flags          uint64
	attrs          [maxAttrs]lineAttribute
	_              [4]uint32
}

type lineValues struct{ bits, mask uint64 }

type lineEvent struct {
	At             uint64 // CLOCK_MONOTONIC, ns
	ID, Offset     uint32
	Seqno, LineSeq uint32 // count up from 1, over all lines of the request and for the line
	_              [6]uint32
}

const eventSize = int(unsafe.Sizeof(lineEvent{}))

// ioctl passes a struct to the kernel and back.
func ioctl[T any](f *os.File, request uint, arg *T) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var errno unix.Errno
	err = conn.Control(func(fd uintptr) {
		_, _, errno = unix.Syscall(unix.SYS_IOCTL, fd, uintptr(request), uintptr(unsafe.Pointer(arg)))
	})
	if errno != 0 {
		return errors.Join(err, errno)
	}
	return err
}

func text(b [nameSize]byte) string { return unix.ByteSliceToString(b[:]) }
