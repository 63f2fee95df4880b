#include "string.h"

void *memcpy(void *restrict to, const void *restrict from, size_t len)
{
	char *t = to;
	const char *f = from;
	while (len-- > 0)
		*t++ = *f++;
	return to;
}

void *memmove(void *to, const void *from, size_t len)
{
	char *t = to;
	const char *f = from;
	if (t < f) {
		for (size_t i = 0; i < len; i++)
			t[i] = f[i];
	} else {
		while (len-- > 0)
			t[len] = f[len];
	}
	return to;
}

void *memset(void *to, int byte, size_t len)
{
	char *t = to;
	while (len-- > 0)
		*t++ = (char)byte;
	return to;
}

int memcmp(const void *a, const void *b, size_t len)
{
	const unsigned char *x = a, *y = b;
	for (; len > 0; len--, x++, y++)
		if (*x != *y)
			return *x - *y;
	return 0;
}
