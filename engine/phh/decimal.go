package phh

import (
	"fmt"
	"strconv"
	"strings"
)

// maxPlaces is how many decimal places an amount may have: 10^18 is the largest power of ten below maxAmount.
const maxPlaces = 18

// decimal is a number as it was written, without rounding: units / 10^places, with no more places than it needs.
type decimal struct {
	units  int64
	places int
}

// parseDecimal reads 300, -2.50 or 1.5e3: a TOML number in base ten, without underscores.
func parseDecimal(s string) (decimal, error) {
	unsigned := strings.TrimLeft(s, "+-")
	mantissa, power, hasPower := strings.Cut(strings.ToLower(unsigned), "e")
	whole, fraction, hasFraction := strings.Cut(mantissa, ".")
	if len(s)-len(unsigned) > 1 || !isDigits(whole) || hasFraction && !isDigits(fraction) {
		return decimal{}, fmt.Errorf("%q is no amount", s)
	}
	digits := strings.TrimLeft(whole+fraction, "0")
	places := len(fraction)
	if hasPower {
		exponent, err := strconv.Atoi(power)
		if err != nil || exponent > 1000 || exponent < -1000 {
			return decimal{}, fmt.Errorf("%q is no amount: bad exponent", s)
		}
		places -= exponent
	}
	for places > 0 && strings.HasSuffix(digits, "0") {
		digits, places = digits[:len(digits)-1], places-1
	}
	switch {
	case digits == "":
		return decimal{}, nil
	case places > maxPlaces:
		return decimal{}, fmt.Errorf("amount %s has more than %d decimal places", s, maxPlaces)
	case places < 0:
		digits, places = digits+strings.Repeat("0", -places), 0
	}
	units, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return decimal{}, fmt.Errorf("amount %s is too large", s)
	}
	if s[0] == '-' {
		units = -units
	}
	return decimal{units, places}, nil
}

func isDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// in gives the number in units of 1/10^places, which must be no fewer places than it has, and whether it is within
// maxAmount.
func (d decimal) in(places int) (Amount, bool) {
	unit := pow10(places - d.places)
	limit := int64(maxAmount) / unit
	if d.units > limit || d.units < -limit {
		return 0, false
	}
	return Amount(d.units * unit), true
}

func (d decimal) sign() int64 {
	switch {
	case d.units < 0:
		return -1
	case d.units > 0:
		return 1
	}
	return 0
}

// pow10 is 10^n, for n up to maxPlaces.
func pow10(n int) int64 {
	p := int64(1)
	for range n {
		p *= 10
	}
	return p
}
