package mqtt

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"
)

// each is one user of each role, named after it.
func each() (users []Account) {
	for _, r := range Rules() {
		users = append(users, Account{string(r.Role), r.Role})
	}
	return users
}

// What is written for NATS allows each user the topics that the rules do, and no others.
func TestAccessForNATS(t *testing.T) {
	var b bytes.Buffer
	if err := WriteAccess(&b, "nats", Topics{}, each()); err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile(`user: "(\w+)".*\n.*publish: { allow: \[(.*?)\] }, subscribe: { allow: \[(.*?)\] }`).FindAllStringSubmatch(b.String(), -1)
	if len(blocks) != len(rules) {
		t.Fatalf("%d users of %d roles in\n%s", len(blocks), len(rules), b.String())
	}
	// allowed reports whether a subject matches one of a list, as NATS does.
	allowed := func(list, topic string) bool {
		return slices.ContainsFunc(strings.Split(list, ", "), func(s string) bool {
			expr := "^" + strings.NewReplacer(".", `\.`, "*", `[^.]+`, ">", `.+`).Replace(strings.Trim(s, `"`)) + "$"
			return regexp.MustCompile(expr).MatchString(strings.ReplaceAll(topic, "/", "."))
		})
	}
	for _, block := range blocks {
		g := Role(block[1]).Grants(block[1])
		for topic := range tree {
			if strings.ContainsAny(topic, "+#") {
				continue
			}
			for _, topic := range []string{topic, strings.NewReplacer("alice", block[1], "box", block[1]).Replace(topic)} {
				if got := allowed(block[2], topic); got != g.MayPublish(topic) {
					t.Errorf("%s may publish %s: %v", block[1], topic, got)
				}
				if got := allowed(block[3], topic); got != g.MaySubscribe(topic) {
					t.Errorf("%s may read %s: %v", block[1], topic, got)
				}
			}
		}
	}
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

// Mosquitto, with the rules written for it, gives each user what the table says.
func TestAccessForMosquitto(t *testing.T) {
	program, err := exec.LookPath("mosquitto")
	if err != nil {
		t.Skip("mosquitto is not installed")
	}
	var acl bytes.Buffer
	if err := WriteAccess(&acl, "mosquitto", nine, each()); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	_, port, _ := net.SplitHostPort(address)
	conf := fmt.Sprintf("listener %s 127.0.0.1\nallow_anonymous true\npersistence false\nuser root\nacl_file %s/acl\n", port, dir)
	for name, text := range map[string]string{"acl": acl.String(), "conf": conf} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	broker := exec.CommandContext(ctx, program, "-c", filepath.Join(dir, "conf"))
	if err := broker.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cancel(); _ = broker.Wait() }) // it was told to end
	connect := func(user string, got func(string)) paho.Client {
		o := paho.NewClientOptions().AddBroker("tcp://" + address).SetClientID(user).SetUsername(user).SetPassword("x").
			SetConnectRetry(true).SetConnectRetryInterval(50 * time.Millisecond).
			SetDefaultPublishHandler(func(_ paho.Client, m paho.Message) { got(m.Topic()) })
		c := paho.NewClient(o)
		if token := c.Connect(); !token.WaitTimeout(20*time.Second) || token.Error() != nil {
			t.Fatalf("%s: %v", user, token.Error())
		}
		t.Cleanup(func() { c.Disconnect(0) })
		return c
	}
	engine := connect("engine", func(string) {})
	for _, rule := range Rules() {
		if rule.Role == Engine {
			continue
		}
		user := string(rule.Role)
		got := make(chan string, 100)
		c := connect(user, func(topic string) { got <- topic })
		if token := c.Subscribe("#", 0, nil); !token.WaitTimeout(20 * time.Second) {
			t.Fatalf("%s: no answer to a subscription", user)
		}
		var want []string
		g := rule.Role.Grants(user)
		for topic := range tree {
			if strings.ContainsAny(topic, "+#") || !Engine.Grants("engine").MayPublish(topic) {
				continue
			}
			if token := engine.Publish(topic, 1, false, "x"); !token.WaitTimeout(20 * time.Second) {
				t.Fatal("no answer to a message")
			}
			if g.MaySubscribe(topic) {
				want = append(want, topic)
			}
		}
		last := nine.Status() // which everybody may read, and which comes after all others
		if token := engine.Publish(last, 1, false, "end"); !token.WaitTimeout(20 * time.Second) {
			t.Fatal("no answer to a message")
		}
		want = append(want, last)
		var read []string
		for len(read) < len(want) {
			select {
			case topic := <-got:
				read = append(read, topic)
			case <-time.After(20 * time.Second):
				t.Fatalf("%s read %v, want %v", user, read, want)
			}
		}
		slices.Sort(want)
		slices.Sort(read)
		if !slices.Equal(read, want) {
			t.Errorf("%s read %v, want %v", user, read, want)
		}
	}
}
