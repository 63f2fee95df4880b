/* SHA-256 (FIPS 180-4), of data that comes in pieces. */
#ifndef SHA256_H
#define SHA256_H

#include <stddef.h>
#include <stdint.h>

struct sha256 {
	uint32_t h[8];
	uint32_t len; /* bytes so far */
	uint8_t block[64];
};

void sha256_begin(struct sha256 *s);
void sha256_add(struct sha256 *s, const uint8_t *p, size_t len);
void sha256_end(struct sha256 *s, uint8_t digest[32]);

#endif
