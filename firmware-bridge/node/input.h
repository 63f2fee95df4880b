/* What a player touches, sampled every millisecond: contacts without their bounce, an encoder's steps, a scale's counts. */
#ifndef INPUT_H
#define INPUT_H

#include <stdbool.h>
#include <stdint.h>

enum { DEBOUNCE_SAMPLES = 5 };

/* Up to 32 contacts. All zero, it is ready, with all of them open. */
struct debounce {
	uint32_t closed; /* without bounce */
	uint8_t count[32];
};

/* Takes a sample, a bit for each contact that touches. Returns those that have changed, after DEBOUNCE_SAMPLES alike. */
uint32_t debounce(struct debounce *d, uint32_t sample);

/* A quadrature encoder with four edges a step, which rests with both contacts open. All zero, it is ready. */
struct encoder {
	uint8_t phase; /* A in bit 0, B in bit 1; 0 at rest */
	int8_t edges;  /* since it rested */
	uint32_t lost; /* times both contacts changed at once, so that an edge was missed */
};

/* Takes a sample. Returns the steps made: 1, -1, or mostly 0. */
int encoder(struct encoder *e, uint8_t phase);

/* The value of the 24 bits that an HX711 shifts out. */
static inline int32_t hx711(uint32_t bits)
{
	return (int32_t)(bits & 0x7FFFFF) - (int32_t)(bits & 0x800000);
}

#endif
