/* Tests of what has no counterpart in package bridge: the inputs. Prints what failed and exits with 1. */
#include <stdio.h>

#include "input.h"
#include "node.h"

static int faults;

#define CHECK(got, want) check(#got, (long long)(got), (long long)(want), __LINE__)

static void check(const char *what, long long got, long long want, int line)
{
	if (got != want) {
		printf("test.c:%d: %s is %lld, want %lld\n", line, what, got, want);
		faults++;
	}
}

/* The changes over samples of one contact: each byte of s is a sample, '1' where it touches. */
static unsigned changes(struct debounce *d, int contact, const char *s)
{
	unsigned n = 0;
	for (; *s; s++)
		n += debounce(d, *s == '1' ? 1u << contact : 0u) >> contact & 1;
	return n;
}

static void test_debounce(void)
{
	struct debounce d = { 0 };
	CHECK(changes(&d, 3, "1111"), 0);
	CHECK(changes(&d, 3, "1"), 1);
	CHECK(d.closed, 1 << 3);
	CHECK(changes(&d, 3, "101001011010111011"), 0); /* bounce while it is down */
	CHECK(changes(&d, 3, "0000100001000010000"), 0);
	CHECK(changes(&d, 3, "0000000000"), 1);
	CHECK(d.closed, 0);
	CHECK(changes(&d, 31, "10111011110111110000000"), 2); /* a press with bounce, and its release */
	CHECK(debounce(&d, 0), 0);
	for (int i = 1; i < DEBOUNCE_SAMPLES; i++)
		CHECK(debounce(&d, 0x80000001), 0);
	CHECK(debounce(&d, 0x80000001), 0x80000001); /* two at once */
}

/* The steps over samples of the encoder: each byte of s is a phase. */
static int turned(struct encoder *e, const char *s)
{
	int n = 0;
	for (; *s; s++)
		n += encoder(e, (uint8_t)(*s - '0'));
	return n;
}

static void test_encoder(void)
{
	struct encoder e = { 0 };
	CHECK(turned(&e, "0000"), 0);
	CHECK(turned(&e, "2310"), 1); /* B leads: clockwise, as in drivers/panel */
	CHECK(turned(&e, "1320"), -1);
	CHECK(turned(&e, "231023102310"), 3);
	CHECK(turned(&e, "2320"), 0);           /* half a step and back */
	CHECK(turned(&e, "20202232323311310"), 1); /* bounce at each edge */
	CHECK(e.lost, 0);
	CHECK(turned(&e, "20"), 0);
	CHECK(turned(&e, "210"), 1); /* an edge came between two samples */
	CHECK(e.lost, 1);
	CHECK(turned(&e, "2310"), 1);
}

static void test_hx711(void)
{
	CHECK(hx711(0x000000), 0);
	CHECK(hx711(0x7FFFFF), 8388607);
	CHECK(hx711(0x800000), -8388608);
	CHECK(hx711(0xFFFFFF), -1);
}

static void test_crc(void) { CHECK(crc16((const uint8_t *)"123456789", 9), 0x29B1); }

int main(void)
{
	test_debounce();
	test_encoder();
	test_hx711();
	test_crc();
	return faults > 0;
}
