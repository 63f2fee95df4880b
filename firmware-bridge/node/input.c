#include "input.h"

uint32_t debounce(struct debounce *d, uint32_t sample)
{
	uint32_t changed = 0, differ = sample ^ d->closed;
	for (int i = 0; i < 32; i++, differ >>= 1) {
		if (!(differ & 1)) {
			d->count[i] = 0;
		} else if (++d->count[i] == DEBOUNCE_SAMPLES) {
			d->count[i] = 0;
			changed |= UINT32_C(1) << i;
		}
	}
	d->closed ^= changed;
	return changed;
}

int encoder(struct encoder *e, uint8_t phase)
{
	/* By the phase before and the one now, as for the encoder of a panel without a node. Both contacts at once are no edge
	   one could tell the direction of. */
	static const int8_t edge[16] = { 0, -1, 1, 0, 1, 0, 0, -1, -1, 0, 0, 1, 0, 1, -1, 0 };
	int steps = 0;
	phase &= 3;
	if ((phase ^ e->phase) == 3)
		e->lost++;
	e->edges = (int8_t)(e->edges + edge[e->phase << 2 | phase]);
	e->phase = phase;
	if (phase == 0) { /* at rest a step is whole, whatever edges were missed */
		steps = e->edges >= 2 ? 1 : e->edges <= -2 ? -1 : 0;
		e->edges = 0;
	}
	return steps;
}
