package mqtt

import (
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
)

// Account is a user of a broker, as far as access rules go.
type Account struct {
	Name string
	Role Role
}

// WriteAccess writes the access rules of users for an external broker: an acl_file of Mosquitto, or the authorization block
// of a NATS server. They are allow lists: what they do not name is forbidden. Topics bounds them to one table; the zero value
// stands for every table of every studio.
func WriteAccess(w io.Writer, dialect string, t Topics, users []Account) error {
	write := map[string]func(*strings.Builder, Account, Grants){"mosquitto": mosquitto, "nats": nats}[dialect]
	if write == nil {
		return fmt.Errorf("access rules for %q: want mosquitto or nats", dialect)
	}
	var b strings.Builder
	if dialect == "nats" {
		b.WriteString("authorization {\n  users = [\n")
	}
	for _, u := range users {
		if !ValidID(u.Name) || !u.Role.Valid() {
			return fmt.Errorf("user %q, role %q: want a name of 1 to 32 of a-z 0-9 -, and a role", u.Name, u.Role)
		}
		g := u.Role.Grants(u.Name)
		if t != (Topics{}) {
			g = g.at(t)
		}
		write(&b, u, g)
	}
	if dialect == "nats" {
		b.WriteString("  ]\n}\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// at bounds grants to one table.
func (g Grants) at(t Topics) Grants {
	bound := func(filters []string) []string {
		out := slices.Clone(filters)
		for i, f := range out {
			out[i] = strings.Replace(f, root+"+/+/", t.at(""), 1)
		}
		return out
	}
	return Grants{bound(g.publish), bound(g.subscribe)}
}

func mosquitto(b *strings.Builder, u Account, g Grants) {
	fmt.Fprintf(b, "# %s\nuser %s\n", u.Role, u.Name)
	for _, f := range g.publish {
		fmt.Fprintf(b, "topic write %s\n", f)
	}
	for _, f := range g.subscribe {
		fmt.Fprintf(b, "topic read %s\n", f)
	}
	b.WriteString("\n")
}

// nats writes a user whose password is a variable of the server's environment. In the subjects of NATS a > does not match
// the level above it, as the # of MQTT does.
func nats(b *strings.Builder, u Account, g Grants) {
	allow := func(filters []string) string {
		if len(filters) == 0 { // an empty list of what is allowed would allow everything
			return `deny: [">"]`
		}
		var out []string
		for _, f := range filters {
			s := strings.NewReplacer("/", ".", "+", "*", "#", ">").Replace(f)
			out = append(out, fmt.Sprintf("%q", s))
			if above, ok := strings.CutSuffix(s, ".>"); ok {
				out = append(out, fmt.Sprintf("%q", above))
			}
		}
		return "allow: [" + strings.Join(out, ", ") + "]"
	}
	password := "TAVOLO_" + strings.ToUpper(strings.ReplaceAll(u.Name, "-", "_"))
	fmt.Fprintf(b, "    { # %s\n      user: %q, password: $%s, allowed_connection_types: [\"MQTT\", \"MQTT_WS\"]\n", u.Role, u.Name, password)
	fmt.Fprintf(b, "      permissions: { publish: { %s }, subscribe: { %s } }\n    }\n", allow(g.publish), allow(g.subscribe))
}

// WriteFront writes what nginx, with its module for streams, is to do in front of a broker, for everybody but the tables: take
// connections at an address, share them out to the nodes, and read from each no faster than a table listens, so that an
// account that sends without end does not take the broker's time from the others. NATS and Mosquitto have no such limit of
// their own.
func WriteFront(w io.Writer, listen string, nodes []string) error {
	var b strings.Builder
	b.WriteString("stream {\n    limit_conn_zone $binary_remote_addr zone=tavolo:1m;\n    upstream tavolo {\n")
	for _, node := range append([]string{listen}, nodes...) {
		if _, port, err := net.SplitHostPort(node); err != nil || port == "" || strings.ContainsAny(node, " ;{}'\"\\$") {
			return fmt.Errorf("address %q: want HOST:PORT, such as 10.0.0.5:1883", node)
		}
	}
	for _, node := range nodes {
		fmt.Fprintf(&b, "        server %s;\n", node)
	}
	fmt.Fprintf(&b, `    }
    server {
        listen %s;
        proxy_pass tavolo;
        proxy_upload_rate 32k;    # bytes a second of one connection: some 50 requests
        limit_conn tavolo 64;     # connections of one address
        proxy_connect_timeout 5s;
        proxy_timeout 10m;
    }
}
`, listen)
	_, err := io.WriteString(w, b.String())
	return err
}
