// Package crc holds the 16-bit checksums of the readers' protocols and of the tags behind them that work from the low
// bit up. They share the polynomial of CCITT, here 8408 hex since its bits are turned round.
package crc

// MCRF4XX is the checksum of FEIG readers: start value FFFF hex, no final xor. Check value over "123456789": 6F91 hex.
func MCRF4XX(p []byte) uint16 { return reflected(0xFFFF, p) }

// X25 is that of ISO/IEC 15693 on the air (ISO/IEC 13239): start value FFFF hex, all bits inverted at the end. Check value: 906E hex.
func X25(p []byte) uint16 { return ^reflected(0xFFFF, p) }

// ISO14443A is that of ISO/IEC 14443-3 type A: start value 6363 hex, no final xor. Check value: BF05 hex.
func ISO14443A(p []byte) uint16 { return reflected(0x6363, p) }

func reflected(crc uint16, p []byte) uint16 {
	for _, b := range p {
		crc ^= uint16(b)
		for range 8 {
			carry := crc&1 != 0
			crc >>= 1
			if carry {
				crc ^= 0x8408
			}
		}
	}
	return crc
}

// EPC is the checksum of EPC Gen2 tags (CRC-16/GENIBUS), from the high bit down: polynomial 1021 hex, start value FFFF
// hex, all bits inverted at the end. Check value: D64E hex.
func EPC(p []byte) uint16 {
	crc := uint16(0xFFFF)
	for _, b := range p {
		crc ^= uint16(b) << 8
		for range 8 {
			carry := crc&0x8000 != 0
			crc <<= 1
			if carry {
				crc ^= 0x1021
			}
		}
	}
	return ^crc
}
