/* The parts of the Arm MPS2+ board with a Cortex-M3 (application note 385) that the node uses, and its memory. */
#ifndef MPS2_H
#define MPS2_H

#include <stdbool.h>
#include <stdint.h>

enum { CLOCK_HZ = 25000000 };

struct uart { /* CMSDK APB UART */
	volatile uint32_t data, state, ctrl, intr, baud;
};
enum {
	UART_TX_FULL = 1 << 0, /* of state */
	UART_RX_FULL = 1 << 1,
	UART_TX_ON = 1 << 0, /* of ctrl */
	UART_RX_ON = 1 << 1,
	UART_RX_IRQ = 1 << 3,
	UART_RX_SEEN = 1 << 1 /* of intr: write to clear */
};
#define UART0 ((struct uart *)0x40004000)
#define UART1 ((struct uart *)0x40005000)
enum { UART0_RX_IRQ = 0, UART1_RX_IRQ = 2 };

struct systick {
	volatile uint32_t ctrl, load, val;
};
#define SYSTICK ((struct systick *)0xE000E010)
#define NVIC_ENABLE (*(volatile uint32_t *)0xE000E100)
#define VECTORS (*(volatile uint32_t *)0xE000ED08)
#define RESET (*(volatile uint32_t *)0xE000ED0C) /* 05FA0004 starts over */

/*
 * The code memory is RAM, which serves as flash: it outlives a start over, but not the power.
 *
 *	00000000  boot stage
 *	00008000  slot: the image that runs
 *	00100000  store: the image the node was sent
 *	00200000  what is kept of it, and of the node
 *	003FFFF0  serial number, put there by whoever makes the board
 */
#define SLOT ((uint8_t *)0x00008000)
#define STORE ((uint8_t *)0x00100000)
#define UID (*(volatile uint64_t *)0x003FFFF0)

struct kept {
	uint32_t addr_mark; /* KEPT where addr holds */
	uint32_t addr;
	uint32_t starts;
	uint32_t image_mark; /* KEPT where the store has a whole image */
	uint32_t image_len;
	uint8_t image_digest[32];
};
#define FLASH_KEPT ((volatile struct kept *)0x00200000)
enum { KEPT = 0x4B455054 };

#endif
