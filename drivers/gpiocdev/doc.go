// Package gpiocdev reads and sets the board's own lines through the kernel's GPIO character device, ABI v2 (Linux 5.10
// and later; linux/gpio.h). Start with [OpenInputs] and [Inputs.Watch], or with [OpenOutputs].
//
// It gives what a panel or a card shoe stands on, and what general libraries leave out: debounce in the kernel, times
// and numbers of edges, a buffer large enough for a busy moment, and an account of edges that were lost all the same.
//
// # Chips and lines
//
// A chip is named by its label, such as pinctrl-rp1, which stays the same when chips come up in another order; gpiochip0
// and /dev/gpiochip0 do as well. A line is named by its name in the device tree (gpio-line-names), or by its number on the
// chip. Without a chip, the one that has the line is taken; if several do, as on a Raspberry Pi 5, that is an error. There
// gpiochip4 is a link to gpiochip0; links are passed over, or every line would be there twice.
//
// The user needs the group gpio. The command gpioinfo lists chips, lines and who uses them.
//
// # Wiring
//
// Levels are 3.3 V. A contact goes between its line and ground, with ActiveLow and PullUp; up to a metre of cable the
// inner pull-up serves, beyond that 4.7 kΩ to 3.3 V. A lamp draws more than a line gives: put a transistor between.
package gpiocdev
