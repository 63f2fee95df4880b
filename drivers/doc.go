// Package drivers is the folder of what talks to hardware; it holds no code. Each driver is a package with its wiring, its
// data sheet and its protocol in the package comment, gives readings and no meaning, and is like the others in this: New
// takes options and touches no hardware; Run holds the device, through hangs and unplugging, until its context ends, and
// leaves it at rest; Reports is where readings come out, and a port.State when the device comes up or is lost.
//
//	port bus gpiocdev      the ways of the kernel: serial ports, I²C and SPI, lines; loadcell reads its industrial I/O
//	framing crc            what the serial protocols share
//	rfid                   what all readers share; iso14443 and iso15693 find several tags in a field
//	feig pepper uhf        readers with a protocol of their own on a serial port; pn532, also on I²C
//	mfrc522 pn5180         reader chips on SPI
//	contact panel mcp23017 contacts of a shoe and a betting line; keys, encoders, lamps
//	lamp screen            lamps that stand for themselves; displays
//	seatnode               all that is at a seat, behind the bus of package bridge
//	sim                    a counterpart of each, at the far end of its wire
//	drivertest             what every driver of a kind must pass; of readers, rfid/rfidtest
//
// # Whose drivers
//
// Those of periph.io/x/devices serve where they say all that a driver here must know. Of tinygo.org/x/drivers none does: what of
// it builds outside a microcontroller periph.io has too, and that tells its errors. The packages say more of each.
//
//	I²C, SPI    periph.io's sysfs, opened by number: its host.Init is not called
//	SSD1306     periph.io's, and beside it a look whether the display was reset; TinyGo's swallows errors while it sets it up
//	PCA9685     periph.io's; TinyGo's tells of no error when it sets a lamp
//	TCA9548A    own: periph.io's takes a channel for open that a multiplexer without supply has closed
//	SH1106, ST7789, ILI9341  own: periph.io has none, TinyGo's do not build
//	MCP23017    own: both leave out the interrupt and what it captures
//	MFRC522     own: periph.io's takes two tags for an error; TinyGo has none
//	WS2812      own: periph.io's ends a strip too soon for newer lamps; TinyGo's does not build
//	lines       own: periph.io leaves out debouncing, times, losses and the size of the buffer
//	serial      go.bug.st/serial sets speed and framing; bytes go by the runtime's poller
//	PN532, PN5180, UHF, FEIG, Pepper  own: there are none
//	HX711, NAU7802  the kernel's: the clock of the former is too fast for a program, such as periph.io's
package drivers
