// SPDX-License-Identifier: GPL-2.0
/*
 * hwsim: I2C adapters and an SPI controller whose devices are a program. Each transfer on one of the buses becomes one
 * request, which the program reads from /dev/hwsim, and which waits for the answer that the program writes there. Drivers
 * and programs on the other side use /dev/i2c-* and /dev/spidev* as on any board. The Go end is package drivers/sim.
 * And a UART can be made one that switches an RS-485 transceiver. On the first I2C bus the kernel is told of a converter
 * for load cells, an NAU7802 at 0x2a that makes 3.3 V for its cell, as a device tree tells it: its driver finds the chip
 * once a program plays it.
 *
 *	request:  u32 id, u8 kind (1 I2C, 2 SPI), u8 bus, u16 address or chip select, u16 parts, then for each part
 *	          u16 flags, u16 length, and the bytes that go out: none in an I2C part that reads
 *	answer:   u32 id, s32 error (0, or as -ENXIO where no chip answers), the bytes that come in: those of the I2C parts
 *	          that read, one after the other; of SPI as many as went out
 *
 * An HX711, the other converter for load cells, is played here, bit by bit: its clock is too fast for a program. The parameter
 * hx711 is what it reads of its input A at a gain of 128, or "gone" where its wires are off.
 *
 * Numbers are in the machine's order. An SPI message with several transfers becomes several requests; the last of them, or
 * one after which chip select rises, says so in its flags. Without a program at the other end no chip answers.
 */
#include <linux/gpio/driver.h>
#include <linux/gpio/machine.h>
#include <linux/i2c.h>
#include <linux/ktime.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/platform_device.h>
#include <linux/poll.h>
#include <linux/property.h>
#include <linux/regulator/driver.h>
#include <linux/regulator/machine.h>
#include <linux/serial_8250.h>
#include <linux/slab.h>
#include <linux/spi/spi.h>
#include <linux/uaccess.h>
#include <linux/version.h>
#include <linux/wait.h>

enum { KIND_I2C = 1, KIND_SPI = 2 };
enum { PART_READ = 1, PART_RELEASE = 4 };
enum { ADAPTERS = 2, CHIP_SELECTS = 4, UARTS = 32 /* 8250.nr_uarts of the command line */ };
#define REQUEST_MAX 65536
#define ANSWER_HEAD 8
#define PATIENCE (20 * HZ) /* for the program's answer, on a machine that is busy elsewhere */

struct request {
	u8 *bytes;
	size_t len, room;
	bool taken, answered;
	int err;
	u8 *answer; /* has room for as much as can come in */
	size_t answer_len, answer_room;
};

static DEFINE_MUTEX(wire); /* one transfer at a time, whichever bus it is on */
static DEFINE_MUTEX(lock); /* guards what follows */
static struct request *current_request;
static u32 last_id;
static int users;
static DECLARE_WAIT_QUEUE_HEAD(asked);
static DECLARE_WAIT_QUEUE_HEAD(replied);

static void put(struct request *r, const void *p, size_t len)
{
	if (r->len + len <= r->room)
		memcpy(r->bytes + r->len, p, len);
	r->len += len;
}

static int begin(struct request *r, size_t answer_room, u8 kind, u8 bus, u16 addr, u16 parts)
{
	u32 id = 0; /* given when it is sent */

	memset(r, 0, sizeof(*r));
	r->room = REQUEST_MAX;
	r->answer_room = answer_room;
	r->bytes = kmalloc(r->room, GFP_KERNEL);
	r->answer = kmalloc(answer_room + 1, GFP_KERNEL);
	if (!r->bytes || !r->answer)
		return -ENOMEM;
	put(r, &id, sizeof(id));
	put(r, &kind, sizeof(kind));
	put(r, &bus, sizeof(bus));
	put(r, &addr, sizeof(addr));
	put(r, &parts, sizeof(parts));
	return 0;
}

static void end(struct request *r)
{
	kfree(r->bytes);
	kfree(r->answer);
}

/* Has the program carry out a request. */
static int carry_out(struct request *r)
{
	if (r->len > r->room)
		return -EMSGSIZE;
	mutex_lock(&wire);
	mutex_lock(&lock);
	if (!users) {
		mutex_unlock(&lock);
		mutex_unlock(&wire);
		return -ENXIO;
	}
	last_id++;
	memcpy(r->bytes, &last_id, sizeof(last_id));
	current_request = r;
	mutex_unlock(&lock);
	wake_up_interruptible(&asked);
	wait_event_timeout(replied, READ_ONCE(r->answered), PATIENCE);
	mutex_lock(&lock);
	current_request = NULL;
	if (!r->answered)
		r->err = -ETIMEDOUT;
	mutex_unlock(&lock);
	mutex_unlock(&wire);
	return r->err;
}

/* The program's end. */

static bool waiting(void)
{
	bool is;

	mutex_lock(&lock);
	is = current_request && !current_request->taken;
	mutex_unlock(&lock);
	return is;
}

static ssize_t hwsim_read(struct file *f, char __user *to, size_t len, loff_t *at)
{
	ssize_t n = -EAGAIN; /* it was given up meanwhile, or there is none */

	if (!(f->f_flags & O_NONBLOCK) && wait_event_interruptible(asked, waiting()))
		return -ERESTARTSYS;
	mutex_lock(&lock);
	if (current_request && !current_request->taken) {
		n = min(len, current_request->len);
		current_request->taken = true;
		if (copy_to_user(to, current_request->bytes, n))
			n = -EFAULT;
	}
	mutex_unlock(&lock);
	return n;
}

static ssize_t hwsim_write(struct file *f, const char __user *from, size_t len, loff_t *at)
{
	struct request *r;
	struct { u32 id; s32 err; } head;
	ssize_t n = len;

	if (len < ANSWER_HEAD || copy_from_user(&head, from, ANSWER_HEAD))
		return -EINVAL;
	mutex_lock(&lock);
	r = current_request;
	if (!r || !r->taken || memcmp(r->bytes, &head.id, sizeof(head.id))) {
		n = -ESTALE;
	} else if (len - ANSWER_HEAD > r->answer_room || head.err > 0) {
		n = -EINVAL;
	} else if (copy_from_user(r->answer, from + ANSWER_HEAD, len - ANSWER_HEAD)) {
		n = -EFAULT;
	} else {
		r->answer_len = len - ANSWER_HEAD;
		r->err = head.err;
		WRITE_ONCE(r->answered, true);
	}
	mutex_unlock(&lock);
	wake_up(&replied);
	return n;
}

static __poll_t hwsim_poll(struct file *f, poll_table *p)
{
	poll_wait(f, &asked, p);
	return EPOLLOUT | EPOLLWRNORM | (waiting() ? EPOLLIN | EPOLLRDNORM : 0);
}

static int hwsim_open(struct inode *inode, struct file *f)
{
	mutex_lock(&lock);
	users++;
	mutex_unlock(&lock);
	return 0;
}

static int hwsim_release(struct inode *inode, struct file *f)
{
	mutex_lock(&lock);
	users--;
	mutex_unlock(&lock);
	return 0;
}

static const struct file_operations hwsim_file = {
	.owner = THIS_MODULE, .open = hwsim_open, .release = hwsim_release,
	.read = hwsim_read, .write = hwsim_write, .poll = hwsim_poll,
};
static struct miscdevice hwsim_misc = { .minor = MISC_DYNAMIC_MINOR, .name = "hwsim", .fops = &hwsim_file };

/* I2C */

static struct i2c_adapter adapters[ADAPTERS];

static int hwsim_i2c(struct i2c_adapter *a, struct i2c_msg *msgs, int count)
{
	struct request r;
	size_t room = 0, at = 0;
	int i, err;

	for (i = 0; i < count; i++)
		if (msgs[i].flags & I2C_M_RD)
			room += msgs[i].len;
	err = begin(&r, room, KIND_I2C, a - adapters, msgs[0].addr, count);
	if (err)
		goto out;
	for (i = 0; i < count; i++) {
		u16 flags = msgs[i].flags & I2C_M_RD ? PART_READ : 0;

		put(&r, &flags, sizeof(flags));
		put(&r, &msgs[i].len, sizeof(msgs[i].len));
		if (!flags)
			put(&r, msgs[i].buf, msgs[i].len);
	}
	err = carry_out(&r);
	if (!err && r.answer_len != room)
		err = -EIO;
	for (i = 0; !err && i < count; i++) {
		if (msgs[i].flags & I2C_M_RD) {
			memcpy(msgs[i].buf, r.answer + at, msgs[i].len);
			at += msgs[i].len;
		}
	}
out:
	end(&r);
	return err ? err : count;
}

static u32 hwsim_i2c_can(struct i2c_adapter *a) { return I2C_FUNC_I2C | I2C_FUNC_SMBUS_EMUL; }

static const struct i2c_algorithm hwsim_algorithm = { .master_xfer = hwsim_i2c, .functionality = hwsim_i2c_can };

static const struct property_entry converter_properties[] = { PROPERTY_ENTRY_U32("nuvoton,vldo", 3300), {} };
static const struct software_node converter_node = { .properties = converter_properties };
static const struct i2c_board_info converter = { I2C_BOARD_INFO("nau7802", 0x2a), .swnode = &converter_node };

/* SPI */

static u16 select_of(struct spi_device *s)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
	return spi_get_chipselect(s, 0);
#else
	return s->chip_select;
#endif
}

static int hwsim_spi(struct spi_controller *c, struct spi_device *s, struct spi_transfer *t)
{
	struct request r;
	u16 len = t->len, flags = 0;
	int err = t->len > REQUEST_MAX / 2 ? -EMSGSIZE : begin(&r, len, KIND_SPI, 0, select_of(s), 1);

	if (err == -EMSGSIZE)
		return err;
	if (err)
		goto out;
	if (t->cs_change || list_is_last(&t->transfer_list, &c->cur_msg->transfers))
		flags |= PART_RELEASE;
	put(&r, &flags, sizeof(flags));
	put(&r, &len, sizeof(len));
	if (t->tx_buf)
		put(&r, t->tx_buf, len);
	else { /* the line stays low */
		memset(r.bytes + r.len, 0, len);
		r.len += len;
	}
	err = carry_out(&r);
	if (!err && r.answer_len != len)
		err = -EIO;
	if (!err && t->rx_buf)
		memcpy(t->rx_buf, r.answer, len);
out:
	end(&r);
	return err;
}

static struct platform_device *board;
static struct spi_controller *controller;

static int hwsim_add_spi(void)
{
	int i, err;

	controller = spi_alloc_master(&board->dev, 0);
	if (!controller)
		return -ENOMEM;
	controller->bus_num = 0;
	controller->num_chipselect = CHIP_SELECTS;
	controller->mode_bits = SPI_CPOL | SPI_CPHA | SPI_CS_HIGH | SPI_LSB_FIRST | SPI_NO_CS;
	controller->max_speed_hz = 50000000;
	controller->transfer_one = hwsim_spi;
	err = spi_register_controller(controller);
	if (err) {
		spi_controller_put(controller);
		return err;
	}
	for (i = 0; i < CHIP_SELECTS; i++) {
		/* spidev takes none but devices it knows by name; this is one. */
		struct spi_board_info info = { .modalias = "dh2228fv", .max_speed_hz = 50000000, .chip_select = i };

		if (!spi_new_device(controller, &info))
			pr_err("hwsim: no device at chip select %d\n", i);
	}
	return 0;
}

/*
 * RS-485: the parameter rs485 is the number of a UART (ttyS) whose driver is to switch a transceiver by RTS. The kernel's
 * driver can, but does for few kinds of UARTs, of which the emulator has none.
 */

struct uart_8250_port *serial8250_get_port(int line);
extern typeof(*((struct uart_port *)0)->rs485_config) serial8250_em485_config;
extern typeof(*((struct uart_8250_port *)0)->rs485_start_tx) serial8250_em485_start_tx;
extern typeof(*((struct uart_8250_port *)0)->rs485_stop_tx) serial8250_em485_stop_tx;
extern const struct serial_rs485 serial8250_em485_supported;

static int hwsim_rs485(const char *text, const struct kernel_param *param)
{
	struct uart_8250_port *u;
	unsigned int line;
	int err = kstrtouint(text, 10, &line);

	if (err)
		return err;
	if (line >= UARTS)
		return -ERANGE;
	u = serial8250_get_port(line);
	u->port.rs485_config = serial8250_em485_config;
	u->port.rs485_supported = serial8250_em485_supported;
	u->rs485_start_tx = serial8250_em485_start_tx;
	u->rs485_stop_tx = serial8250_em485_stop_tx;
	return 0;
}

static const struct kernel_param_ops hwsim_rs485_ops = { .set = hwsim_rs485 };
module_param_cb(rs485, &hwsim_rs485_ops, NULL, 0200);

/*
 * HX711. A conversion is there when DOUT is low. The first 24 pulses of SCK give its bits, the highest first; the 25th has
 * DOUT rise and starts the next conversion, of input A at a gain of 128, a 26th one of input B, to which nothing is wired, a
 * 27th one of A at 64. SCK high for 60 us is the chip's reset; since an emulated processor may stand still for that long
 * between two instructions, what counts here is whether it was promised not to: by interrupts that are off meanwhile.
 */

enum { HX711_SCK, HX711_DOUT, HX711_LINES };
#define HX711_PERIOD 100 /* ms, and SETTLES after a reset */
#define HX711_SETTLES 400

static int hx711_lies;
static bool hx711_gone;
static bool hx711_off; /* SCK is high for long */
static u32 hx711_bits; /* of the conversion that is read */
static unsigned int hx711_pulses = 25;
static ktime_t hx711_due;

static void hx711_start(unsigned int ms) { hx711_due = ktime_add_ms(ktime_get(), ms); }

static int hx711_get(struct gpio_chip *g, unsigned int line)
{
	if (READ_ONCE(hx711_gone) || hx711_off)
		return 1;
	if (hx711_pulses >= 25 && !ktime_before(ktime_get(), hx711_due)) {
		int lies = READ_ONCE(hx711_lies);

		hx711_bits = hx711_pulses == 26 ? 0 : hx711_pulses == 27 ? lies / 2 : lies;
		hx711_pulses = 0;
	}
	if (hx711_pulses == 0 || hx711_pulses >= 25)
		return hx711_pulses != 0;
	return hx711_bits >> (24 - hx711_pulses) & 1;
}

static void hx711_set(struct gpio_chip *g, unsigned int line, int high)
{
	if (line != HX711_SCK)
		return;
	if (!high && hx711_off) {
		hx711_off = false;
		hx711_pulses = 25;
		hx711_start(HX711_SETTLES);
	}
	if (!high)
		return;
	hx711_off = !irqs_disabled();
	if (++hx711_pulses >= 25)
		hx711_start(HX711_PERIOD);
}

static int hx711_direction(struct gpio_chip *g, unsigned int line)
{
	return line == HX711_SCK ? GPIO_LINE_DIRECTION_OUT : GPIO_LINE_DIRECTION_IN;
}

static int hx711_input(struct gpio_chip *g, unsigned int line) { return line == HX711_DOUT ? 0 : -EINVAL; }

static int hx711_output(struct gpio_chip *g, unsigned int line, int high)
{
	hx711_set(g, line, high);
	return line == HX711_SCK ? 0 : -EINVAL;
}

static struct gpio_chip hx711_chip = {
	.label = "hwsim-hx711", .owner = THIS_MODULE, .base = -1, .ngpio = HX711_LINES, .get = hx711_get, .set = hx711_set,
	.get_direction = hx711_direction, .direction_input = hx711_input, .direction_output = hx711_output,
};
static struct gpiod_lookup_table hx711_wires = {
	.dev_id = "hx711-gpio",
	.table = {
		GPIO_LOOKUP("hwsim-hx711", HX711_SCK, "sck", GPIO_ACTIVE_HIGH),
		GPIO_LOOKUP("hwsim-hx711", HX711_DOUT, "dout", GPIO_ACTIVE_HIGH), {},
	},
};

static const struct regulator_ops supply_ops = {};
static const struct regulator_desc supply = {
	.name = "hwsim-5V", .owner = THIS_MODULE, .type = REGULATOR_VOLTAGE, .ops = &supply_ops, .n_voltages = 1, .fixed_uV = 5000000,
};
static struct regulator_consumer_supply supplied = REGULATOR_SUPPLY("avdd", "hx711-gpio");
static const struct regulator_init_data supply_data = {
	.constraints = { .always_on = true }, .num_consumer_supplies = 1, .consumer_supplies = &supplied,
};

static struct platform_device *hx711;

static int hwsim_add_hx711(void)
{
	struct regulator_config config = { .dev = &board->dev, .init_data = &supply_data };
	int err;

	if (IS_ERR(devm_regulator_register(&board->dev, &supply, &config)))
		return -ENODEV;
	hx711_chip.parent = &board->dev;
	err = devm_gpiochip_add_data(&board->dev, &hx711_chip, NULL);
	if (err)
		return err;
	gpiod_add_lookup_table(&hx711_wires);
	hx711 = platform_device_register_simple("hx711-gpio", -1, NULL, 0);
	if (!IS_ERR(hx711))
		return 0;
	gpiod_remove_lookup_table(&hx711_wires);
	return PTR_ERR(hx711);
}

static void hwsim_remove_hx711(void)
{
	platform_device_unregister(hx711);
	gpiod_remove_lookup_table(&hx711_wires);
}

static int hwsim_hx711(const char *text, const struct kernel_param *param)
{
	int lies, err;

	if (sysfs_streq(text, "gone")) {
		WRITE_ONCE(hx711_gone, true);
		return 0;
	}
	err = kstrtoint(text, 10, &lies);
	if (err)
		return err;
	WRITE_ONCE(hx711_lies, clamp(lies, -0x800000, 0x7fffff));
	WRITE_ONCE(hx711_gone, false);
	return 0;
}

static const struct kernel_param_ops hwsim_hx711_ops = { .set = hwsim_hx711 };
module_param_cb(hx711, &hwsim_hx711_ops, NULL, 0200);

static int __init hwsim_init(void)
{
	int i = 0, err;

	board = platform_device_register_simple("hwsim", -1, NULL, 0);
	if (IS_ERR(board))
		return PTR_ERR(board);
	for (; i < ADAPTERS; i++) {
		struct i2c_adapter *a = &adapters[i];

		a->owner = THIS_MODULE;
		a->algo = &hwsim_algorithm;
		a->dev.parent = &board->dev;
		a->nr = i;
		snprintf(a->name, sizeof(a->name), "hwsim-%d", i);
		err = i2c_add_numbered_adapter(a);
		if (err)
			goto no_i2c;
	}
	if (IS_ERR(i2c_new_client_device(&adapters[0], &converter)))
		pr_err("hwsim: no converter\n");
	err = hwsim_add_spi();
	if (err)
		goto no_i2c;
	err = hwsim_add_hx711();
	if (err)
		goto no_hx711;
	err = misc_register(&hwsim_misc);
	if (!err)
		return 0;
	hwsim_remove_hx711();
no_hx711:
	spi_unregister_controller(controller);
no_i2c:
	while (i-- > 0)
		i2c_del_adapter(&adapters[i]);
	platform_device_unregister(board);
	return err;
}

static void __exit hwsim_exit(void)
{
	int i;

	misc_deregister(&hwsim_misc);
	hwsim_remove_hx711();
	spi_unregister_controller(controller);
	for (i = 0; i < ADAPTERS; i++)
		i2c_del_adapter(&adapters[i]);
	platform_device_unregister(board);
}

module_init(hwsim_init);
module_exit(hwsim_exit);
MODULE_DESCRIPTION("I2C and SPI buses whose devices are a program");
MODULE_LICENSE("GPL");
