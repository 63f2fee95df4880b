package main

import (
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"tavolo/controller/mqtt"
)

// A device whose line comes and goes is told of at its pace, and how much was left out.
func TestDeviceEventsArePaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		link, err := mqtt.NewLink(mqtt.Options{URL: "tcp://127.0.0.1:1883", ClientID: "t"})
		if err != nil {
			t.Fatal(err)
		}
		d := bareDaemon(&Config{Topics: mqtt.Topics{Studio: "s", Table: "t"}}, slog.New(slog.DiscardHandler))
		d.link = link
		h := newHealth(d, DeviceConfig{Name: "shoe", Kind: "pepper-c1"})
		told := func() int { return link.Health().Waiting - 1 } // beside the state
		for i := range 100 {
			h.is(i%2 == 0, "unplugged", time.Now())
		}
		if got := told(); got != 8 || h.missed != 92 {
			t.Errorf("%d told at once, %d left out", got, h.missed)
		}
		for i := range 60 {
			h.is(i%2 == 0, "unplugged", time.Now())
			time.Sleep(time.Second)
		}
		if got := told(); got != 8+5 {
			t.Errorf("%d told in a minute", got)
		}
		h.counted(map[string]uint64{"strays": 3})
		if h.missed != 0 || h.told.Counters["strays"] != 3 {
			t.Errorf("%d left out, %+v", h.missed, h.told)
		}
	})
}
