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

func TestFrontNamesTheNodes(t *testing.T) {
	var b strings.Builder
	if err := WriteFront(&b, "0.0.0.0:1883", []string{"10.0.0.5:1884", "[::1]:1884"}); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"server 10.0.0.5:1884;", "server [::1]:1884;", "listen 0.0.0.0:1883;", "proxy_upload_rate 32k;"} {
		if !strings.Contains(b.String(), line) {
			t.Errorf("no %q in\n%s", line, &b)
		}
	}
	for _, bad := range []string{"", "1883", "a:1; include /etc/passwd", "a:"} {
		if err := WriteFront(&b, "0.0.0.0:1883", []string{bad}); err == nil {
			t.Errorf("%q is a node", bad)
		}
	}
}
