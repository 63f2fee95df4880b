package main

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"github.com/spf13/cobra"
)

func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		p := &progress{w: &out, what: "flops", of: 4}
		p.step()
		p.step() // too soon to be written
		time.Sleep(time.Second)
		p.step()
		time.Sleep(time.Second)
		p.step()
		p.clear()
		want := "\r[#######                       ] 1 of 4 flops" +
			"\r[######################        ] 3 of 4 flops" +
			"\r[##############################] 4 of 4 flops" +
			"\r\x1b[K"
		if out.String() != want {
			t.Errorf("got  %q\nwant %q", out.String(), want)
		}
	})
}

func TestNoProgressWithoutATerminal(t *testing.T) {
	var out bytes.Buffer
	cmd := &cobra.Command{}
	cmd.SetErr(&out)
	p := newProgress(cmd, 1, "flops")
	p.step()
	p.clear()
	if out.Len() > 0 {
		t.Errorf("%q in a file", out.String())
	}
}
