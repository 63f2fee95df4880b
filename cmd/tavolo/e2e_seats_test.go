package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"tavolo/controller"
	"tavolo/controller/broker"
	"tavolo/controller/mqtt"
	"tavolo/engine"
)

// openGuest makes the seat of a demo's guest one that any player of the broker may take.
func openGuest(text string) string {
	return strings.Replace(text, "player = \"guest\"\nname = \"Guest\"\nbot = false\nstack = 200\nsitting_out = true", "player = \"\"", 1)
}

// A player of the broker takes the open seat, another waits for it and is offered it, and a restart in between forgets
// nothing (TC-10, TC-12, TC-33).
func TestAnOpenSeat(t *testing.T) {
	t.Parallel()
	hash, err := broker.HashPublic(demoPassword)
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, demoOptions{seats: 2, felt: 0}, openGuest, func(text string) string {
		return strings.Replace(text, "big_blind = 2", "big_blind = 2\nmin_buy_in = 20\nmax_buy_in = 300", 1) +
			fmt.Sprintf("[[broker.users]]\nname = \"dora\"\nrole = \"player\"\npassword = %q\n[[players]]\nname = \"dora\"\nkey = %q\n", hash, demoKey("dora"))
	})
	if !r.cfg.Seats[2].Open() {
		t.Fatalf("seats %+v", r.cfg.Seats)
	}
	d, err := newDaemon(r.cfg, r.log())
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := background(t, func(context.Context) error { return d.run(ctx) })
	url := d.brokerURL()
	w, guest, dora := r.watch(url), r.player(url, "guest"), r.player(url, "dora")
	free := func(want ...engine.Seat) func(*seen) bool {
		return func(s *seen) bool { return slices.Equal(s.state().Seating.Free, want) }
	}
	w.await("the open seat", free(3))
	for _, c := range []struct{ text, code string }{
		{`{"v":1,"id":"1","action":"sit","seat":3,"amount":19}`, "too_little"},
		{`{"v":1,"id":"2","action":"sit","seat":3,"amount":301}`, "too_much"},
		{`{"v":1,"id":"3","action":"sit","seat":1,"amount":100}`, controller.CodeNotYours},
		{`{"v":1,"id":"4","action":"leave"}`, controller.CodeUnknownPlayer},
		{`{"v":1,"id":"5","action":"join_list"}`, "seat_free"},
		{`{"v":1,"id":"6","action":"sit","seat":3,"amount":150}`, ""},
		{`{"v":1,"id":"7","action":"top_up","amount":50}`, ""},
	} {
		if reply := guest.say(c.text); reply.Code != c.code || reply.OK != (c.code == "") {
			t.Errorf("%s: %+v, want code %q", c.text, reply, c.code)
		}
	}
	w.await("the guest's 200 chips", func(s *seen) bool {
		seated := slices.ContainsFunc(s.state().Players, func(p controller.Player) bool { return p.Seat == 3 && p.Player == "guest" })
		return seated && s.stacks()[3] == 200 && free()(s)
	})
	if reply := dora.say(`{"v":1,"id":"1","action":"join_list"}`); !reply.OK {
		t.Fatalf("dora does not get on the list: %+v", reply)
	}
	stop()
	<-ended

	again := r.daemon()
	w, guest, dora = r.watch(again.brokerURL()), r.player(again.brokerURL(), "guest"), r.player(again.brokerURL(), "dora")
	w.await("the guest and dora again", func(s *seen) bool { return s.stacks()[3] == 200 && s.state().Seating.Waiting == 1 })
	if reply := guest.say(`{"v":1,"id":"8","action":"leave"}`); !reply.OK {
		t.Fatalf("the guest does not get away: %+v", reply)
	}
	dora.await("an offer", func(s *seen) bool {
		offers := on[mqtt.OfferPayload](t, s, r.cfg.Topics.Offer("dora"))
		return len(offers) > 0 && slices.Equal(offers[len(offers)-1].Free, []engine.Seat{3}) && offers[len(offers)-1].Until > 0
	})
	if reply := guest.say(`{"v":1,"id":"9","action":"sit","seat":3,"amount":200}`); reply.Code != "list_first" {
		t.Errorf("the guest takes what dora was offered: %+v", reply)
	}
	if reply := dora.say(`{"v":1,"id":"2","action":"sit","seat":3,"amount":120}`); !reply.OK {
		t.Errorf("dora does not get the seat: %+v", reply)
	}
	w.await("dora's chips", func(s *seen) bool { return s.stacks()[3] == 120 && s.state().Seating.Waiting == 0 })
}
