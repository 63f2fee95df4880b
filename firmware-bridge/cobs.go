package bridge

import "errors"

var errCOBS = errors.New("bridge: not a COBS encoding")

// appendCOBS appends src to dst in Consistent Overhead Byte Stuffing (Cheshire and Baker, 1999): no zero byte is left,
// at the price of one byte in 254, so that a zero on the wire is the end of a frame and nothing else.
func appendCOBS(dst, src []byte) []byte {
	run := len(dst) // where the length of the current run goes
	dst = append(dst, 1)
	for i, b := range src {
		if b != 0 {
			dst = append(dst, b)
			dst[run]++
		}
		if b == 0 || dst[run] == 0xFF && i+1 < len(src) {
			run = len(dst)
			dst = append(dst, 1)
		}
	}
	return dst
}

// decodeCOBS undoes appendCOBS in place and returns the front of p that holds the result.
func decodeCOBS(p []byte) ([]byte, error) {
	out := p[:0]
	for i := 0; i < len(p); {
		run := int(p[i])
		if run == 0 || i+run > len(p) {
			return nil, errCOBS
		}
		for _, b := range p[i+1 : i+run] {
			if b == 0 {
				return nil, errCOBS
			}
			out = append(out, b)
		}
		i += run
		if run < 0xFF && i < len(p) {
			out = append(out, 0)
		}
	}
	return out, nil
}
