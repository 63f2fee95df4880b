package bridge

// CRC16 returns the CRC-16/IBM-3740 of p (also named CCITT-FALSE): polynomial 1021 hex, start value FFFF hex, no
// reflection, no final xor. Its check value over "123456789" is 29B1 hex. Readers that frame with the same checksum
// use it too.
func CRC16(p []byte) uint16 {
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
	return crc
}
