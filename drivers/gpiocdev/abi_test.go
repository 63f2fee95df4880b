package gpiocdev

import (
	"testing"
	"unsafe"
)

// The layouts are the header's, as a C compiler sees it. A field that slipped would make the kernel read rubbish.
func TestLayouts(t *testing.T) {
	var r lineRequest
	var i lineInfo
	for _, c := range []struct {
		name      string
		got, want uintptr
	}{
		{"gpiochip_info", unsafe.Sizeof(chipInfo{}), 68},
		{"gpio_v2_line_attribute", unsafe.Sizeof(lineAttribute{}), 16},
		{"gpio_v2_line_config_attribute", unsafe.Sizeof(configAttribute{}), 24},
		{"gpio_v2_line_request", unsafe.Sizeof(r), 592},
		{"gpio_v2_line_request.consumer", unsafe.Offsetof(r.consumer), 256},
		{"gpio_v2_line_request.config", unsafe.Offsetof(r.flags), 288},
		{"gpio_v2_line_request.config.attrs", unsafe.Offsetof(r.attrs), 320},
		{"gpio_v2_line_request.num_lines", unsafe.Offsetof(r.linesN), 560},
		{"gpio_v2_line_request.event_buffer_size", unsafe.Offsetof(r.buffer), 564},
		{"gpio_v2_line_request.fd", unsafe.Offsetof(r.fd), 588},
		{"gpio_v2_line_info", unsafe.Sizeof(i), 256},
		{"gpio_v2_line_info.flags", unsafe.Offsetof(i.flags), 72},
		{"gpio_v2_line_info.attrs", unsafe.Offsetof(i.attrs), 80},
		{"gpio_v2_line_values", unsafe.Sizeof(lineValues{}), 16},
		{"gpio_v2_line_event", unsafe.Sizeof(lineEvent{}), 48},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d, want %d", c.name, c.got, c.want)
		}
	}
}

// A request names the size of its struct; the two must agree.
func TestRequestNumbers(t *testing.T) {
	for name, c := range map[string]struct {
		request uint
		size    uintptr
	}{
		"chip info": {ioctlChipInfo, unsafe.Sizeof(chipInfo{})}, "line info": {ioctlLineInfo, unsafe.Sizeof(lineInfo{})},
		"get line": {ioctlGetLine, unsafe.Sizeof(lineRequest{})}, "get values": {ioctlGetValues, unsafe.Sizeof(lineValues{})},
		"set values": {ioctlSetValues, unsafe.Sizeof(lineValues{})},
	} {
		if got := uintptr(c.request >> 16 & 0x3fff); got != c.size || c.request>>8&0xff != 0xb4 {
			t.Errorf("%s: %x is for %d bytes, the struct has %d", name, c.request, got, c.size)
		}
	}
}
