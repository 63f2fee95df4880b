package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tavolo/controller/broker"
	"tavolo/controller/mqtt"
)

// selfSigned writes a certificate of a name, that is its own authority, and its key.
func selfSigned(t *testing.T, dir, name string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	cert := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, cert, cert, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{
		name + ".pem": {Type: "CERTIFICATE", Bytes: der}, name + ".key": {Type: "PRIVATE KEY", Bytes: secret},
	} {
		if err := os.WriteFile(filepath.Join(dir, file), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// The table shows an external broker its certificate, and takes no other broker for it.
func TestTableHasACertificate(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"studio", "table-1", "stranger"} {
		selfSigned(t, dir, name)
	}
	pair, err := tls.LoadX509KeyPair(filepath.Join(dir, "studio.pem"), filepath.Join(dir, "studio.key"))
	if err != nil {
		t.Fatal(err)
	}
	clients := x509.NewCertPool()
	own, err := os.ReadFile(filepath.Join(dir, "table-1.pem"))
	if err != nil || !clients.AppendCertsFromPEM(own) {
		t.Fatal("no certificate", err)
	}
	hash, err := broker.HashPublic("geheim")
	if err != nil {
		t.Fatal(err)
	}
	b, err := broker.New(broker.Options{
		Address: "127.0.0.1:0", Users: []broker.User{{Name: "table-1", Role: mqtt.Spectator, Hash: hash}}, Log: slog.New(slog.DiscardHandler),
		TLS: &tls.Config{Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: clients, MinVersion: tls.VersionTLS12},
	})
	if err != nil {
		t.Fatal(err)
	}
	background(t, b.Run)
	for _, c := range []struct {
		certificate, ca string
		up              bool
	}{{"table-1", "studio", true}, {"stranger", "studio", false}, {"table-1", "stranger", false}} {
		t.Run(c.certificate+" "+c.ca, func(t *testing.T) {
			text := strings.Replace(smallest, "[journal]", "[broker]\nurl = \"tls://"+b.Addr().String()+"\"\nuser = \"table-1\"\npassword_file = \"password\"\n"+
				"certificate = \""+filepath.Join(dir, c.certificate+".pem")+"\"\nkey = \""+filepath.Join(dir, c.certificate+".key")+"\"\nca = \""+
				filepath.Join(dir, c.ca+".pem")+"\"\n[journal]", 1)
			before, users, _ := strings.Cut(text, "[[broker.users]]")
			text = before + users[strings.Index(users, "[[players]]"):]
			cfg, err := loadText(t, text)
			if err != nil {
				t.Fatal(err)
			}
			d := bareDaemon(cfg, slog.New(slog.DiscardHandler))
			d.public = &mqtt.Publisher{Topics: cfg.Topics}
			opt, err := d.login()
			if err != nil {
				t.Fatal(err)
			}
			opt.Subscribe = nil
			link, err := mqtt.NewLink(opt)
			if err != nil {
				t.Fatal(err)
			}
			background(t, link.Run)
			eventually(t, "the table is let in, or not", func() bool { h := link.Health(); return h.Up || h.Err != nil })
			if h := link.Health(); h.Up != c.up {
				t.Errorf("connected %v: %v", h.Up, h.Err)
			}
		})
	}
}
