/*
 * The boot stage: puts the image in the store into the slot if the slot does not hold it yet, and runs the slot. It does
 * so at each start, so that power which fails while the slot is being written does no harm, and a slot that has lost a
 * bit is mended. It cannot be replaced over the bus.
 */
#include <string.h>

#include "../sha256.h"
#include "mps2.h"

static bool holds(const uint8_t *p, const struct kept *want)
{
	struct sha256 s;
	uint8_t digest[32];
	sha256_begin(&s);
	sha256_add(&s, p, want->image_len);
	sha256_end(&s, digest);
	return memcmp(digest, want->image_digest, sizeof digest) == 0;
}

void boot(void)
{
	struct kept want = *(const struct kept *)FLASH_KEPT;
	if (want.image_mark == KEPT && !holds(SLOT, &want) && holds(STORE, &want))
		memcpy(SLOT, STORE, want.image_len);
	VECTORS = (uint32_t)SLOT;
	uint32_t stack = *(uint32_t *)SLOT, start = *(uint32_t *)(SLOT + 4);
	__asm volatile("msr msp, %0\n\tbx %1" : : "r"(stack), "r"(start) : "memory");
	__builtin_unreachable();
}

static void hang(void)
{
	for (;;)
		;
}

extern uint32_t stack_top[];

__attribute__((section(".vectors"), used)) static const void *const vectors[16] = { stack_top, boot, hang, hang };
