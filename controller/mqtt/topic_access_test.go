package mqtt

import (
	"regexp"
	"strings"
	"testing"
)

// every returns all strings of 1 to depth levels over the alphabet, joined by "/".
func every(alphabet []string, depth int) []string {
	all, last := []string{}, []string{""}
	for d := range depth {
		var next []string
		for _, head := range last {
			for _, level := range alphabet {
				if d > 0 {
					level = head + "/" + level
				}
				next = append(next, level)
			}
		}
		all, last = append(all, next...), next
	}
	return all
}

// oracle is MQTT 3.1.1, section 4.7, as a regular expression.
func oracle(filter string) *regexp.Regexp {
	var b strings.Builder
	b.WriteString("^")
	levels := strings.Split(filter, "/")
	for i, level := range levels {
		sep := ""
		if i > 0 {
			sep = "/"
		}
		switch level {
		case "#":
			if i == 0 {
				b.WriteString(`.*`)
			} else {
				b.WriteString(`(?:/.*)?`)
			}
		case "+":
			b.WriteString(sep + `[^/]*`)
		default:
			b.WriteString(sep + regexp.QuoteMeta(level))
		}
	}
	b.WriteString("$")
	return regexp.MustCompile(b.String())
}

// TestFiltersAgainstBruteForce compares Matches with the oracle on every filter and topic over a small alphabet, and
// Covers with its definition: every topic of the one is a topic of the other. Topics have a letter and a level more
// than filters, so that a wildcard is told from the sum of the letters.
func TestFiltersAgainstBruteForce(t *testing.T) {
	letters := []string{"a", "b", "", "$s"}
	filters := every(append([]string{"+"}, letters...), 3)
	for _, f := range filters {
		filters = append(filters, f+"/#")
	}
	filters = append(filters, "#")
	var topics []string
	for _, topic := range every(append([]string{"c"}, letters...), 5) {
		if topic != "" {
			topics = append(topics, topic)
		}
	}

	matched := map[string][]uint64{}
	for _, f := range filters {
		if f == "" {
			continue
		}
		set, re := make([]uint64, (len(topics)+63)/64), oracle(f)
		for i, topic := range topics {
			want := re.MatchString(topic) && (topic[0] != '$' || f[0] == '$')
			if Matches(f, topic) != want {
				t.Fatalf("Matches(%q, %q) = %v", f, topic, !want)
			}
			if want {
				set[i/64] |= 1 << (i % 64)
			}
		}
		matched[f] = set
	}

	covered := 0
	for allow, outer := range matched {
		for filter, inner := range matched {
			want := true
			for i := range inner {
				want = want && inner[i]&^outer[i] == 0
			}
			if Covers(allow, filter) != want {
				t.Errorf("Covers(%q, %q) = %v", allow, filter, !want)
			}
			if want {
				covered++
			}
		}
	}
	t.Logf("%d filters, %d topics, %d of %d pairs covered", len(matched), len(topics), covered, len(matched)*len(matched))
}

func FuzzCovers(f *testing.F) {
	for _, s := range [][3]string{{"a/#", "a/+", "a/b"}, {"#", "$SYS/x", "$SYS/x"}, {"+/#", "#", "/"}, {"a/+#", "a/", "a/"}, {"a\x00", "\xff", "+"}} {
		f.Add(s[0], s[1], s[2])
	}
	f.Fuzz(func(t *testing.T, allow, filter, topic string) {
		if Covers(allow, filter) && Matches(filter, topic) && !Matches(allow, topic) {
			t.Fatalf("%q covers %q but does not match %q", allow, filter, topic)
		}
	})
}
