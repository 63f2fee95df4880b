/* The loop between a board and its node. */
#include "board.h"
#include "input.h"

enum { BLINK_US = 250000 };

/* The bus first: a reply must come within 2 ms. */
static void serve_bus(struct node *n)
{
	uint8_t byte, reply[FRAME_MAX];
	while (board_receive(&byte)) {
		if (n->id.boot == 0)
			n->id.boot = board_chance() | 1;
		uint8_t addr = n->addr;
		size_t len = node_receive(n, board_now(), byte, reply);
		if (len > 0)
			board_send(reply, len);
		if (n->addr != addr)
			board_keep_address(n->addr);
		if (node_installed(n))
			board_install(n->offer.size, n->offer.digest);
	}
}

static void take_contact(struct node *n, uint64_t now, uint8_t contact, bool closed)
{
	if (0 < contact && contact < KEY_COUNT)
		node_key(n, now, contact, closed);
	else if (!closed)
		return;
	else if (contact == CONTACT_CLEAR)
		node_clear(n);
	else if (contact == CONTACT_PLUS || contact == CONTACT_MINUS)
		node_turn(n, contact == CONTACT_PLUS ? 1 : -1);
	else if (CONTACT_DIGIT <= contact && contact < CONTACT_DIGIT + 10)
		node_digit(n, contact - CONTACT_DIGIT);
}

static void serve_player(struct node *n, struct debounce *contacts, struct encoder *knob)
{
	struct sample s;
	uint64_t now = board_now();
	board_sample(&s);
	uint32_t changed = debounce(contacts, s.contacts);
	for (uint8_t i = 0; i < 32; i++)
		if (changed >> i & 1)
			take_contact(n, now, i, contacts->closed >> i & 1);
	int steps = encoder(knob, s.phase);
	if (steps != 0)
		node_turn(n, steps);
	if (s.weighed)
		node_weigh(n, now, s.counts);
	bool dark = now / BLINK_US % 2;
	board_display(&n->show);
	board_amount(n->amount);
	board_lamps((uint16_t)(dark ? n->lamps.on & ~n->lamps.blink : n->lamps.on | n->lamps.blink));
}

int main(void)
{
	static struct node n;
	static struct debounce contacts;
	static struct encoder knob;
	board_start();
	struct msg_identity id = { .uid = board_uid(), .schema = SCHEMA_HASH, .version = VERSION, .kind = KIND_SEAT };
	node_start(&n, board_address(), &id, &board_store);
	for (;;) {
		serve_bus(&n);
		if (board_tick())
			serve_player(&n, &contacts, &knob);
		board_sleep();
	}
}
