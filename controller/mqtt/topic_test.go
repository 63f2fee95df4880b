package mqtt

import (
	"slices"
	"strings"
	"testing"
)

var nine = Topics{Studio: "riga", Table: "nine"}

// tree is every topic of a table with player alice and console box, written out.
var tree = map[string]string{
	"tavolo/v1/riga/nine/status":            nine.Status(),
	"tavolo/v1/riga/nine/pub/state":         nine.State(),
	"tavolo/v1/riga/nine/pub/ev":            nine.Events(),
	"tavolo/v1/riga/nine/seat/alice/past":   nine.Past("alice"),
	"tavolo/v1/riga/nine/seat/alice/hole":   nine.Hole("alice"),
	"tavolo/v1/riga/nine/seat/alice/turn":   nine.Turn("alice"),
	"tavolo/v1/riga/nine/seat/alice/offer":  nine.Offer("alice"),
	"tavolo/v1/riga/nine/seat/alice/behind": nine.Behind("alice"),
	"tavolo/v1/riga/nine/seat/alice/reply":  nine.Reply("alice"),
	"tavolo/v1/riga/nine/seat/alice/#":      nine.Seat("alice"),
	"tavolo/v1/riga/nine/act/alice":         nine.Action("alice"),
	"tavolo/v1/riga/nine/act/+":             nine.Actions(),
	"tavolo/v1/riga/nine/dealer/box/cmd":    nine.Command("box"),
	"tavolo/v1/riga/nine/dealer/+/cmd":      nine.Commands(),
	"tavolo/v1/riga/nine/dealer/box/prompt": nine.Prompt("box"),
	"tavolo/v1/riga/nine/dealer/box/reply":  nine.CommandReply("box"),
	"tavolo/v1/riga/nine/hw/shoe/state":     nine.Device("shoe"),
	"tavolo/v1/riga/nine/hw/shoe/ev":        nine.DeviceEvents("shoe"),
	"tavolo/v1/riga/nine/delayed/state":     nine.DelayedState(),
	"tavolo/v1/riga/nine/delayed/ev":        nine.DelayedEvents(),
	"tavolo/v1/riga/nine/audit/checkpoint":  nine.Checkpoint(),
}

func TestTree(t *testing.T) {
	for want, got := range tree {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestValidID(t *testing.T) {
	for id, want := range map[string]bool{
		"a": true, "table-9": true, "-": true, strings.Repeat("x", 32): true,
		"": false, strings.Repeat("x", 33): false, "Alice": false, "a b": false, "a/b": false, "a+b": false, "#": false,
		"+": false, "$share": false, "a.b": false, "a:b": false, "é": false, "a\x00": false, "%u": false,
	} {
		if ValidID(id) != want {
			t.Errorf("ValidID(%q) = %v", id, !want)
		}
	}
	if err := (Topics{Studio: "Riga", Table: "+"}).Validate(); err == nil ||
		!strings.Contains(err.Error(), `"Riga"`) || !strings.Contains(err.Error(), `"+"`) {
		t.Errorf("Validate = %v, want both names", err)
	}
	if err := nine.Validate(); err != nil {
		t.Error(err)
	}
}

func TestParseInbound(t *testing.T) {
	for topic, want := range map[string]Sender{
		nine.Action("alice"): {Player, "alice"},
		nine.Command("box"):  {Dealer, "box"},
	} {
		at, from, err := ParseInbound(topic)
		if err != nil || at != nine || from != want {
			t.Errorf("ParseInbound(%s) = %v, %v, %v", topic, at, from, err)
		}
	}
	good := nine.Action("alice")
	for _, topic := range []string{
		"", "/", good + "/", good + "/x", "/" + good, strings.TrimSuffix(good, "/alice"), nine.Actions(),
		nine.Hole("alice"), nine.Prompt("box"), nine.CommandReply("box"), nine.Commands(), nine.Events(), nine.Status(),
		"tavolo/v2/riga/nine/act/alice", "tavolo/v1/riga//act/alice", "tavolo/v1//nine/act/alice",
		"tavolo/v1/riga/nine/act/", "tavolo/v1/riga/nine/act/Alice", "tavolo/v1/riga/nine/dealer//cmd",
		"tavolo/v1/riga/nine/act/alice/cmd", "tavolo/v1/Riga/nine/act/alice",
	} {
		if at, from, err := ParseInbound(topic); err == nil {
			t.Errorf("ParseInbound(%q) = %v, %v, want an error", topic, at, from)
		}
	}
}

func FuzzParseInbound(f *testing.F) {
	for topic := range tree {
		f.Add(topic)
	}
	f.Add("tavolo/v1/a/b/dealer/c/cmd/")
	f.Add("tavolo/v1/a/b/act/\xff")
	f.Fuzz(func(t *testing.T, topic string) {
		at, from, err := ParseInbound(topic)
		if err != nil {
			return
		}
		if at.Validate() != nil || !ValidID(from.Name) {
			t.Fatalf("%q: %v %v", topic, at, from)
		}
		// What is accepted is written back the same, and is what this sender and nobody else may write.
		back := map[Role]string{Player: at.Action(from.Name), Dealer: at.Command(from.Name)}[from.Role]
		if back != topic || !from.Role.Grants(from.Name).MayPublish(topic) || from.Role.Grants("x"+from.Name).MayPublish(topic) {
			t.Fatalf("%q read as %v %v", topic, at, from)
		}
	})
}

func TestClientID(t *testing.T) {
	if got := ClientID("alice", "phone"); got != "alice:phone" || !OwnsClientID("alice", got) {
		t.Error(got)
	}
	if got := ClientID("alice", ""); got != "alice" || !OwnsClientID("alice", got) {
		t.Error(got)
	}
	for _, id := range []string{
		"", ":", "alice:", "alice:x:y", "alice:X", "alicex", "alicex:phone", "ali", "bob", "bob:alice", ":alice",
		"alice/phone", "alice-phone", "Alice",
	} {
		if OwnsClientID("alice", id) {
			t.Errorf("alice owns %q", id)
		}
	}
	if OwnsClientID("", "") || OwnsClientID("", ":phone") {
		t.Error("nobody owns an empty name")
	}
}

// TestRolesOnTheTree spells out who reads and who writes what. It is written against the tree, not against the rules.
func TestRolesOnTheTree(t *testing.T) {
	const (
		alice = "player alice"
		bob   = "player bob"
		box   = "dealer box"
		box2  = "dealer box2"
		chief = "floor chief"
		eng   = "engine engine"
		fan   = "spectator fan"
		late  = "delayed late"
		audit = "auditor audit"
	)
	all := []string{alice, bob, box, box2, chief, eng, fan, late, audit}
	pub := []string{alice, bob, box, box2, chief, fan, audit}
	for _, row := range []struct {
		topic         string
		write, readBy []string
	}{
		{nine.Status(), []string{eng}, []string{alice, bob, box, box2, chief, fan, late, audit}},
		{nine.State(), []string{eng}, pub},
		{nine.Events(), []string{eng}, pub},
		{nine.Hole("alice"), []string{eng}, []string{alice}},
		{nine.Turn("alice"), []string{eng}, []string{alice}},
		{nine.Reply("alice"), []string{eng}, []string{alice}},
		{nine.Past("alice"), []string{eng}, []string{alice}},
		{nine.Hole("bob"), []string{eng}, []string{bob}},
		{nine.Action("alice"), []string{alice}, []string{eng}},
		{nine.Action("bob"), []string{bob}, []string{eng}},
		{nine.Command("box"), []string{box}, []string{eng, chief}},
		{nine.Command("chief"), []string{chief}, []string{eng, chief}},
		{nine.Prompt("box"), []string{eng}, []string{box, chief, audit}},
		{nine.CommandReply("box"), []string{eng}, []string{box, chief, audit}},
		{nine.CommandPast("box"), []string{eng}, []string{box, chief, audit}},
		{nine.Prompt("chief"), []string{eng}, []string{chief, audit}},
		{nine.Device("shoe"), []string{eng}, []string{box, box2, chief, audit}},
		{nine.DeviceEvents("shoe"), []string{eng}, []string{box, box2, chief, audit}},
		{nine.DelayedState(), []string{eng}, []string{chief, late, audit}},
		{nine.DelayedEvents(), []string{eng}, []string{chief, late, audit}},
		{nine.Checkpoint(), []string{eng}, []string{alice, bob, chief, fan, audit}},
		{"tavolo/v2/riga/nine/status", nil, nil},
		{"tavolo/v1/riga/status", nil, nil},
		{"tavolo/v1/riga/nine/elsewhere", nil, nil},
		{"$SYS/broker/clients", nil, nil},
		{"other", nil, nil},
	} {
		for _, who := range all {
			role, name, _ := strings.Cut(who, " ")
			g := Role(role).Grants(name)
			if got, want := g.MayPublish(row.topic), slices.Contains(row.write, who); got != want {
				t.Errorf("%s writes %s: %v", who, row.topic, got)
			}
			if got, want := g.MaySubscribe(row.topic), slices.Contains(row.readBy, who); got != want {
				t.Errorf("%s reads %s: %v", who, row.topic, got)
			}
		}
	}
}

// TestWildcardsStayInside tries the filters a curious user would.
func TestWildcardsStayInside(t *testing.T) {
	tricks := []string{
		"#", "+/#", "+/+/#", "+/+/+/+/#", "tavolo/#", "tavolo/v1/#", "tavolo/v1/+/+/#", "tavolo/v1/riga/nine/#",
		"tavolo/v1/riga/nine/+", "tavolo/v1/riga/nine/+/+", "tavolo/v1/riga/nine/+/+/+", "tavolo/v1/riga/nine/+/alice/+",
		"tavolo/v1/riga/nine/seat/#", "tavolo/v1/riga/nine/seat/+/hole", "tavolo/v1/+/+/seat/+/#",
		"tavolo/v1/riga/nine/seat/bob/#", "tavolo/v1/riga/nine/act/#", "tavolo/v1/riga/nine/act/+",
		"+/v1/riga/nine/seat/bob/hole", "$share/g/#", "$share/g/tavolo/v1/riga/nine/pub/ev",
		"$share/g/tavolo/v1/riga/nine/seat/alice/hole", "$SHARE/g/tavolo/v1/riga/nine/seat/bob/hole",
		"$queue/tavolo/v1/riga/nine/seat/bob/hole", "$SYS/#", "", "tavolo/v1/riga/nine/seat/alice/#/x",
		"tavolo/v1/riga/nine/seat/al+ce/hole", "tavolo/v1/riga/nine/seat/alice#", "tavolo/v1/riga/nine/pub/\x00",
		"tavolo/v1/riga/nine/pub/\xff",
	}
	for _, rule := range Rules() {
		if rule.Role == Engine {
			continue
		}
		for _, f := range tricks {
			if rule.Role.Grants("alice").MaySubscribe(f) {
				t.Errorf("%s may subscribe to %q", rule.Role, f)
			}
		}
	}
	for _, f := range []string{nine.Seat("alice"), "tavolo/v1/+/+/seat/alice/#", "tavolo/v1/riga/nine/seat/alice/+", "tavolo/v1/+/nine/pub/#"} {
		if !Player.Grants("alice").MaySubscribe(f) {
			t.Errorf("alice may not subscribe to %s", f)
		}
	}
}

func TestGrantsFailClosed(t *testing.T) {
	for _, g := range []Grants{{}, Role("").Grants("alice"), Role("admin").Grants("alice"), Player.Grants("+"), Player.Grants("#"), Player.Grants("a/b"), Player.Grants("")} {
		for topic := range tree {
			if g.MayPublish(topic) || g.MaySubscribe(topic) {
				t.Errorf("%v allows %s", g, topic)
			}
		}
	}
	if Role("admin").Valid() || !Auditor.Valid() {
		t.Error("Valid")
	}
}

// TestRulesDoNotOverlap: a broker that sends one copy a filter must not have two to send.
func TestRulesDoNotOverlap(t *testing.T) {
	for _, rule := range Rules() {
		for _, list := range [][]string{rule.Publish, rule.Subscribe} {
			for topic := range tree {
				n := 0
				for _, f := range list {
					if Matches(strings.ReplaceAll(f, "%u", "alice"), topic) {
						n++
					}
				}
				if n > 1 && !strings.ContainsAny(topic, "+#") {
					t.Errorf("%s: %d filters for %s", rule.Role, n, topic)
				}
			}
		}
	}
}

func TestRulesAreACopy(t *testing.T) {
	Rules()[1].Subscribe[2] = "#"
	if Player.Grants("alice").MaySubscribe("#") {
		t.Error("the table can be changed from outside")
	}
}
