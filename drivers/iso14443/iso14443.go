// Package iso14443 is what a reader chip and its host say to ISO/IEC 14443 type A tags until each has told its UID. It
// knows no chip.
//
// A tag that is woken is selected by its UID, 4 bytes of it a cascade level: the host names the bits it knows, and the
// tags that have them tell the others. Where two differ they collide, and the host goes on with those that have a 1
// there. A tag that is found is halted, and keeps quiet while the others are looked for. [List] finds all.
//
// Source: ISO/IEC 14443-3; NXP, AN10833 and AN10927.
package iso14443

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"tavolo/drivers/crc"
)

// Commands. The first two are short, of 7 bits.
const (
	CmdRequest = 0x26 // wakes tags that were not halted
	CmdWakeUp  = 0x52 // wakes all
	CmdSelect  = 0x93 // 95 and 97 on the second and third cascade level
	CmdRead    = 0x30 // page
	CmdHalt    = 0x50
)

// CascadeTag is the first byte of a level that is not the last.
const CascadeTag = 0x88

// ShortBits is how many bits a short command has.
const ShortBits = 7

// cascade is the bit of a tag's answer to its selection that says there is another level.
const cascade = 0x04

const (
	levels  = 3
	uidBits = 32     // of a level
	whole   = 7 << 4 // valid bits of a selection: 7 bytes
)

// AppendCRC appends the checksum of a frame, low byte first.
func AppendCRC(frame []byte) []byte {
	return binary.LittleEndian.AppendUint16(frame, crc.ISO14443A(frame))
}

// CheckCRC gives a frame without its checksum.
func CheckCRC(frame []byte) ([]byte, error) {
	n := len(frame) - 2
	if n < 0 || binary.LittleEndian.Uint16(frame[n:]) != crc.ISO14443A(frame[:n]) {
		return nil, fmt.Errorf("%w: wrong checksum", ErrAnswer)
	}
	return frame[:n], nil
}

// Halt is the frame that halts the tag that was selected. No tag answers it.
func Halt() []byte { return AppendCRC([]byte{CmdHalt, 0}) }

// Read is the frame that reads four pages of the tag that was selected.
func Read(page byte) []byte { return AppendCRC([]byte{CmdRead, page}) }

// Select is the frame that selects the tag with these four bytes of its UID on a cascade level, from 0.
func Select(level int, part [4]byte) []byte {
	return AppendCRC(append(append([]byte{selection(level), whole}, part[:]...), check(part)))
}

// selection is the code of a cascade level.
func selection(level int) byte { return byte(CmdSelect + 2*level) }

// check is the byte that follows four bytes of a UID.
func check(part [4]byte) byte { return part[0] ^ part[1] ^ part[2] ^ part[3] }

// Frame is what is sent to tags.
type Frame struct {
	Data []byte
	// Bits is how many bits of the last byte are sent, low ones first; 0 for all.
	Bits int
	// Align is where in the first byte of the answer its first bit goes.
	Align int
}

// Answer is what is heard.
type Answer struct {
	Data []byte
	// Collision is the first bit of the frame, from 1, at which tags differed, 0 for none. Bits from there on are worthless.
	Collision int
}

// Chip sends a frame to the tags and hears their answer. Where none answers the error is ErrNone; a parity or other
// fault in the answer makes it ErrAnswer.
type Chip interface {
	Exchange(ctx context.Context, f Frame) (Answer, error)
}

var (
	// ErrNone says that no tag answers.
	ErrNone = errors.New("no tag answers")
	// ErrAnswer says that something was heard that no tag says, or that a tag stopped half-way.
	ErrAnswer = errors.New("answer that makes no sense")
)

// maxTags bounds a list.
const maxTags = 32

// List finds every tag in the field, which must just have been put on: a tag that was halted before, and was woken but
// not chosen, would go back to be halted. Tags are left halted. The list is partial where a tag came twice, since then
// halting does not work on it and others behind it stay hidden.
func List(ctx context.Context, c Chip) (uids [][]byte, partial bool, err error) {
	wake := byte(CmdWakeUp)
	for range maxTags {
		_, err := c.Exchange(ctx, Frame{Data: []byte{wake}, Bits: ShortBits})
		if errors.Is(err, ErrNone) {
			return uids, false, nil
		}
		if err != nil && !errors.Is(err, ErrAnswer) { // tags of several kinds together answer anything
			return nil, false, err
		}
		uid, err := choose(ctx, c)
		if err != nil {
			return nil, false, err
		}
		if slices.ContainsFunc(uids, func(u []byte) bool { return slices.Equal(u, uid) }) {
			return uids, true, nil
		}
		uids = append(uids, uid)
		if _, err := c.Exchange(ctx, Frame{Data: Halt()}); err == nil {
			return nil, false, fmt.Errorf("%w: to being halted", ErrAnswer)
		} else if !errors.Is(err, ErrNone) {
			return nil, false, err
		}
		wake = CmdRequest
	}
	return uids, true, nil
}

// choose selects one of the tags that are awake.
func choose(ctx context.Context, c Chip) (uid []byte, err error) {
	for level := range levels {
		part, err := resolve(ctx, c, level)
		if err != nil {
			return nil, err
		}
		ack, err := exchange(ctx, c, Frame{Data: Select(level, part)})
		if err != nil {
			return nil, err
		}
		ack.Data, err = CheckCRC(ack.Data)
		if err != nil || len(ack.Data) != 1 || ack.Collision != 0 {
			return nil, fmt.Errorf("%w: %d bytes to a selection", ErrAnswer, len(ack.Data))
		}
		if ack.Data[0]&cascade == 0 {
			return append(uid, part[:]...), nil
		}
		if part[0] != CascadeTag {
			return nil, fmt.Errorf("%w: another level behind a whole UID", ErrAnswer)
		}
		uid = append(uid, part[1:]...)
	}
	return nil, fmt.Errorf("%w: a fourth level", ErrAnswer)
}

// resolve finds four bytes of the UID of one of the tags that are awake. From the first collision on it goes bit by bit,
// trying a 1 first: what chips call the place of a collision is certain only while nothing was known before.
func resolve(ctx context.Context, c Chip, level int) (part [4]byte, err error) {
	for known := 0; known <= uidBits; {
		answer, err := c.Exchange(ctx, ask(level, part, known))
		switch {
		case errors.Is(err, ErrNone) && known > 0 && bit(part, known-1):
			flip(&part, known-1) // then all have a 0 there
			continue
		case errors.Is(err, ErrNone):
			return part, fmt.Errorf("%w: %w", ErrAnswer, err)
		case err != nil:
			return part, err
		case answer.Collision == 0:
			return complete(part, known, answer.Data)
		case known > 0:
			known++
		case answer.Collision > uidBits || len(answer.Data) < (answer.Collision+7)/8:
			return part, fmt.Errorf("%w: collision at bit %d", ErrAnswer, answer.Collision)
		default:
			known = answer.Collision
			copy(part[:], answer.Data[:(known+7)/8])
			part[(known-1)/8] &= 1<<((known-1)%8) - 1
		}
		if known <= uidBits {
			flip(&part, known-1) // from 0 to 1
		}
	}
	return part, fmt.Errorf("%w: collision behind the last bit of a UID", ErrAnswer)
}

// ask is the frame that asks for what follows the bits known.
func ask(level int, part [4]byte, known int) Frame {
	valid := byte(2+known/8)<<4 | byte(known%8)
	data := append([]byte{selection(level), valid}, part[:(known+7)/8]...)
	return Frame{Data: data, Bits: known % 8, Align: known % 8}
}

// complete puts the bits heard behind those known, and holds them against their check byte.
func complete(part [4]byte, known int, heard []byte) ([4]byte, error) {
	if len(heard) != 5-known/8 {
		return part, fmt.Errorf("%w: %d bytes of a UID", ErrAnswer, len(heard))
	}
	var all [5]byte
	copy(all[:], part[:])
	first := heard[0] >> (known % 8) << (known % 8)
	all[known/8] |= first
	copy(all[known/8+1:], heard[1:])
	part = [4]byte(all[:4])
	if check(part) != all[4] {
		return part, fmt.Errorf("%w: wrong check byte of a UID", ErrAnswer)
	}
	return part, nil
}

// exchange is for when a tag must answer.
func exchange(ctx context.Context, c Chip, f Frame) (Answer, error) {
	a, err := c.Exchange(ctx, f)
	if errors.Is(err, ErrNone) {
		err = fmt.Errorf("%w: %w", ErrAnswer, err)
	}
	return a, err
}

func bit(part [4]byte, i int) bool { return part[i/8]>>(i%8)&1 == 1 }

func flip(part *[4]byte, i int) { part[i/8] ^= 1 << (i % 8) }
