// Package bridge is the protocol between the host and the microcontrollers at the seats: frames, messages, and what each
// end does with them. It is pure: it opens no device and starts no goroutine.
//
// The seats hang on one two-wire bus (RS-485, 115200 baud or more) on which only one may speak at a time. The host is
// the [Master]: it asks one node after the other, and a node speaks only when asked. What the host asks can be asked
// again without harm, so it alone keeps timers and repeats; a node needs none. That keeps the part small that is hard to
// change, the firmware. [Node] says what it does; folder node has it in C, for a Cortex-M3 that an emulator runs in the
// tests of package seatnode.
//
// What must not get lost are key presses. A node numbers them and keeps the latest in a ring; each poll tells it up to
// which number the host has them, and it answers with those that follow. A reply that gets lost is given again, one that
// comes twice is known by its numbers, and a node that starts over is told apart by the random number of its start.
//
// The path from the wire up: [CRC16], COBS, [Frame] and [Decoder], [Messages] with [Encode] and [Decode], [Master] and
// [Node]. A technician's work on the bus, finding nodes and giving them addresses and firmware, is [Line].
package bridge
