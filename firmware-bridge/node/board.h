/*
 * What the node asks of a board. Another microcontroller is another file like mps2.c, and a linker script.
 */
#ifndef BOARD_H
#define BOARD_H

#include "node.h"

/* Contacts, by the bits of board_sample. The keys have the bits of their codes. */
enum {
	CONTACT_CLEAR = 8,
	CONTACT_PLUS = 9,
	CONTACT_MINUS = 10,
	CONTACT_DIGIT = 16 /* 0; the others follow */
};

struct sample {
	uint32_t contacts; /* that touch */
	uint8_t phase;     /* of the encoder */
	bool weighed;      /* there is a new sample of the scale */
	int32_t counts;    /* which is this */
};

void board_start(void);
uint64_t board_uid(void);

/* The address that was kept, ADDR_NAMELESS where none was. */
uint8_t board_address(void);
void board_keep_address(uint8_t addr);

/* A number that is another at each start. It may depend on when it is called the first time. */
uint32_t board_chance(void);

/* µs since the start. */
uint64_t board_now(void);

/* The next byte from the bus, false if there is none. */
bool board_receive(uint8_t *byte);

/* Sends to the bus: driver on, bytes, driver off. The bytes may come back as an echo. */
void board_send(const uint8_t *p, size_t len);

/* Whether a millisecond has begun since it was asked last. */
bool board_tick(void);
void board_sample(struct sample *s);
void board_display(const struct msg_show *show);
void board_lamps(uint16_t lit);

/* What the player has prepared for the bet key; 0 where there is nothing to choose. */
void board_amount(uint64_t amount);

/* Sleeps until there is a byte or a tick, which may be now. */
void board_sleep(void);

extern const struct image_store board_store;

/* Starts over with the image in the store. */
_Noreturn void board_install(uint32_t len, const uint8_t digest[32]);

#endif
