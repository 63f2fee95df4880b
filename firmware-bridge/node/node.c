#include "node.h"

static const uint64_t max_amount = 999999999999999999; /* 18 digits, which fit the host's int64 */
static const int32_t max_counts = (1 << 23) - 1, min_counts = -(1 << 23);

void node_start(struct node *n, uint8_t addr, const struct msg_identity *id, const struct image_store *store)
{
	memset(n, 0, sizeof *n);
	n->addr = addr;
	n->id = *id;
	n->store = *store;
}

/* Keys */

void node_key(struct node *n, uint64_t now, uint8_t key, bool down)
{
	struct msg_keyrecord *r = &n->ring[++n->last % RING_SIZE];
	*r = (struct msg_keyrecord){ .at = now, .key = key, .down = down, .prompt = n->ask.prompt };
	if (down && key == KEY_BET && n->ask.max > 0)
		r->amount = n->amount;
}

void node_digit(struct node *n, uint8_t digit)
{
	if (n->ask.max == 0)
		return;
	if (!n->typed) {
		n->amount = 0;
		n->typed = true;
	}
	if (n->amount <= (max_amount - digit) / 10)
		n->amount = n->amount * 10 + digit;
}

void node_turn(struct node *n, int32_t steps)
{
	const struct msg_ask *a = &n->ask;
	uint64_t room;
	n->typed = false;
	for (; steps > 0 && n->amount < a->max; steps--) {
		room = a->max - n->amount;
		n->amount += a->step < room ? a->step : room;
	}
	for (; steps < 0 && n->amount > a->min; steps++) {
		room = n->amount - a->min;
		n->amount -= a->step < room ? a->step : room;
	}
	if (n->amount > a->max)
		n->amount = a->max;
	if (n->amount < a->min)
		n->amount = a->min;
}

void node_clear(struct node *n)
{
	n->amount = n->ask.start;
	n->typed = false;
}

void node_weigh(struct node *n, uint64_t now, int32_t counts)
{
	struct msg_weight *w = &n->weight;
	*w = (struct msg_weight){ .at = now, .counts = counts, .state = SCALE_GOOD };
	if (counts >= max_counts) {
		w->counts = max_counts;
		w->state = SCALE_OVER;
	} else if (counts <= min_counts) {
		w->counts = min_counts;
		w->state = SCALE_OVER;
	}
}

/* The firmware image */

bool image_fits(const uint8_t *image, uint32_t len)
{
	const uint8_t *h = image + IMAGE_HEADER;
	return len >= IMAGE_CODE && memcmp(h, "TVLN", 4) == 0 && h[4] == KIND_SEAT && take_le(h + 12, 4) == len;
}

static void forget_image(struct node *n, uint8_t why)
{
	n->have = 0;
	n->image = why;
}

static void take_image_offer(struct node *n, const struct msg_offer *o)
{
	bool same = o->size == n->offer.size && memcmp(o->digest, n->offer.digest, sizeof o->digest) == 0;
	if (same && n->image != IMAGE_NONE && n->image != IMAGE_SPOILT)
		return;
	n->offer = *o;
	sha256_begin(&n->digest);
	forget_image(n, o->size > MAX_IMAGE || o->size < IMAGE_CODE ? IMAGE_UNFIT : IMAGE_PARTIAL);
}

static void take_image_chunk(struct node *n, const struct msg_chunk *c)
{
	uint8_t digest[32];
	if (n->image != IMAGE_PARTIAL || c->at != n->have || c->data_len > n->offer.size - n->have)
		return;
	n->store.write(n->have, c->data, c->data_len);
	sha256_add(&n->digest, c->data, c->data_len);
	n->have += c->data_len;
	if (n->have < n->offer.size)
		return;
	sha256_end(&n->digest, digest);
	if (memcmp(digest, n->offer.digest, sizeof digest) != 0)
		forget_image(n, IMAGE_SPOILT);
	else if (!image_fits(n->store.data, n->have))
		forget_image(n, IMAGE_UNFIT);
	else
		n->image = IMAGE_READY;
}

static void install_image(struct node *n, const struct msg_install *i)
{
	if (n->image == IMAGE_READY && memcmp(i->digest, n->offer.digest, sizeof i->digest) == 0)
		n->image = IMAGE_TAKEN;
}

/* Requests. Each of the functions below carries one out and fills in the reply; false refuses it. */

static bool say(struct frame *reply, uint8_t type, size_t len)
{
	reply->type = type;
	reply->len = (uint8_t)len;
	return true;
}

static bool say_identity(const struct node *n, struct frame *reply)
{
	struct msg_identity id = n->id;
	id.last = n->last;
	return say(reply, MSG_IDENTITY, put_identity(reply->payload, &id));
}

static bool say_progress(const struct node *n, struct frame *reply)
{
	struct msg_progress p = { .have = n->have, .state = n->image };
	return say(reply, MSG_PROGRESS, put_progress(reply->payload, &p));
}

/* The oldest events the host does not have. */
static bool say_events(const struct node *n, uint16_t consumed, struct frame *reply)
{
	struct msg_events e = { 0 };
	uint16_t waiting = (uint16_t)(n->last - consumed); /* right across the wrap of IDs */
	if (waiting > RING_SIZE)
		waiting = RING_SIZE;
	e.first = (uint16_t)(n->last - waiting + 1);
	while (e.events_len < waiting && e.events_len < sizeof e.events / sizeof *e.events) {
		e.events[e.events_len] = n->ring[(uint16_t)(e.first + e.events_len) % RING_SIZE];
		e.events_len++;
	}
	if (e.events_len < waiting)
		reply->ctl |= CTL_MORE;
	return say(reply, MSG_EVENTS, put_events(reply->payload, &e));
}

static void set_ask(struct node *n, const struct msg_ask *a)
{
	const struct msg_ask *old = &n->ask;
	if (a->prompt == old->prompt && a->start == old->start && a->min == old->min && a->max == old->max && a->step == old->step)
		return; /* a repetition must not undo what was typed since */
	n->ask = *a;
	node_clear(n);
}

/* What a greeted node does. */
static bool carry_out(struct node *n, uint64_t now, const struct frame *f, struct frame *reply)
{
	union {
		struct msg_poll poll;
		struct msg_lamps lamps;
		struct msg_show show;
		struct msg_ask ask;
		struct msg_offer offer;
		struct msg_chunk chunk;
		struct msg_install install;
	} m;
	switch (f->type) {
	case MSG_HELLO:
		return f->len == 0 && say_identity(n, reply);
	case MSG_OFFER:
		if (!take_offer(&m.offer, f->payload, f->len))
			return false;
		take_image_offer(n, &m.offer);
		return say_progress(n, reply);
	case MSG_CHUNK:
		if (!take_chunk(&m.chunk, f->payload, f->len))
			return false;
		take_image_chunk(n, &m.chunk);
		return say_progress(n, reply);
	case MSG_INSTALL:
		if (!take_install(&m.install, f->payload, f->len))
			return false;
		install_image(n, &m.install);
		return say_progress(n, reply);
	case MSG_POLL:
		return take_poll(&m.poll, f->payload, f->len) && say_events(n, m.poll.consumed, reply);
	case MSG_CLOCK:
		return f->len == 0 && say(reply, MSG_TIME, put_time(reply->payload, &(struct msg_time){ now }));
	case MSG_WEIGH:
		return f->len == 0 && say(reply, MSG_WEIGHT, put_weight(reply->payload, &n->weight));
	case MSG_LAMPS:
		if (!take_lamps(&m.lamps, f->payload, f->len))
			return false;
		n->lamps = m.lamps;
		return true;
	case MSG_SHOW:
		if (!take_show(&m.show, f->payload, f->len))
			return false;
		n->show = m.show;
		return true;
	case MSG_ASK:
		if (!take_ask(&m.ask, f->payload, f->len))
			return false;
		set_ask(n, &m.ask);
		return true;
	default:
		return false;
	}
}

/* Whether the node is among those looked for. */
static bool meant(const struct node *n, const struct msg_who *w)
{
	uint64_t differ = n->id.uid ^ w->tail;
	return w->bits <= 64 && w->except != n->id.uid && (w->bits == 0 || differ << (64 - w->bits) == 0);
}

/* Carries out a request; false where there is no reply to it. */
static bool answer(struct node *n, uint64_t now, const struct frame *f, struct frame *reply)
{
	struct msg_who who;
	struct msg_move move;
	bool ok;
	*reply = (struct frame){ .addr = n->addr, .reply = true, .ctl = f->ctl & CTL_SEQ, .type = MSG_ACK };
	if (f->type == MSG_WHO && take_who(&who, f->payload, f->len)) {
		if (!meant(n, &who))
			return false;
		ok = say_identity(n, reply);
	} else if (f->type == MSG_MOVE && take_move(&move, f->payload, f->len)) {
		if (move.uid != n->id.uid)
			return false;
		ok = 1 <= move.addr && move.addr <= ADDR_NAMELESS;
		if (ok)
			n->addr = move.addr;
	} else {
		n->greeted |= f->type == MSG_HELLO && f->len == 0;
		ok = n->greeted && carry_out(n, now, f, reply);
	}
	if (ok)
		reply->ctl |= CTL_ACK;
	return true;
}

size_t node_receive(struct node *n, uint64_t now, uint8_t byte, uint8_t *out)
{
	struct frame f, reply;
	if (!frame_push(&n->decoder, byte, &f) || f.addr != n->addr || f.reply) /* a reply would be the echo of our own */
		return 0;
	if (node_installed(n) || !answer(n, now, &f, &reply))
		return 0;
	return frame_put(out, &reply);
}
