package sim

import (
	"context"
	"encoding/hex"
	"io"
	"os"
	"strings"
	"testing"

	"tavolo/drivers/framing"
	"tavolo/drivers/pepper"
)

// ask sends a command as the host does and returns the answer's payload in hexadecimal, and what is sent after it.
func ask(t *testing.T, h io.ReadWriter, cmd string) string {
	t.Helper()
	raw, err := hex.DecodeString(strings.ReplaceAll(cmd, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Write(pepper.AppendFrame(nil, raw)); err != nil {
		t.Fatal(err)
	}
	return hear(t, h)
}

// hear reads the next message, a byte at a time so that nothing behind it is taken.
func hear(t *testing.T, h io.Reader) string {
	t.Helper()
	p := framing.NewScanner(pepper.Decode)
	b := make([]byte, 1)
	for {
		if _, err := h.Read(b); err != nil {
			t.Fatal(err)
		}
		p.Push(b)
		if m, ok := p.Next(); ok && m.JSON != nil {
			return string(m.JSON)
		} else if ok {
			return hex.EncodeToString(m.Payload)
		}
	}
}

func newPepper(t *testing.T, o PepperOptions) (*Pepper, *os.File) {
	t.Helper()
	cable := newPTY(t)
	p := NewPepper(cable, o)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- p.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return p, host(t, cable)
}

func TestPepperAnswers(t *testing.T) {
	p, h := newPepper(t, PepperOptions{})
	for _, uid := range []string{"E004015012345678", "04A1B2C3", "E0040150000000AA"} {
		if err := p.Place(3, uid); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ cmd, want string }{
		{"01", "0001"},
		{"0b", "000b322e353600"},
		{"03 00", "ff030225"}, // nothing counted yet
		{"02", "000200"},      // antenna 1
		{"0f 03", "000f"},
		{"02", "000203"},
		{"03 00", "00031000e004015012345678"},
		{"03 01", "0003010004a1b2c3"},
		{"03 03", "ff030221"},
		{"90 00", "009078563412500104e00001"},
		{"91 00", "0091aa000000500104e00000"},
		{"91 00", "ff910201"},
		{"0f 09", "ff0f0221"},
		{"0f 00", "ff0f0221"},
		{"0f", "ff0f0221"},
		{"77", "ff770224"},
		{"06 01", "0006"},
		{"05", "0005"},
	} {
		if got := ask(t, h, c.cmd); got != c.want {
			t.Errorf("%s answered %s, want %s", c.cmd, got, c.want)
		}
	}
	if !p.Polling() {
		t.Error("not polling")
	}
	if got := ask(t, h, "0a"); got != "000a" || p.Polling() {
		t.Errorf("reboot answered %s, polling %v", got, p.Polling())
	}
}

func TestPepperEvents(t *testing.T) {
	const uid = "E004015012345678"
	for _, c := range []struct {
		json bool
		want string
	}{
		{false, "fe031000e004015012345678"},
		{true, `{"type":"uid","uid":"E004015012345678","antenna":1,"tag_index":0,`},
	} {
		p, h := newPepper(t, PepperOptions{JSON: c.json})
		if err := p.Pass(uid); err != nil { // not polling: unseen
			t.Fatal(err)
		}
		if got := ask(t, h, "06 01"); got != "0006" {
			t.Errorf("answered %s", got)
		}
		if err := p.Pass(uid); err != nil {
			t.Fatal(err)
		}
		if got := hear(t, h); !strings.HasPrefix(got, c.want) {
			t.Errorf("event %s, want %s", got, c.want)
		}
	}
}

// Damaged commands, and any while the reader starts up or hangs, get no answer at all.
func TestPepperSilence(t *testing.T) {
	p, h := newPepper(t, PepperOptions{})
	damaged := pepper.AppendFrame(nil, []byte{pepper.CmdVersion})
	damaged[5]++
	if _, err := h.Write(damaged); err != nil {
		t.Fatal(err)
	}
	if got := ask(t, h, "01"); got != "0001" {
		t.Errorf("answered %s", got)
	}
	p.Hang(true)
	if err := p.serve(t.Context(), []byte{pepper.CmdVersion}); err != nil {
		t.Fatal(err)
	}
	p.Hang(false)
	if got := ask(t, h, "01"); got != "0001" {
		t.Errorf("answered %s", got)
	}

	p.o.Timing.Boot = 1 << 40
	p.Restart()
	if err := p.serve(t.Context(), []byte{pepper.CmdVersion}); err != nil {
		t.Fatal(err)
	}
	p.o.Timing.Boot = 0
	p.Restart()
	if got := ask(t, h, "01"); got != "0001" {
		t.Errorf("answered %s", got)
	}
}

func TestPepperRefusesBadUIDs(t *testing.T) {
	p := NewPepper(newPTY(t), PepperOptions{})
	for _, uid := range []string{"", "E0", "not hex!", "000102030405060708090A0B0C0D0E0F10"} {
		if p.Place(1, uid) == nil || p.Pass(uid) == nil {
			t.Errorf("%q was taken for a UID", uid)
		}
	}
}
