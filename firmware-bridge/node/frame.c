#include "frame.h"

uint16_t crc16(const uint8_t *p, size_t len)
{
	uint16_t crc = 0xFFFF;
	while (len-- > 0) {
		crc ^= (uint16_t)(*p++ << 8);
		for (int bit = 0; bit < 8; bit++)
			crc = (uint16_t)(crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1);
	}
	return crc;
}

/* No frame has 254 bytes without a zero, so that no run of COBS is ever full. */
static size_t cobs_put(uint8_t *out, const uint8_t *raw, size_t len)
{
	uint8_t *run = out++; /* where the length of the current run goes */
	*run = 1;
	const uint8_t *start = run;
	for (; len > 0; len--, raw++) {
		if (*raw) {
			*out++ = *raw;
			++*run;
		} else {
			run = out++;
			*run = 1;
		}
	}
	return (size_t)(out - start);
}

/* Undoes cobs_put in place. Returns the length, 0 where p is no such coding. */
static size_t cobs_take(uint8_t *p, size_t len)
{
	size_t n = 0;
	for (size_t i = 0; i < len;) {
		uint8_t run = p[i];
		if (run == 0 || i + run > len)
			return 0;
		memmove(p + n, p + i + 1, run - 1u);
		n += run - 1u;
		i += run;
		if (i < len)
			p[n++] = 0;
	}
	return n;
}

size_t frame_put(uint8_t *out, const struct frame *f)
{
	uint8_t raw[RAW_MAX];
	size_t n = 0;
	raw[n++] = (uint8_t)(f->addr | (f->reply ? ADDR_REPLY : 0));
	raw[n++] = f->ctl;
	raw[n++] = f->type;
	memcpy(raw + n, f->payload, f->len);
	n += f->len;
	put_le(raw + n, crc16(raw, n), CRC_LEN);
	n = cobs_put(out, raw, n + CRC_LEN);
	out[n++] = 0;
	return n;
}

static bool read_frame(struct frame *f, const uint8_t *raw, size_t len)
{
	if (len < HEAD_LEN + CRC_LEN || crc16(raw, len - CRC_LEN) != take_le(raw + len - CRC_LEN, CRC_LEN))
		return false;
	if (raw[0] & ~(ADDR_BITS | ADDR_REPLY) || raw[1] & ~(CTL_SEQ | CTL_ACK | CTL_MORE))
		return false;
	f->addr = raw[0] & ADDR_BITS;
	f->reply = raw[0] & ADDR_REPLY;
	f->ctl = raw[1];
	f->type = raw[2];
	f->len = (uint8_t)(len - HEAD_LEN - CRC_LEN);
	memcpy(f->payload, raw + HEAD_LEN, f->len);
	return true;
}

bool frame_push(struct decoder *d, uint8_t byte, struct frame *f)
{
	if (byte != 0) {
		if (d->len == sizeof d->buf)
			d->too_long = true;
		else
			d->buf[d->len++] = byte;
		return false;
	}
	bool whole = !d->too_long;
	size_t len = cobs_take(d->buf, d->len);
	d->len = 0;
	d->too_long = false;
	return whole && read_frame(f, d->buf, len);
}
