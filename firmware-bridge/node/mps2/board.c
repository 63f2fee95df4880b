/*
 * The node on QEMU's mps2-an385. UART0 is the bus. What a real node has around its microcontroller hangs on UART1, as
 * lines of text, so that a test can be the player:
 *
 *	to the node	K<contacts>	E<phase of the encoder>	W<bits of the scale>	in hex, one a millisecond
 *	to the node	R	its reset button
 *	from the node	T<text, lines parted by |>	L<lamps>	A<amount prepared, in decimal>	at each change
 */
#include "../board.h"
#include "../input.h"
#include "mps2.h"

/* Bytes between an interrupt and the loop. Bytes that find it full are lost; the bus repeats. */
struct queue {
	volatile uint8_t head, tail; /* they wrap with buf */
	uint8_t buf[256];
};

static struct queue bus, player;
static volatile uint32_t ticks; /* milliseconds */
static uint32_t ticks_seen;
static struct sample now;

/*
 * The interrupt is cleared before the bytes are taken: a byte that came between taking and clearing would never raise
 * another.
 */
static void take(struct uart *u, struct queue *q)
{
	u->intr = UART_RX_SEEN;
	while (u->state & UART_RX_FULL) {
		uint8_t byte = (uint8_t)u->data;
		if ((uint8_t)(q->head + 1) != q->tail) {
			q->buf[q->head] = byte;
			q->head++;
		}
	}
}

static void uart0_rx(void) { take(UART0, &bus); }
static void uart1_rx(void) { take(UART1, &player); }
static void systick(void) { ticks++; }

static bool give(struct queue *q, uint8_t *byte)
{
	if (q->head == q->tail)
		return false;
	*byte = q->buf[q->tail];
	q->tail++;
	return true;
}

static void send(struct uart *u, const uint8_t *p, size_t len)
{
	for (; len > 0; len--) {
		while (u->state & UART_TX_FULL)
			;
		u->data = *p++;
	}
}

void board_start(void)
{
	FLASH_KEPT->starts++;
	SYSTICK->load = CLOCK_HZ / 1000 - 1;
	SYSTICK->val = 0;
	SYSTICK->ctrl = 7; /* core clock, interrupt, on */
	UART0->baud = UART1->baud = CLOCK_HZ / 115200;
	UART0->ctrl = UART1->ctrl = UART_TX_ON | UART_RX_ON | UART_RX_IRQ;
	NVIC_ENABLE = 1u << UART0_RX_IRQ | 1u << UART1_RX_IRQ;
}

uint64_t board_uid(void) { return UID; }

uint8_t board_address(void)
{
	return FLASH_KEPT->addr_mark == KEPT ? (uint8_t)FLASH_KEPT->addr : ADDR_NAMELESS;
}

void board_keep_address(uint8_t addr)
{
	FLASH_KEPT->addr = addr;
	FLASH_KEPT->addr_mark = KEPT;
}

/* There is no source of chance, but nobody knows to the cycle when the first byte comes from the bus. */
uint32_t board_chance(void)
{
	uint32_t x = SYSTICK->val + ticks * 2654435761u + FLASH_KEPT->starts * 2246822519u + (uint32_t)UID;
	x ^= x >> 15;
	x *= 2246822519u;
	x ^= x >> 13;
	return x * 3266489917u;
}

uint64_t board_now(void)
{
	uint32_t ms, left;
	do { /* until no tick came between */
		ms = ticks;
		left = SYSTICK->val;
	} while (ms != ticks);
	return (uint64_t)ms * 1000 + (CLOCK_HZ / 1000 - 1 - left) / (CLOCK_HZ / 1000000);
}

static _Noreturn void start_over(void)
{
	__asm volatile("dsb" ::: "memory");
	RESET = 0x05FA0004;
	for (;;)
		;
}

bool board_receive(uint8_t *byte) { return give(&bus, byte); }
void board_send(const uint8_t *p, size_t len) { send(UART0, p, len); }

bool board_tick(void)
{
	uint32_t t = ticks;
	bool begun = t != ticks_seen;
	ticks_seen = t;
	return begun;
}

/* Waking and looking whether there is reason to must not be parted: with interrupts held back, WFI wakes all the same. */
void board_sleep(void)
{
	__asm volatile("cpsid i" ::: "memory");
	if (bus.head == bus.tail && ticks == ticks_seen)
		__asm volatile("wfi" ::: "memory");
	__asm volatile("cpsie i" ::: "memory");
}

void board_sample(struct sample *s)
{
	static char kind;
	static uint32_t value;
	uint8_t c;
	now.weighed = false;
	while (give(&player, &c)) {
		if (c == 'K' || c == 'E' || c == 'W' || c == 'R') {
			kind = (char)c;
			value = 0;
		} else if (c != '\n') {
			value = value << 4 | (uint32_t)(c <= '9' ? c - '0' : c - 'a' + 10);
		} else if (kind == 'K') {
			now.contacts = value;
			break;
		} else if (kind == 'E') {
			now.phase = (uint8_t)value;
			break;
		} else if (kind == 'R') {
			start_over();
		} else {
			now.counts = hx711(value);
			now.weighed = true;
			break;
		}
	}
	*s = now;
}

void board_display(const struct msg_show *show)
{
	static struct msg_show shown;
	if (show->text_len == shown.text_len && memcmp(show->text, shown.text, shown.text_len) == 0)
		return;
	shown = *show;
	send(UART1, (const uint8_t *)"T", 1);
	for (size_t i = 0; i < shown.text_len; i++)
		send(UART1, shown.text[i] == '\n' ? (const uint8_t *)"|" : &shown.text[i], 1);
	send(UART1, (const uint8_t *)"\n", 1);
}

void board_lamps(uint16_t lit)
{
	static uint16_t shown;
	uint8_t line[6] = { 'L' };
	if (lit == shown)
		return;
	shown = lit;
	for (int i = 0; i < 4; i++)
		line[1 + i] = (uint8_t)"0123456789abcdef"[lit >> (12 - 4 * i) & 15];
	line[5] = '\n';
	send(UART1, line, sizeof line);
}

void board_amount(uint64_t amount)
{
	static uint64_t shown;
	uint8_t line[22], *p = line + sizeof line;
	if (amount == shown)
		return;
	shown = amount;
	*--p = '\n';
	do
		*--p = (uint8_t)('0' + amount % 10);
	while ((amount /= 10) > 0);
	*--p = 'A';
	send(UART1, p, (size_t)(line + sizeof line - p));
}

static void store_image(uint32_t at, const uint8_t *p, size_t len)
{
	FLASH_KEPT->image_mark = 0; /* whatever image was there is not whole any more */
	memcpy(STORE + at, p, len);
}

const struct image_store board_store = { store_image, STORE };

void board_install(uint32_t len, const uint8_t digest[32])
{
	FLASH_KEPT->image_len = len;
	for (int i = 0; i < 32; i++)
		FLASH_KEPT->image_digest[i] = digest[i];
	FLASH_KEPT->image_mark = KEPT;
	start_over();
}

int main(void);

extern uint32_t stack_top[], data_load[], data_start[], data_end[], bss_start[], bss_end[], image_len[];

static void reset(void)
{
	memcpy(data_start, data_load, (size_t)((char *)data_end - (char *)data_start));
	memset(bss_start, 0, (size_t)((char *)bss_end - (char *)bss_start));
	main();
}

static void hang(void)
{
	for (;;)
		;
}

/* Entries 7 to 10, which the core reserves, say what the image is; see image.go. */
__attribute__((section(".vectors"), used)) static const void *const vectors[16 + 32] = {
	stack_top, reset, hang, hang, hang, hang, hang,
	(void *)0x4E4C5654, /* "TVLN" */
	(void *)(KIND_SEAT | VERSION << 16), (void *)SCHEMA_HASH, image_len,
	hang, hang, 0, hang, systick,
	[16 + UART0_RX_IRQ] = uart0_rx, [16 + UART1_RX_IRQ] = uart1_rx,
};
