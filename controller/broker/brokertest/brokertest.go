// Package brokertest runs brokers of other makers for tests, as processes of their own that can be killed: Debian's
// mosquitto, and a NATS server or a cluster of them. Their users may do what package mqtt exports for them.
//
// The NATS server is a module that the test program contains. A package whose tests use NATS calls Serve in TestMain.
package brokertest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"
	nats "github.com/nats-io/nats-server/v2/server"

	"tavolo/controller/mqtt"
)

// Password is that of every user, and of the users of demos.
const Password = "demo"

// patience bounds every wait. It is long for the sake of a slow machine.
const patience = 60 * time.Second

// Broker is one that runs, until the test ends.
type Broker struct {
	// URLs are those of its nodes.
	URLs []string

	t     testing.TB
	nodes []*node
}

// node is one process.
type node struct {
	start   func() *exec.Cmd
	address string
	monitor string // of NATS
	cmd     *exec.Cmd
	out     output
}

// output is what a process says.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write adds to it.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

// Kill kills a node, which has no time to do anything about it.
func (b *Broker) Kill(n int) {
	_ = b.nodes[n].cmd.Process.Kill() // unless it is gone
	_ = b.nodes[n].cmd.Wait()
}

// Start starts a node that was killed, and returns when it accepts connections.
func (b *Broker) Start(n int) {
	b.t.Helper()
	b.launch(n)
	b.reached(n)
}

func (b *Broker) launch(n int) {
	b.t.Helper()
	d := b.nodes[n]
	d.cmd = d.start()
	d.cmd.Stdout, d.cmd.Stderr = &d.out, &d.out
	if err := d.cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
}

func (b *Broker) reached(n int) {
	b.t.Helper()
	b.until("broker at "+b.nodes[n].address, func() bool {
		c, err := net.DialTimeout("tcp", b.nodes[n].address, time.Second)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
}

// until waits until something is so that nothing tells of.
func (b *Broker) until(what string, so func() bool) {
	b.t.Helper()
	for end := time.Now().Add(patience); !so(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			b.t.Fatalf("%s: not so for %v", what, patience)
		}
	}
}

func (b *Broker) run() *Broker {
	b.t.Helper()
	b.t.Cleanup(func() {
		for n, d := range b.nodes {
			if d.cmd == nil {
				continue
			}
			b.Kill(n)
			if b.t.Failed() {
				text := d.out.text.String()
				b.t.Logf("%s: %s", d.address, text[max(0, len(text)-4000):])
			}
		}
	})
	for n, d := range b.nodes {
		b.URLs = append(b.URLs, "tcp://"+d.address)
		b.launch(n)
	}
	for n := range b.nodes {
		b.reached(n)
	}
	return b
}

// Address is one for a broker that has to keep it while it is not running: no port that the system gives away.
func Address(t testing.TB) string {
	t.Helper()
	for range 100 {
		address := fmt.Sprintf("127.0.0.1:%d", 10000+rand.IntN(20000))
		if l, err := net.Listen("tcp", address); err == nil {
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			return address
		}
	}
	t.Fatal("no free port")
	return ""
}

// Mosquitto runs mosquitto. The test is skipped where there is none.
func Mosquitto(t testing.TB, topics mqtt.Topics, users []mqtt.Account) *Broker {
	t.Helper()
	program := func(name string) string {
		for _, path := range []string{name, "/usr/sbin/" + name} {
			if found, err := exec.LookPath(path); err == nil {
				return found
			}
		}
		t.Skipf("%s is not installed (apt install mosquitto)", name)
		return ""
	}
	dir := t.TempDir()
	var passwords strings.Builder
	for _, u := range users {
		fmt.Fprintf(&passwords, "%s:%s\n", u.Name, Password)
	}
	file := write(t, dir, "passwords", passwords.String())
	if out, err := exec.Command(program("mosquitto_passwd"), "-U", file).CombinedOutput(); err != nil {
		t.Fatalf("mosquitto_passwd: %v: %s", err, out)
	}
	address := Address(t)
	host, port, _ := net.SplitHostPort(address)
	conf := fmt.Sprintf("listener %s %s\npersistence false\nallow_anonymous false\nset_tcp_nodelay true\npassword_file %s\nacl_file %s\n",
		port, host, file, write(t, dir, "acl", access(t, "mosquitto", topics, users)))
	if os.Getuid() == 0 {
		conf += "user root\n" // anybody else may not read the test's folder
	}
	confFile := write(t, dir, "mosquitto.conf", conf)
	b := &Broker{t: t, nodes: []*node{{
		address: address, start: func() *exec.Cmd { return exec.Command(program("mosquitto"), "-c", confFile) },
	}}}
	return b.run()
}

// natsConf is the variable that makes a test program a NATS server with a configuration.
const natsConf = "TAVOLO_TEST_NATS"

// Serve runs a NATS server instead of the tests in a process that NATS started, and returns in any other.
func Serve() {
	file := os.Getenv(natsConf)
	if file == "" {
		return
	}
	opts, err := nats.ProcessConfigFile(file)
	if err == nil {
		var s *nats.Server
		if s, err = nats.NewServer(opts); err == nil {
			s.ConfigureLogger()
			s.Start()
			s.WaitForShutdown()
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// NATS runs a NATS server, or a cluster of them. Among the users is one named engine, with that role.
func NATS(t testing.TB, nodes int, topics mqtt.Topics, users []mqtt.Account) *Broker {
	t.Helper()
	b := &Broker{t: t}
	var routes []string
	for range nodes {
		routes = append(routes, Address(t))
	}
	var passwords strings.Builder
	for _, u := range users {
		fmt.Fprintf(&passwords, "TAVOLO_%s: %q\n", strings.ToUpper(strings.ReplaceAll(u.Name, "-", "_")), Password)
	}
	acl := access(t, "nats", topics, users)
	for n := range nodes {
		dir, d := t.TempDir(), &node{address: Address(t), monitor: Address(t)}
		conf := fmt.Sprintf("server_name: n%d\nlisten: %q\nhttp: %q\njetstream: { store_dir: %q }\nmqtt: { listen: %q }\n%s%s",
			n, Address(t), d.monitor, dir, d.address, passwords.String(), acl)
		if nodes > 1 {
			conf += fmt.Sprintf("cluster: { name: tavolo, listen: %q, routes: [ nats-route://%s ] }\n", routes[n], strings.Join(routes, ", nats-route://"))
		}
		file := write(t, dir, "nats.conf", conf)
		d.start = func() *exec.Cmd {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), natsConf+"="+file, "GORACE=atexit_sleep_ms=0")
			return cmd
		}
		b.nodes = append(b.nodes, d)
	}
	b.run()
	if nodes > 1 {
		b.Leader()
	}
	for n := range nodes {
		b.until("a message kept by every node", func() bool { return b.keeps(n, topics) })
	}
	return b
}

// keeps reports whether a node acknowledges a message, which a cluster does not while it is making its stores.
func (b *Broker) keeps(n int, topics mqtt.Topics) bool {
	if topics == (mqtt.Topics{}) {
		topics = mqtt.Topics{Studio: "warm", Table: "up"}
	}
	c := paho.NewClient(paho.NewClientOptions().AddBroker(b.URLs[n]).SetClientID("engine:warm-up").SetUsername("engine").SetPassword(Password).
		SetProtocolVersion(4).SetAutoReconnect(false).SetConnectTimeout(10 * time.Second))
	defer c.Disconnect(0)
	if token := c.Connect(); !token.WaitTimeout(patience) || token.Error() != nil {
		return false
	}
	token := c.Publish(topics.DelayedEvents(), 1, false, "{}")
	return token.WaitTimeout(patience) && token.Error() == nil
}

// Leader is the node of a cluster that leads the others, which it waits for.
func (b *Broker) Leader() (n int) {
	b.t.Helper()
	n = -1
	b.until("leader of the cluster", func() bool {
		for _, d := range b.nodes {
			r, err := http.Get("http://" + d.monitor + "/jsz")
			if err != nil {
				continue
			}
			var told struct {
				Meta struct {
					Leader string `json:"leader"`
				} `json:"meta_cluster"`
			}
			err = json.NewDecoder(r.Body).Decode(&told)
			_ = r.Body.Close()
			if _, scan := fmt.Sscanf(told.Meta.Leader, "n%d", &n); err == nil && scan == nil {
				return true
			}
		}
		return false
	})
	return n
}

func access(t testing.TB, dialect string, topics mqtt.Topics, users []mqtt.Account) string {
	t.Helper()
	var b strings.Builder
	if err := mqtt.WriteAccess(&b, dialect, topics, users); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func write(t testing.TB, dir, name, text string) (file string) {
	t.Helper()
	file = filepath.Join(dir, name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// Front runs nginx in front of a broker, as package mqtt exports it, until the test ends, and gives its URL. The test is
// skipped where there is no nginx with its module for streams.
func (b *Broker) Front() (url string) {
	b.t.Helper()
	const module = "/usr/lib/nginx/modules/ngx_stream_module.so"
	program, err := exec.LookPath("/usr/sbin/nginx")
	if err == nil {
		_, err = os.Stat(module)
	}
	if err != nil {
		b.t.Skip("nginx is not installed (apt install nginx-light libnginx-mod-stream)")
	}
	var nodes []string
	for _, d := range b.nodes {
		nodes = append(nodes, d.address)
	}
	front := &node{address: Address(b.t)}
	var stream strings.Builder
	if err := mqtt.WriteFront(&stream, front.address, nodes); err != nil {
		b.t.Fatal(err)
	}
	dir := b.t.TempDir()
	user := "" // which only a root's nginx may say
	if os.Getuid() == 0 {
		user = "user root;\n"
	}
	// One process, so that killing it ends it all.
	file := write(b.t, dir, "nginx.conf", fmt.Sprintf("load_module %s;\n%sdaemon off;\nmaster_process off;\npid %s/pid;\nerror_log stderr;\nevents {}\n%s",
		module, user, dir, &stream))
	front.start = func() *exec.Cmd { return exec.Command(program, "-c", file, "-p", dir, "-e", "stderr") }
	b.nodes = append(b.nodes, front)
	b.launch(len(b.nodes) - 1)
	b.reached(len(b.nodes) - 1)
	return "tcp://" + front.address
}
