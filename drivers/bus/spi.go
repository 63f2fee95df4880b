package bus

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"periph.io/x/conn/v3/physic"
	"periph.io/x/conn/v3/spi"
	"periph.io/x/host/v3/sysfs"
)

// SPI is a device on an SPI bus, with its chip select. It is for one goroutine.
type SPI struct {
	port  *sysfs.SPI
	conn  spi.Conn
	limit int
}

// bufsiz is how many bytes the kernel takes at once.
const (
	bufsiz      = "/sys/module/spidev/parameters/bufsiz"
	usualBufsiz = 4096
)

// OpenSPI opens the device at a path such as /dev/spidev0.0, in mode 0 to 3, at a speed that the kernel may lower.
func OpenSPI(path string, speed physic.Frequency, mode spi.Mode) (*SPI, error) {
	n, err := number(path, "spidev%d.%d")
	if err != nil {
		return nil, fmt.Errorf("bus: %w", err)
	}
	port, err := sysfs.NewSPI(n[0], n[1])
	if err != nil {
		return nil, fmt.Errorf("bus: %s: %w", path, err)
	}
	conn, err := port.Connect(speed, mode, 8)
	if err != nil {
		_ = port.Close() // of no interest beside the error
		return nil, fmt.Errorf("bus: %s: %w", path, err)
	}
	s := &SPI{port: port, conn: conn, limit: usualBufsiz}
	if text, err := os.ReadFile(bufsiz); err == nil {
		if n, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil && n > 0 {
			s.limit = n
		}
	}
	return s, nil
}

// Limit is how many bytes go in one transfer, 4096 unless the kernel was started with another spidev.bufsiz.
func (s *SPI) Limit() int { return s.limit }

// Write sends all of b. More than Limit goes in several transfers, between which chip select may rise.
func (s *SPI) Write(b []byte) (int, error) {
	for at := 0; at < len(b); at += s.limit {
		if err := s.conn.Tx(b[at:min(at+s.limit, len(b))], nil); err != nil {
			return at, fmt.Errorf("bus: %s: %w", s.port, err)
		}
	}
	return len(b), nil
}

// Tx sends w while it reads r, of the same length, in one transfer of no more than Limit, with chip select active
// throughout.
func (s *SPI) Tx(w, r []byte) error {
	if err := s.conn.Tx(w, r); err != nil {
		return fmt.Errorf("bus: %s: %w", s.port, err)
	}
	return nil
}

// Close gives the device back.
func (s *SPI) Close() error { return s.port.Close() }
