/*
 * The seat node, apart from its hardware: what it answers on the bus, the key events it remembers, the amount it
 * prepares, the content it shows, the firmware image it is sent. It does what node.go does, and a test holds the two
 * against each other; node.go and message.go say why things are as they are.
 *
 * Nothing here allocates, waits, or has global state. main.c puts it between a board's UART and its keys.
 */
#ifndef NODE_H
#define NODE_H

#include "frame.h"
#include "sha256.h"

enum {
	KIND_SEAT = 1,
	RING_SIZE = 32 /* key events; divides 65536 */
};

/* Where a node keeps the image it is sent: memory that survives a restart, behind which the board has its slot. */
struct image_store {
	/* Writes a piece of the image. Pieces come in order, from 0. */
	void (*write)(uint32_t at, const uint8_t *p, size_t len);
	/* Gives the image as far as it is written. */
	const uint8_t *data;
};

struct node {
	uint8_t addr; /* the board keeps it over a restart */
	struct msg_identity id;
	struct image_store store;

	struct decoder decoder;
	bool greeted;

	struct msg_lamps lamps;
	struct msg_show show;
	struct msg_ask ask;
	uint64_t amount; /* prepared for KEY_BET */
	bool typed;      /* digits go behind the amount; else they begin a new one */
	struct msg_weight weight;

	struct msg_keyrecord ring[RING_SIZE]; /* the event with ID i is in ring[i % RING_SIZE] */
	uint16_t last;                        /* ID of the latest event */

	struct msg_offer offer; /* the image being sent */
	uint32_t have;          /* bytes of it */
	uint8_t image;          /* enum image_state */
	struct sha256 digest;   /* of the bytes had */
};

/* Makes a node that has just started. The boot of id must not be that of an earlier start. */
void node_start(struct node *n, uint8_t addr, const struct msg_identity *id, const struct image_store *store);

/*
 * Takes the next byte from the bus. Returns the length of the reply it leaves in out, which has room for FRAME_MAX; 0 for
 * none. now is in µs since the node started.
 */
size_t node_receive(struct node *n, uint64_t now, uint8_t byte, uint8_t *out);

/* Whether the node was told to start over with the image it has. It answers nothing from then on. */
static inline bool node_installed(const struct node *n) { return n->image == IMAGE_TAKEN; }

/* A key, without bounce, went down or came up. */
void node_key(struct node *n, uint64_t now, uint8_t key, bool down);

/* A digit of the keypad, 0 to 9. */
void node_digit(struct node *n, uint8_t digit);

/* The encoder, or the keys plus and minus, went so many steps. */
void node_turn(struct node *n, int32_t steps);

/* Back to the amount the decision began with. */
void node_clear(struct node *n);

/* A sample of the scale. */
void node_weigh(struct node *n, uint64_t now, int32_t counts);

/* What a firmware image says of itself, in the reserved entries of its vector table; image.go has the fields. */
enum { IMAGE_HEADER = 28, IMAGE_CODE = IMAGE_HEADER + 16 };

/* Whether an image of that length is one for this kind of node. */
bool image_fits(const uint8_t *image, uint32_t len);

#endif
