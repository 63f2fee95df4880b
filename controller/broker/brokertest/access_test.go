package brokertest

import (
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"

	"tavolo/controller/mqtt"
)

func TestMain(m *testing.M) {
	Serve()
	os.Exit(m.Run())
}

var nine = mqtt.Topics{Studio: "riga", Table: "nine"}

// people are two players, and one user of every other role.
var people = []mqtt.Account{
	{Name: "engine", Role: mqtt.Engine},
	{Name: "alice", Role: mqtt.Player},
	{Name: "bruno", Role: mqtt.Player},
	{Name: "box", Role: mqtt.Dealer},
	{Name: "floor", Role: mqtt.Floor},
	{Name: "viewer", Role: mqtt.Spectator},
	{Name: "stream", Role: mqtt.Delayed},
	{Name: "auditor", Role: mqtt.Auditor},
	{Name: "fixer", Role: mqtt.Technician},
	{Name: "panel", Role: mqtt.Display},
}

// everywhere are the topics of the table, of another one, and of nobody.
func everywhere() []string {
	other := mqtt.Topics{Studio: "riga", Table: "ten"}
	all := []string{other.Status(), other.State(), other.Hole("alice"), other.Action("alice"), "tavolo", "tavolo/v1/riga/nine", "other/topic"}
	for _, p := range []string{"alice", "bruno", "engine"} {
		all = append(all, nine.Hole(p), nine.Turn(p), nine.Offer(p), nine.Past(p), nine.Behind(p), nine.Plan(p), nine.Pong(p), nine.Reply(p), nine.Action(p))
	}
	for _, c := range []string{"box", "floor"} {
		all = append(all, nine.Command(c), nine.Prompt(c), nine.CommandPast(c), nine.CommandReply(c))
	}
	return append(all, nine.Status(), nine.State(), nine.Events(), nine.Device("shoe"), nine.DeviceEvents("shoe"), nine.DelayedState(),
		nine.DelayedEvents(), nine.Checkpoint())
}

// person is a user who keeps what comes.
type person struct {
	mqtt.Account
	client paho.Client

	mu   sync.Mutex
	got  map[string]bool // topic and sender
	news chan struct{}
}

// Everybody asks for everything and writes everywhere, and gets what the rules allow from whom they allow it, no more and
// no less: on the brokers that the rules are exported for.
func TestAccess(t *testing.T) {
	for name, start := range map[string]func(testing.TB) *Broker{
		"mosquitto":      func(t testing.TB) *Broker { return Mosquitto(t, nine, people) },
		"nats":           func(t testing.TB) *Broker { return NATS(t, 1, nine, people) },
		"nats of three":  func(t testing.TB) *Broker { return NATS(t, 3, nine, people) },
		"mosquitto, all": func(t testing.TB) *Broker { return Mosquitto(t, mqtt.Topics{}, people) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := start(t)
			all := make([]*person, len(people))
			for i, a := range people {
				all[i] = join(t, b.URLs[i%len(b.URLs)], a)
			}
			for _, p := range all {
				for _, topic := range everywhere() {
					p.publish(t, topic, p.Name)
				}
			}
			bound := !strings.HasSuffix(name, "all")
			for _, p := range all {
				var want []string
				for _, from := range all {
					for _, topic := range everywhere() {
						ours := !bound || strings.HasPrefix(topic, "tavolo/v1/riga/nine/")
						if ours && from.Role.Grants(from.Name).MayPublish(topic) && p.Role.Grants(p.Name).MaySubscribe(topic) {
							want = append(want, topic+" "+from.Name)
						}
					}
				}
				p.has(t, want)
			}
		})
	}
}

// join connects a user, who asks for all there is, filter by filter.
func join(t *testing.T, url string, a mqtt.Account) *person {
	t.Helper()
	p := &person{Account: a, got: map[string]bool{}, news: make(chan struct{}, 1)}
	o := paho.NewClientOptions().AddBroker(url).SetClientID(mqtt.ClientID(a.Name, "test")).SetUsername(a.Name).SetPassword(Password).
		SetProtocolVersion(4).SetConnectRetry(true).SetConnectRetryInterval(100 * time.Millisecond).SetConnectTimeout(10 * time.Second).
		SetAutoReconnect(false).SetDefaultPublishHandler(func(_ paho.Client, m paho.Message) { p.take(m) })
	p.client = paho.NewClient(o)
	answered(t, a.Name+" connects", p.client.Connect())
	t.Cleanup(func() { p.client.Disconnect(0) })
	filters := append(everywhere(), "#", "/#", "+/#", "tavolo/#", "+/+/+/+/#", nine.Seat("+"), nine.Seat("alice"), nine.Actions(), nine.Commands(), "$share/g/#")
	for _, rule := range mqtt.Rules() {
		if rule.Role == a.Role {
			for _, f := range rule.Subscribe {
				filters = append(filters, strings.NewReplacer("+/+/", "riga/nine/", "%u", a.Name).Replace(f))
			}
		}
	}
	for _, f := range filters {
		token := p.client.Subscribe(f, 0, nil)
		if !token.WaitTimeout(patience) { // refused or not
			t.Fatalf("%s: no answer to a subscription to %s", a.Name, f)
		}
	}
	return p
}

func answered(t *testing.T, what string, token paho.Token) {
	t.Helper()
	if !token.WaitTimeout(patience) || token.Error() != nil {
		t.Fatalf("%s: %v", what, token.Error())
	}
}

// publish writes somewhere. The brokers acknowledge what they drop.
func (p *person) publish(t *testing.T, topic, text string) {
	t.Helper()
	answered(t, p.Name+" writes to "+topic, p.client.Publish(topic, 1, false, text))
}

func (p *person) take(m paho.Message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.got[m.Topic()+" "+string(m.Payload())] = true
	select {
	case p.news <- struct{}{}:
	default:
	}
}

// has waits for what a person ought to have, and for nothing else.
func (p *person) has(t *testing.T, want []string) {
	t.Helper()
	late := time.After(patience)
	for {
		p.mu.Lock()
		missing := slices.DeleteFunc(slices.Clone(want), func(s string) bool { return p.got[s] })
		p.mu.Unlock()
		if len(missing) == 0 {
			break
		}
		select {
		case <-p.news:
		case <-late:
			t.Errorf("%s has not got %q", p.Name, missing)
			return
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for s := range p.got {
		if !slices.Contains(want, s) {
			t.Errorf("%s got %s", p.Name, s)
		}
	}
}
