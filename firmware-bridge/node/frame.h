/*
 * Frames of the seat bus: CRC-16, COBS, and finding frames in a stream of bytes. The same as frame.go.
 *
 *	dst|dir  ctl  type  payload  crc-low crc-high      COBS-coded, then 00
 */
#ifndef FRAME_H
#define FRAME_H

#include "node_messages.h"

enum {
	ADDR_BITS = 15,
	ADDR_REPLY = 1 << 7, /* on the way to the host */
	ADDR_NAMELESS = 15,  /* of nodes that have been given no address */

	CTL_SEQ = 7,
	CTL_ACK = 1 << 3,
	CTL_MORE = 1 << 4,

	HEAD_LEN = 3,
	CRC_LEN = 2,
	RAW_MAX = HEAD_LEN + MAX_PAYLOAD + CRC_LEN,
	CODED_MAX = RAW_MAX + 1,  /* COBS adds one byte below 254 */
	FRAME_MAX = CODED_MAX + 1 /* the delimiter */
};

struct frame {
	uint8_t addr; /* without direction */
	bool reply;
	uint8_t ctl;
	uint8_t type;
	uint8_t len;
	uint8_t payload[MAX_PAYLOAD];
};

/* CRC-16/IBM-3740: 29B1 hex over "123456789". */
uint16_t crc16(const uint8_t *p, size_t len);

/* Writes a frame as it goes over the wire, delimiter included, and returns its length. out has room for FRAME_MAX. */
size_t frame_put(uint8_t *out, const struct frame *f);

/* Finds frames in a stream. All zero, it is ready. */
struct decoder {
	uint8_t buf[CODED_MAX];
	uint8_t len;
	bool too_long; /* more came than a frame can have; skip to the delimiter */
};

/* Takes the next byte; true where it completes a frame, which is then in *f. */
bool frame_push(struct decoder *d, uint8_t byte, struct frame *f);

#endif
