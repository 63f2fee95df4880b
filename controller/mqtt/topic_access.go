package mqtt

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Role is what a user of the broker is there for. The texts are those of the configuration.
type Role string

// The roles.
const (
	Engine    Role = "engine"    // the table itself
	Player    Role = "player"    // plays a remote seat, sees its own cards
	Dealer    Role = "dealer"    // the console at the table, one user a console
	Floor     Role = "floor"     // a floor manager's console, sees every console
	Spectator Role = "spectator" // sees the public part live
	Delayed   Role = "delayed"   // sees the table after the security delay: streams, overlays
	Auditor   Role = "auditor"   // sees everything but cards of a hand in play and what people ask, the consoles among them
	// Technician sees how the devices do, Display what everybody at the table does: a panel or screen of its own.
	Technician Role = "technician"
	Display    Role = "display"
)

// Rule is what a role may do: allow lists only, in MQTT's filters, with %u for the user's name. Whatever no filter
// allows is forbidden.
type Rule struct {
	Role      Role
	Publish   []string
	Subscribe []string
}

// rules is who may use which part of the tree. No two filters in a list overlap, since brokers that send a message
// once a filter would send it twice.
var rules = [...]Rule{
	{
		Role: Engine,
		Publish: []string{
			root + "+/+/status", root + "+/+/pub/#", root + "+/+/seat/#", root + "+/+/dealer/+/prompt",
			root + "+/+/dealer/+/reply", root + "+/+/dealer/+/past", root + "+/+/hw/#", root + "+/+/delayed/#", root + "+/+/audit/#",
		},
		Subscribe: []string{root + "+/+/act/+", root + "+/+/dealer/+/cmd"},
	},
	{
		Role:      Player,
		Publish:   []string{root + "+/+/act/%u"},
		Subscribe: []string{root + "+/+/status", root + "+/+/pub/#", root + "+/+/seat/%u/#", root + "+/+/audit/#"},
	},
	{
		Role:    Dealer,
		Publish: []string{root + "+/+/dealer/%u/cmd"},
		Subscribe: []string{
			root + "+/+/status", root + "+/+/pub/#", root + "+/+/dealer/%u/prompt", root + "+/+/dealer/%u/reply",
			root + "+/+/dealer/%u/past",
			root + "+/+/hw/#",
		},
	},
	{
		Role:    Floor,
		Publish: []string{root + "+/+/dealer/%u/cmd"},
		Subscribe: []string{
			root + "+/+/status", root + "+/+/pub/#", root + "+/+/dealer/#", root + "+/+/hw/#", root + "+/+/delayed/#",
			root + "+/+/audit/#",
		},
	},
	{
		Role:      Spectator,
		Subscribe: []string{root + "+/+/status", root + "+/+/pub/#", root + "+/+/audit/#"},
	},
	{
		Role:      Delayed,
		Subscribe: []string{root + "+/+/status", root + "+/+/delayed/#"},
	},
	{
		Role: Auditor,
		Subscribe: []string{
			root + "+/+/status", root + "+/+/pub/#", root + "+/+/dealer/+/prompt", root + "+/+/dealer/+/reply",
			root + "+/+/dealer/+/past", root + "+/+/hw/#", root + "+/+/delayed/#", root + "+/+/audit/#",
		},
	},
	{
		Role:      Technician,
		Subscribe: []string{root + "+/+/status", root + "+/+/hw/#"},
	},
	{
		Role:      Display,
		Subscribe: []string{root + "+/+/status", root + "+/+/pub/#"},
	},
}

// Rules returns a copy of the table of roles, for brokers with access rules of their own.
func Rules() []Rule {
	all := slices.Clone(rules[:])
	for i := range all {
		all[i].Publish = slices.Clone(all[i].Publish)
		all[i].Subscribe = slices.Clone(all[i].Subscribe)
	}
	return all
}

// Valid reports whether r is one of the roles.
func (r Role) Valid() bool {
	return slices.ContainsFunc(rules[:], func(rule Rule) bool { return rule.Role == r })
}

// Public reports whether all the world may be who logs in with the role: pages do, with a password that everybody knows.
func (r Role) Public() bool { return r == Spectator || r == Delayed }

// Grants is what one user may do. The zero value allows nothing. It may be read from many goroutines.
type Grants struct {
	publish, subscribe []string
}

// Grants returns what a user in this role may do: nothing if the role or the name is not valid.
func (r Role) Grants(user string) Grants {
	var g Grants
	if !ValidID(user) {
		return g
	}
	for _, rule := range rules {
		if rule.Role != r {
			continue
		}
		for _, f := range rule.Publish {
			g.publish = append(g.publish, strings.ReplaceAll(f, "%u", user))
		}
		for _, f := range rule.Subscribe {
			g.subscribe = append(g.subscribe, strings.ReplaceAll(f, "%u", user))
		}
	}
	return g
}

// MayPublish reports whether the user may write to a topic.
func (g Grants) MayPublish(topic string) bool {
	return !strings.ContainsAny(topic, "+#") && covered(g.publish, topic)
}

// MaySubscribe reports whether the user may read everything a filter matches; a topic is a filter too. A filter that
// takes two rules together to be allowed is refused.
func (g Grants) MaySubscribe(filter string) bool { return covered(g.subscribe, filter) }

func covered(allow []string, filter string) bool {
	return validFilter(filter) && slices.ContainsFunc(allow, func(a string) bool { return covers(a, filter) })
}

// Matches reports whether a subscription to filter receives what is published to topic (MQTT 3.1.1, section 4.7).
// Malformed arguments match nothing.
func Matches(filter, topic string) bool {
	return !strings.ContainsAny(topic, "+#") && Covers(filter, topic)
}

// Covers reports whether every topic that filter matches is matched by allow too: whether a subscription to filter
// stays within allow. Malformed arguments cover nothing and are not covered.
//
// A shared subscription, $share/group/filter, is covered by nothing here, since it begins with a $ that none of the
// rules names and no wildcard matches.
func Covers(allow, filter string) bool {
	return validFilter(allow) && validFilter(filter) && covers(allow, filter)
}

// covers is Covers for well-formed filters. It is called for each message and each of its readers.
func covers(allow, filter string) bool {
	switch {
	case filter[0] == '$' && (allow[0] == '+' || allow[0] == '#'): // 4.7.2: wildcards do not reach $SYS
		return false
	case filter == "#" || filter == "/#": // no topic is empty, so these mean the same as +/# and /+/#
		filter = strings.TrimSuffix(filter, "#") + "+/#"
	}
	for {
		a, aRest, aMore := strings.Cut(allow, "/")
		f, fRest, fMore := strings.Cut(filter, "/")
		switch {
		case a == "#":
			return true
		case f == "#", a != "+" && a != f:
			return false
		case !fMore:
			return !aMore || aRest == "#" // a/# matches a
		case !aMore:
			return false
		}
		allow, filter = aRest, fRest
	}
}

// validFilter reports whether s is a well-formed filter: + and # fill whole levels, # only the last (4.7.1).
func validFilter(s string) bool {
	if s == "" || len(s) > 65535 || !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
		return false
	}
	for more := true; more; {
		var level string
		level, s, more = strings.Cut(s, "/")
		if level == "#" && more || len(level) > 1 && strings.ContainsAny(level, "+#") {
			return false
		}
	}
	return true
}
