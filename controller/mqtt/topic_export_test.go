package mqtt

import (
	"bytes"
	"strings"
	"testing"
)

// each is one user of each role, named after it.
func each() (users []Account) {
	for _, r := range Rules() {
		users = append(users, Account{string(r.Role), r.Role})
	}
	return users
}

func TestAccessIsBoundToATable(t *testing.T) {
	for _, dialect := range []string{"mosquitto", "nats"} {
		var b bytes.Buffer
		if err := WriteAccess(&b, dialect, nine, each()); err != nil {
			t.Fatal(err)
		}
		if text := b.String(); strings.Contains(text, "+/+") || strings.Contains(text, "*.*") || !strings.Contains(text, "riga") {
			t.Errorf("for one table: %s", text)
		}
	}
}
