// Package iso15693 is what a reader chip and its host say to ISO/IEC 15693 tags: requests, answers and their checksum,
// and the walk by which an inventory finds every tag however many answer at once. It knows no chip.
//
// An inventory asks all tags whose UID ends in certain bits, the mask, to answer, each in one of 16 time slots, chosen by
// the next four bits of its UID. Where two answer in one slot they collide, and the inventory is taken again with the mask
// four bits longer: [Walk] does that until every branch is resolved.
//
// Source: ISO/IEC 15693-3; NXP, ICODE SLIX data sheets.
package iso15693

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"tavolo/drivers/crc"
)

// UID is a tag's identifier. Its highest byte is E0 hex, its next one the maker.
type UID uint64

// String gives the UID as labels do: 16 hexadecimal digits, highest first.
func (u UID) String() string { return fmt.Sprintf("%016X", uint64(u)) }

// Flags of a request. One bit means two things, as the inventory flag says.
const (
	HighRate  = 0x02
	IsScan    = 0x04 // an inventory follows
	HasAFI    = 0x10 // with IsScan: only tags of one family of applications
	OneSlot   = 0x20 // with IsScan: one slot instead of 16
	Addressed = 0x20 // without: for the tag with the UID that follows
)

// Commands.
const (
	CmdInventory  = 0x01
	CmdStayQuiet  = 0x02
	CmdReadSingle = 0x20
)

// Gaming is the application family of tags for games of chance, cards and chips.
const Gaming = 0x70

// Slots is how many time slots an inventory has.
const Slots = 16

// slotBits is how many bits of the UID choose the slot.
const slotBits = 4

// Mask is the lowest bits of a UID: those of the tags that are asked.
type Mask struct {
	Bits  int // 0 to 60
	Value uint64
}

// next is the mask of the tags that answer in a slot.
func (m Mask) next(slot int) Mask { return Mask{m.Bits + slotBits, m.Value | uint64(slot)<<m.Bits} }

func (m Mask) has(u UID) bool { return uint64(u)&(1<<m.Bits-1) == m.Value }

// Inventory is the request for an inventory of 16 slots among the tags of a mask, without its checksum. A family of 0
// is any.
func Inventory(family byte, m Mask) []byte { return inventory(HighRate|IsScan, family, m) }

// Single is the request for an inventory of one slot, for one tag at most, without its checksum.
func Single(family byte) []byte { return inventory(HighRate|IsScan|OneSlot, family, Mask{}) }

func inventory(flags, family byte, m Mask) []byte {
	req := []byte{flags, CmdInventory}
	if family != 0 {
		req[0] |= HasAFI
		req = append(req, family)
	}
	req = append(req, byte(m.Bits))
	for bits := 0; bits < m.Bits; bits += 8 {
		req = append(req, byte(m.Value>>bits))
	}
	return req
}

// StayQuiet is the request to one tag not to take part in inventories until the field was off.
func StayQuiet(u UID) []byte { return to(u, CmdStayQuiet) }

// ReadSingle is the request to one tag for a block of its memory. It is addressed, since otherwise every tag in the
// field would answer.
func ReadSingle(u UID, block byte) []byte { return append(to(u, CmdReadSingle), block) }

func to(u UID, cmd byte) []byte {
	return binary.LittleEndian.AppendUint64([]byte{HighRate | Addressed, cmd}, uint64(u))
}

// AppendCRC appends the checksum of a request or answer, low byte first.
func AppendCRC(frame []byte) []byte {
	return binary.LittleEndian.AppendUint16(frame, crc.X25(frame))
}

// ErrCRC says that the checksum of an answer is wrong.
var ErrCRC = errors.New("wrong checksum")

// CheckCRC gives a frame without its checksum.
func CheckCRC(frame []byte) ([]byte, error) {
	n := len(frame) - 2
	if n < 0 || binary.LittleEndian.Uint16(frame[n:]) != crc.X25(frame[:n]) {
		return nil, ErrCRC
	}
	return frame[:n], nil
}

// answerSize is the length of an answer to an inventory, without its checksum: flags, DSFID, UID low byte first.
const answerSize = 10

// ParseInventory gives the UID of an answer without its checksum.
func ParseInventory(answer []byte) (UID, error) {
	if len(answer) != answerSize || answer[0] != 0 {
		return 0, fmt.Errorf("%w: %d bytes are not flags 00, DSFID and UID", ErrAnswer, len(answer))
	}
	u := UID(binary.LittleEndian.Uint64(answer[2:]))
	if u>>56 != 0xE0 {
		return 0, fmt.Errorf("%w: a UID that does not begin with E0", ErrAnswer)
	}
	return u, nil
}

// Slot is what was heard in one time slot: nothing, an answer without its checksum, or a collision, which is anything
// that is no whole answer.
type Slot struct {
	Answer    []byte
	Collision bool
}

// ErrAnswer says that something was heard that no tag says.
var ErrAnswer = errors.New("answer that makes no sense")

// maxRounds bounds a walk: as many collisions as a deck of cards whose UIDs were chosen to have some. A receiver that hears
// collisions everywhere would keep it going for ever.
const maxRounds = 256

// Walk finds every tag in a field. Round takes one inventory of 16 slots with a mask. The list is not complete, and so
// partial, where something was heard that could not be told apart: a collision behind which fewer than two tags were
// found. The error is that of round, or an ErrAnswer: a UID does not belong in the slot it came in, as a neighbour's field
// makes them without a wrong checksum, or there are collisions without end.
func Walk(ctx context.Context, round func(context.Context, Mask) ([Slots]Slot, error)) (uids []UID, partial bool, err error) {
	left := maxRounds
	return walk(ctx, func(ctx context.Context, m Mask) ([Slots]Slot, error) {
		if left--; left < 0 {
			return [Slots]Slot{}, fmt.Errorf("%w: collisions without end", ErrAnswer)
		}
		return round(ctx, m)
	}, Mask{})
}

func walk(ctx context.Context, round func(context.Context, Mask) ([Slots]Slot, error), m Mask) (uids []UID, partial bool, err error) {
	slots, err := round(ctx, m)
	if err != nil {
		return nil, false, err
	}
	for i, slot := range slots {
		below := m.next(i)
		switch {
		case slot.Collision && below.Bits == 64:
			partial = true // two tags cannot have one UID: it was noise, or a tag that is hardly in the field
		case slot.Collision:
			found, more, err := walk(ctx, round, below)
			if err != nil {
				return nil, false, err
			}
			uids = append(uids, found...)
			partial = partial || more || len(found) < 2
		case slot.Answer != nil:
			u, err := ParseInventory(slot.Answer)
			if err != nil {
				return nil, false, err
			}
			if !below.has(u) {
				return nil, false, fmt.Errorf("%w: a UID in slot %d that is another's, of a mask of %d bits", ErrAnswer, i, m.Bits)
			}
			uids = append(uids, u)
		}
	}
	return uids, partial, nil
}
