/* Code generated from the message table of package bridge; DO NOT EDIT. See generate/main.go. */
#ifndef NODE_MESSAGES_H
#define NODE_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Numbers go over the wire little-endian. */
static inline uint8_t *put_le(uint8_t *p, uint64_t v, size_t size)
{
	for (; size > 0; size--, v >>= 8)
		*p++ = (uint8_t)v;
	return p;
}

static inline uint64_t take_le(const uint8_t *p, size_t size)
{
	uint64_t v = 0;
	while (size > 0)
		v = v << 8 | p[--size];
	return v;
}

#define SCHEMA_HASH 0xe0406bfdu
#define MAX_PAYLOAD 60u
#define MAX_IMAGE 131072u

enum message {
	MSG_HELLO = 1, /* to node */
	MSG_IDENTITY = 2, /* to host */
	MSG_ACK = 3, /* to host */
	MSG_WHO = 4, /* to node */
	MSG_MOVE = 5, /* to node */
	MSG_OFFER = 6, /* to node */
	MSG_CHUNK = 7, /* to node */
	MSG_INSTALL = 8, /* to node */
	MSG_PROGRESS = 9, /* to host */
	MSG_POLL = 16, /* to node */
	MSG_EVENTS = 17, /* to host */
	MSG_CLOCK = 18, /* to node */
	MSG_TIME = 19, /* to host */
	MSG_LAMPS = 20, /* to node */
	MSG_SHOW = 21, /* to node */
	MSG_ASK = 22, /* to node */
	MSG_WEIGH = 23, /* to node */
	MSG_WEIGHT = 24, /* to host */
};

enum key {
	KEY_FOLD = 1,
	KEY_CALL = 2,
	KEY_BET = 3,
	KEY_ALL_IN = 4,
	KEY_SIT = 5,
	KEY_SHOW = 6,
	KEY_MUCK = 7,
	KEY_COUNT = 8, /* one more than the last */
};

enum image_state {
	IMAGE_NONE = 0,
	IMAGE_PARTIAL = 1,
	IMAGE_READY = 2,
	IMAGE_SPOILT = 3,
	IMAGE_UNFIT = 4,
	IMAGE_TAKEN = 5,
};

enum scale_state {
	SCALE_NONE = 0,
	SCALE_GOOD = 1,
	SCALE_OVER = 2,
};

struct msg_identity {
	uint64_t uid;
	uint32_t boot;
	uint32_t schema;
	uint16_t version;
	uint8_t kind;
	uint16_t last;
};

/* Returns the length of the payload. */
static inline size_t put_identity(uint8_t *p, const struct msg_identity *m)
{
	uint8_t *start = p;
	p = put_le(p, m->uid, 8);
	p = put_le(p, m->boot, 4);
	p = put_le(p, m->schema, 4);
	p = put_le(p, m->version, 2);
	p = put_le(p, m->kind, 1);
	p = put_le(p, m->last, 2);
	return (size_t)(p - start);
}

struct msg_who {
	uint64_t tail;
	uint8_t bits;
	uint64_t except;
};

/* Reads a payload; false where it is no who. */
static inline bool take_who(struct msg_who *m, const uint8_t *p, size_t len)
{
	if (len != 17)
		return false;
	m->tail = (uint64_t)take_le(p + 0, 8);
	m->bits = (uint8_t)take_le(p + 8, 1);
	m->except = (uint64_t)take_le(p + 9, 8);
	return true;
}

struct msg_move {
	uint64_t uid;
	uint8_t addr;
};

/* Reads a payload; false where it is no move. */
static inline bool take_move(struct msg_move *m, const uint8_t *p, size_t len)
{
	if (len != 9)
		return false;
	m->uid = (uint64_t)take_le(p + 0, 8);
	m->addr = (uint8_t)take_le(p + 8, 1);
	return true;
}

struct msg_offer {
	uint32_t size;
	uint8_t digest[32];
};

/* Reads a payload; false where it is no offer. */
static inline bool take_offer(struct msg_offer *m, const uint8_t *p, size_t len)
{
	if (len != 36)
		return false;
	m->size = (uint32_t)take_le(p + 0, 4);
	memcpy(m->digest, p + 4, 32);
	return true;
}

struct msg_chunk {
	uint32_t at;
	uint8_t data_len;
	uint8_t data[48];
};

/* Reads a payload; false where it is no chunk. */
static inline bool take_chunk(struct msg_chunk *m, const uint8_t *p, size_t len)
{
	if (len < 4 || len - 4 > sizeof m->data)
		return false;
	m->at = (uint32_t)take_le(p + 0, 4);
	m->data_len = (uint8_t)(len - 4);
	memcpy(m->data, p + 4, m->data_len);
	return true;
}

struct msg_install {
	uint8_t digest[32];
};

/* Reads a payload; false where it is no install. */
static inline bool take_install(struct msg_install *m, const uint8_t *p, size_t len)
{
	if (len != 32)
		return false;
	memcpy(m->digest, p + 0, 32);
	return true;
}

struct msg_progress {
	uint32_t have;
	uint8_t state;
};

/* Returns the length of the payload. */
static inline size_t put_progress(uint8_t *p, const struct msg_progress *m)
{
	uint8_t *start = p;
	p = put_le(p, m->have, 4);
	p = put_le(p, m->state, 1);
	return (size_t)(p - start);
}

struct msg_poll {
	uint16_t consumed;
};

/* Reads a payload; false where it is no poll. */
static inline bool take_poll(struct msg_poll *m, const uint8_t *p, size_t len)
{
	if (len != 2)
		return false;
	m->consumed = (uint16_t)take_le(p + 0, 2);
	return true;
}

struct msg_keyrecord {
	uint64_t at;
	uint8_t key;
	bool down;
	uint8_t prompt;
	uint64_t amount;
};

struct msg_events {
	uint16_t first;
	uint8_t events_len;
	struct msg_keyrecord events[3];
};

/* Returns the length of the payload. */
static inline size_t put_events(uint8_t *p, const struct msg_events *m)
{
	uint8_t *start = p;
	p = put_le(p, m->first, 2);
	for (size_t i = 0; i < m->events_len; i++) {
		p = put_le(p, m->events[i].at, 8);
		p = put_le(p, m->events[i].key, 1);
		p = put_le(p, m->events[i].down, 1);
		p = put_le(p, m->events[i].prompt, 1);
		p = put_le(p, m->events[i].amount, 8);
	}
	return (size_t)(p - start);
}

struct msg_time {
	uint64_t now;
};

/* Returns the length of the payload. */
static inline size_t put_time(uint8_t *p, const struct msg_time *m)
{
	uint8_t *start = p;
	p = put_le(p, m->now, 8);
	return (size_t)(p - start);
}

struct msg_lamps {
	uint16_t on;
	uint16_t blink;
};

/* Reads a payload; false where it is no lamps. */
static inline bool take_lamps(struct msg_lamps *m, const uint8_t *p, size_t len)
{
	if (len != 4)
		return false;
	m->on = (uint16_t)take_le(p + 0, 2);
	m->blink = (uint16_t)take_le(p + 2, 2);
	return true;
}

struct msg_show {
	uint8_t text_len;
	uint8_t text[40];
};

/* Reads a payload; false where it is no show. */
static inline bool take_show(struct msg_show *m, const uint8_t *p, size_t len)
{
	if (len > sizeof m->text)
		return false;
	m->text_len = (uint8_t)(len - 0);
	memcpy(m->text, p + 0, m->text_len);
	return true;
}

struct msg_ask {
	uint8_t prompt;
	uint64_t start;
	uint64_t min;
	uint64_t max;
	uint64_t step;
};

/* Reads a payload; false where it is no ask. */
static inline bool take_ask(struct msg_ask *m, const uint8_t *p, size_t len)
{
	if (len != 33)
		return false;
	m->prompt = (uint8_t)take_le(p + 0, 1);
	m->start = (uint64_t)take_le(p + 1, 8);
	m->min = (uint64_t)take_le(p + 9, 8);
	m->max = (uint64_t)take_le(p + 17, 8);
	m->step = (uint64_t)take_le(p + 25, 8);
	return true;
}

struct msg_weight {
	uint64_t at;
	int32_t counts;
	uint8_t state;
};

/* Returns the length of the payload. */
static inline size_t put_weight(uint8_t *p, const struct msg_weight *m)
{
	uint8_t *start = p;
	p = put_le(p, m->at, 8);
	p = put_le(p, (uint32_t)m->counts, 4);
	p = put_le(p, m->state, 1);
	return (size_t)(p - start);
}

#endif
