package broker

import (
	"bytes"
	"context"
	"crypto/tls"
	"maps"
	"slices"
	"strings"
	"time"

	mochi "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/packets"

	"tavolo/controller/mqtt"
)

// hook decides who gets in and what a client may do. The server calls it from the client's goroutine, except for
// OnACLCheck and OnPublishDropped, which it also calls from that of whoever publishes.
type hook struct {
	mochi.HookBase
	broker *Broker
}

// ID names the hook.
func (*hook) ID() string { return "tavolo" }

// Provides lists what the hook wants to hear of.
func (*hook) Provides(call byte) bool {
	switch call {
	case mochi.OnConnect, mochi.OnConnectAuthenticate, mochi.OnPacketRead, mochi.OnSubscribe, mochi.OnACLCheck,
		mochi.OnPublish, mochi.OnPublishDropped, mochi.OnPacketProcessed:
		return true
	}
	return false
}

// OnConnect refuses what no client of ours sends, before anything is believed or computed, and then who may not come in.
//
// Only MQTT 3.1.1, which every client speaks: version 5 brings delayed wills, sessions that outlive a clean start and
// aliases for topics, each a way around a check. Only clean sessions: the server hands a session to whoever asks for
// its client ID, and queues of cards are not wanted anyway. Keep-alive, so that a dead client is noticed.
func (h *hook) OnConnect(cl *mochi.Client, pk packets.Packet) error {
	var code packets.Code
	var why string
	switch p := pk.Connect; {
	case pk.ProtocolVersion != 4:
		code, why = packets.ErrUnsupportedProtocolVersion, "not MQTT 3.1.1"
	case !mqtt.OwnsClientID(string(p.Username), p.ClientIdentifier), p.Keepalive == 0, p.Keepalive > maxKeepAlive:
		code, why = packets.ErrClientIdentifierNotValid, "client identifier or keep-alive"
	case !p.Clean:
		code, why = packets.ErrBadUsernameOrPassword, "no clean session"
	default:
		code, why = h.login(cl.Net.Conn.(*conn), pk)
	}
	if why == "" {
		return nil
	}
	h.broker.refuse(why, "user", string(pk.Connect.Username), "client", pk.Connect.ClientIdentifier, "remote", cl.Net.Remote)
	_ = h.broker.server.SendConnack(cl, code, false, nil)
	return code
}

// login lets a user in, if the password is right, the last will is something the user might publish, and there is room.
func (h *hook) login(c *conn, pk packets.Packet) (code packets.Code, why string) {
	user, p := string(pk.Connect.Username), pk.Connect
	a, ok := h.broker.accounts[user]
	if !ok {
		return packets.ErrBadUsernameOrPassword, "user or password"
	}
	right, err := h.broker.words.check(claimant{c.from, user}, string(p.Password), a.hash, func() (context.Context, context.CancelFunc) { return h.broker.present(c) })
	switch {
	case err != nil: // which is not its fault: it tries again
		return packets.ErrServerUnavailable, err.Error()
	case !right:
		return packets.ErrBadUsernameOrPassword, "user or password"
	}
	name, certified := c.certified()
	if certified && name != user {
		return packets.ErrBadUsernameOrPassword, "the certificate is another user's"
	}
	if h.broker.authority() && !certified && c.from != "" && !a.role.Public() {
		return packets.ErrBadUsernameOrPassword, "no certificate"
	}
	grants := a.role.Grants(user)
	if p.WillFlag && (!grants.MayPublish(p.WillTopic) || p.WillRetain && a.role != mqtt.Engine) {
		return packets.ErrBadUsernameOrPassword, "last will on a topic this user may not write"
	}
	c.role, c.grants = a.role, grants
	return packets.ErrServerUnavailable, h.broker.claim(c, user, p.ClientIdentifier, a.role)
}

// OnConnectAuthenticate lets in whom OnConnect did.
func (*hook) OnConnectAuthenticate(*mochi.Client, packets.Packet) bool { return true }

// certified is the common name of the certificate that a client showed; false if it showed none.
func (c *conn) certified() (name string, ok bool) {
	state := c.web
	if secure, ok := c.Conn.(*tls.Conn); ok {
		now := secure.ConnectionState()
		state = &now
	}
	if state == nil || len(state.VerifiedChains) == 0 {
		return "", false
	}
	return state.VerifiedChains[0][0].Subject.CommonName, true
}

// OnPacketRead holds a client that sends too much: its goroutine sleeps, so its socket fills up and nobody else
// notices. The engine is not held.
func (h *hook) OnPacketRead(cl *mochi.Client, pk packets.Packet) (packets.Packet, error) {
	c := cl.Net.Conn.(*conn)
	if c.role == mqtt.Engine || c.id == "" { // not logged in: this is the CONNECT
		return pk, nil
	}
	now := time.Now()
	if c.flood = c.due.After(now); c.flood {
		time.Sleep(packetEvery)
		return pk, nil
	}
	if earliest := now.Add(-packetBurst); c.due.Before(earliest) {
		c.due = earliest
	}
	c.due = c.due.Add(packetEvery)
	return pk, nil
}

// OnSubscribe grants no more than QoS 0. With clean sessions a higher one brings nothing, and the server would make
// whoever publishes wait for a reader that has stopped reading. A client with too many subscriptions gets no more, the
// engine aside, which has one for each player.
func (h *hook) OnSubscribe(cl *mochi.Client, pk packets.Packet) packets.Packet {
	room := maxSubscriptions - cl.State.Subscriptions.Len()
	for i := range pk.Filters {
		pk.Filters[i].Qos = 0
		if wild(pk.Filters[i].Filter) {
			pk.Filters[i].RetainHandling = withoutRetained // OnPacketProcessed sends it
		}
		if i >= room && cl.Net.Conn.(*conn).role != mqtt.Engine {
			pk.Filters[i].Filter = "" // which the server refuses
		}
	}
	return pk
}

// withoutRetained has the server send nothing that is retained on a subscription.
const withoutRetained = 2

func wild(filter string) bool { return strings.ContainsAny(filter, "+#") }

// OnPacketProcessed sends a client that has subscribed with wildcards what is retained there. The server by itself looks for it
// in its tree of topics while those who publish write there, which is a data race.
func (h *hook) OnPacketProcessed(cl *mochi.Client, pk packets.Packet, err error) {
	if err != nil || pk.FixedHeader.Type != packets.Subscribe {
		return
	}
	for _, sub := range pk.Filters {
		if _, granted := cl.State.Subscriptions.Get(sub.Filter); granted && wild(sub.Filter) {
			h.sendRetained(cl, sub.Filter)
		}
	}
}

// sendRetained sends what is retained on the topics that a filter matches, each once more where a newer message may have been
// overtaken.
func (h *hook) sendRetained(cl *mochi.Client, filter string) {
	kept := h.broker.server.Topics.Retained
	for _, topic := range slices.Sorted(maps.Keys(kept.GetAll())) {
		for newest := false; !newest && mqtt.Matches(filter, topic); {
			pk, ok := kept.Get(topic)
			if !ok {
				break
			}
			out := pk.Copy(false)
			out.FixedHeader.Retain, out.FixedHeader.Qos = true, 0
			if cl.WritePacket(out) != nil {
				return // and the client is gone
			}
			now, _ := kept.Get(topic)
			newest = bytes.Equal(now.Payload, pk.Payload)
		}
	}
}

// OnACLCheck decides about reading: filters at SUBSCRIBE, and again each topic at delivery. Writing is decided in
// OnPublish; refusing it here would throw the client out, and its library would send the message again for ever.
func (h *hook) OnACLCheck(cl *mochi.Client, filter string, write bool) bool {
	return write || cl.Net.Conn.(*conn).grants.MaySubscribe(filter)
}

// OnPublish drops, but acknowledges, what a client may not publish. Only the engine has state to keep: a retained
// command would be carried out again after each reconnect.
func (h *hook) OnPublish(cl *mochi.Client, pk packets.Packet) (packets.Packet, error) {
	c := cl.Net.Conn.(*conn)
	switch {
	case c.flood:
		h.broker.flooded.Add(1)
	case !c.grants.MayPublish(pk.TopicName), pk.FixedHeader.Retain && c.role != mqtt.Engine:
		if n := h.broker.denied.Add(1); n&(n-1) == 0 { // the first, second, fourth …
			h.broker.log.Warn("broker: message denied", "client", c.id, "topic", pk.TopicName, "denied", n)
		}
	default:
		return pk, nil
	}
	return pk, packets.CodeSuccessIgnore
}

// OnPublishDropped counts what a slow reader missed.
func (h *hook) OnPublishDropped(*mochi.Client, packets.Packet) { h.broker.slow.Add(1) }
