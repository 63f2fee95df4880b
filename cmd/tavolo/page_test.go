package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tavolo/controller/mqtt"
	"tavolo/controller/seal"
)

// TestPageOverHTTPS: with a certificate the page comes by https, and the broker with it.
func TestPageOverHTTPS(t *testing.T) {
	t.Parallel()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, leaf, leaf, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir, trust := t.TempDir(), x509.NewCertPool()
	chain := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	trust.AppendCertsFromPEM(chain)
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for file, text := range map[string][]byte{certFile: chain, keyFile: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})} {
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := virtualDemo(t, demoOptions{seats: 2, listen: "127.0.0.1:0"}, func(text string) string {
		return strings.Replace(text, "[web]\n", fmt.Sprintf("[web]\ncertificate = %q\nkey = %q\n", certFile, keyFile), 1)
	})
	d := r.daemon()
	url := r.cfg.Web.url(d.web.Addr())
	conf := &tls.Config{RootCAs: trust}
	browser := &http.Client{Transport: &http.Transport{TLSClientConfig: conf}}
	defer browser.CloseIdleConnections()
	answer, err := browser.Get(url + "/config.json")
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusOK || answer.TLS == nil {
		t.Errorf("the page: %s", answer.Status)
	}
	link, err := mqtt.NewLink(mqtt.Options{
		URL: "wss" + strings.TrimPrefix(url, "https") + "/mqtt", TLS: conf, ClientID: mqtt.NewClientID(guest), User: guest, Password: demoPassword,
	})
	if err != nil {
		t.Fatal(err)
	}
	background(t, link.Run)
	eventually(t, "a player is let in over the page's port", func() bool { return link.Health().Up })
}

// Who runs a table is told, where players cannot sign in at its page from elsewhere.
func TestPageWarning(t *testing.T) {
	keys := map[string]seal.Key{"alice": ""}
	for _, tt := range []struct {
		web  WebConfig
		keys map[string]seal.Key
		want bool
	}{
		{WebConfig{Listen: "127.0.0.1:8080"}, keys, false},
		{WebConfig{Listen: "[::1]:8080"}, keys, false},
		{WebConfig{Listen: "localhost:8080"}, keys, false},
		{WebConfig{Listen: ""}, keys, false},
		{WebConfig{Listen: ":8080"}, keys, true},
		{WebConfig{Listen: "192.0.2.1:8080"}, keys, true},
		{WebConfig{Listen: "table.example:8080"}, keys, true},
		{WebConfig{Listen: ":8443", TLS: &tls.Config{}}, keys, false},
		{WebConfig{Listen: ":8080"}, nil, false},
	} {
		c := Config{Web: tt.web, Keys: tt.keys}
		if seen, do := c.warning(); (seen != "") != tt.want || (do != "") != tt.want {
			t.Errorf("%+v with %d keys: %q, %q", tt.web, len(tt.keys), seen, do)
		}
	}
	r := virtualDemo(t, demoOptions{seats: 2}, func(text string) string {
		return strings.Replace(text, "[web]\nlisten = \"\"", "[web]\nlisten = \":0\"", 1)
	})
	if text := summaryOf(r.file, r.cfg).String(); !strings.Contains(text, "  warn    players cannot sign in over http") {
		t.Errorf("check says nothing of it:\n%s", text)
	}
	if f := tryPage(r.cfg); f.Result != partWarn || !strings.Contains(f.Do, "certificate and key") {
		t.Errorf("doctor says %s", f)
	}
}
