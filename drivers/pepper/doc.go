// Package pepper drives the Eccel Pepper C1, an RFID reader for 13.56 MHz tags, and its eight-antenna board Pepper C1
// MUX. It tells which tags were seen at which antenna and when; what lies where, and which card a tag is, is decided
// by those who take its reports.
//
// Two uses. In the shoe one antenna sits at the mouth, and the reader reports each card by itself as it slides past: a look
// ends with the first that does. Under the felt a MUX looks at its antennas one after the other, always in the same order, so
// that no two fields stand at once; the driver leads that round itself, and a look is this antenna, now, exactly these tags.
// The reader has no word for a tag that left, so absence can only be concluded from scans without it, and a spoilt look
// gives no scan at all rather than a short one.
//
// Start with [New] and Run of the [rfid.Dev] it gives. The wire format is in frame.go, what a session asks of the reader in
// session.go.
//
// # Wiring
//
// The module's UART (3.3 V, or the RS-232 or USB version of the board) at 115200 baud, 8N1, no flow control, both
// directions. The reader needs up to a second after power-up before it listens. In the shoe, polling must be set up in
// the reader's own configuration to report on this UART, as binary events or as JSON; both are understood, mixed as
// they come.
//
// # Protocol
//
// F5, length and its complement (both little-endian, counting payload and checksum), payload, CRC-16/IBM-3740 of the
// payload, low byte first. Commands: code and arguments. Answers: 00, code, data, or FF, code, layer, error. Events: FE,
// a byte, tag type, tag parameter, UID, or a bare JSON object between frames. Source: Eccel Technology, Pepper C1 User
// Manual, and the protocol page of its C1-python library.
package pepper
