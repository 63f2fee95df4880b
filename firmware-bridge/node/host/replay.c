/*
 * The node's core as a program, for the test that holds it against package bridge. It reads orders on standard input and
 * writes what came of each on standard output: a length byte and so many bytes.
 *
 *	Z addr uid8         a node has just started            nothing
 *	R now8 len bytes    bytes from the bus                 the replies to them, the last 255 bytes
 *	K now8 key down     a key                              nothing
 *	D digit / T step4 / C / W now8 counts4                 nothing
 *	S                   what it shows                      addr, lamps, amount8, prompt, text
 */
#include <stdio.h>
#include <stdlib.h>

#include "node.h"

static uint8_t image[MAX_IMAGE];

static void write_image(uint32_t at, const uint8_t *p, size_t len) { memcpy(image + at, p, len); }

static uint64_t number(size_t size)
{
	uint8_t p[8];
	if (fread(p, 1, size, stdin) != size)
		exit(1);
	return take_le(p, size);
}

static void say(const uint8_t *p, size_t len)
{
	putchar((int)len);
	if (len > 0)
		fwrite(p, 1, len, stdout);
}

static void start(struct node *n)
{
	static const struct image_store store = { write_image, image };
	struct msg_identity id = { .boot = 1, .schema = SCHEMA_HASH, .version = 0x0102, .kind = KIND_SEAT };
	uint8_t addr = (uint8_t)number(1);
	id.uid = number(8);
	node_start(n, addr, &id, &store);
	say(NULL, 0);
}

static void receive(struct node *n)
{
	uint8_t replies[255 + FRAME_MAX];
	size_t len = 0;
	uint64_t now = number(8);
	for (uint64_t left = number(1); left > 0; left--) {
		len += node_receive(n, now, (uint8_t)number(1), replies + len);
		if (len > 255) {
			memmove(replies, replies + len - 255, 255);
			len = 255;
		}
	}
	say(replies, len);
}

static void show(const struct node *n)
{
	uint8_t out[255], *p = out;
	p = put_le(p, n->addr, 1);
	p = put_le(p, n->lamps.on, 2);
	p = put_le(p, n->lamps.blink, 2);
	p = put_le(p, n->amount, 8);
	p = put_le(p, n->ask.prompt, 1);
	memcpy(p, n->show.text, n->show.text_len);
	say(out, (size_t)(p - out) + n->show.text_len);
}

int main(void)
{
	static struct node n;
	for (int order; (order = getchar()) != EOF; fflush(stdout)) {
		uint64_t now;
		uint8_t key;
		switch (order) {
		case 'Z':
			start(&n);
			continue;
		case 'R':
			receive(&n);
			continue;
		case 'S':
			show(&n);
			continue;
		case 'K':
			now = number(8);
			key = (uint8_t)number(1);
			node_key(&n, now, key, number(1));
			break;
		case 'D':
			node_digit(&n, (uint8_t)number(1));
			break;
		case 'T':
			node_turn(&n, (int32_t)number(4));
			break;
		case 'C':
			node_clear(&n);
			break;
		case 'W':
			now = number(8);
			node_weigh(&n, now, (int32_t)number(4));
			break;
		default:
			return 2;
		}
		say(NULL, 0);
	}
	return 0;
}
