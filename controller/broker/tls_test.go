package broker_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"log"
	"math/big"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tavolo/controller/broker"
	"tavolo/controller/mqtt"
)

// certificate makes a certificate of an authority, for a name; the authority's own for none.
func certificate(t *testing.T, name string, authority *tls.Certificate) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour),
		DNSNames: []string{"localhost"}, IsCA: authority == nil, BasicConstraintsValid: true,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	parent, signer := leaf, any(key)
	if authority != nil {
		parent, signer = authority.Leaf, authority.PrivateKey
	}
	der, err := x509.CreateCertificate(rand.Reader, leaf, parent, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	if leaf, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
}

// With an authority for clients, only those with a certificate of it are let in, each as the user that it names.
func TestClientCertificates(t *testing.T) {
	authority := certificate(t, "authority", nil)
	trust := x509.NewCertPool()
	trust.AddCert(authority.Leaf)
	b := start(t, broker.Options{
		Address: "127.0.0.1:0",
		TLS: &tls.Config{
			Certificates: []tls.Certificate{certificate(t, "localhost", &authority)},
			ClientAuth:   tls.RequireAndVerifyClientCert, ClientCAs: trust,
		},
	})
	stranger := certificate(t, "stranger", nil)
	for _, c := range []struct {
		name  string
		certs []tls.Certificate
		in    bool
	}{
		{"her own", []tls.Certificate{certificate(t, "alice", &authority)}, true},
		{"another user's", []tls.Certificate{certificate(t, "bob", &authority)}, false},
		{"none", nil, false},
		{"of another authority", []tls.Certificate{certificate(t, "alice", &stranger)}, false},
	} {
		link, err := mqtt.NewLink(mqtt.Options{
			URL: "tls://" + b.Addr().String(), TLS: &tls.Config{RootCAs: trust, ServerName: "localhost", Certificates: c.certs},
			ClientID: "alice", User: "alice", Password: password,
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := settles(t, link); got != c.in {
			t.Errorf("with a certificate of %s: let in %v", c.name, got)
		}
	}
}

// The same holds over the port of a page: with a certificate that the browser showed there, or as one of those who need none.
func TestClientCertificatesOverThePage(t *testing.T) {
	authority := certificate(t, "authority", nil)
	trust := x509.NewCertPool()
	trust.AddCert(authority.Leaf)
	server := []tls.Certificate{certificate(t, "localhost", &authority)}
	b := start(t, broker.Options{Address: "127.0.0.1:0", TLS: &tls.Config{
		Certificates: server, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: trust,
	}})
	plain := httptest.NewServer(b)
	defer plain.Close()
	secure := httptest.NewUnstartedServer(b)
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.TLS = &tls.Config{Certificates: server, ClientAuth: tls.VerifyClientCertIfGiven, ClientCAs: trust}
	secure.StartTLS()
	defer secure.Close()
	for _, c := range []struct {
		web   *httptest.Server
		user  string
		certs []tls.Certificate
		in    bool
	}{
		{plain, "alice", nil, false},
		{plain, "box", nil, false},
		{plain, "fan", nil, true},
		{plain, "late", nil, true},
		{secure, "alice", nil, false},
		{secure, "fan", nil, true},
		{secure, "alice", []tls.Certificate{certificate(t, "alice", &authority)}, true},
		{secure, "alice", []tls.Certificate{certificate(t, "bob", &authority)}, false},
	} {
		link, err := mqtt.NewLink(mqtt.Options{
			URL: "ws" + strings.TrimPrefix(c.web.URL, "http"), TLS: &tls.Config{RootCAs: trust, ServerName: "localhost", Certificates: c.certs},
			ClientID: c.user, User: c.user, Password: password,
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := settles(t, link); got != c.in {
			t.Errorf("%s over %s with %d certificates: let in %v", c.user, c.web.URL, len(c.certs), got)
		}
	}
}

// settles reports whether a link gets up, or fails.
func settles(t *testing.T, link *mqtt.Link) bool {
	t.Helper()
	done := make(chan error, 1)
	ctx, stop := context.WithCancel(t.Context())
	go func() { done <- link.Run(ctx) }()
	defer func() { stop(); <-done }()
	for began := time.Now(); time.Since(began) < patience; {
		switch h := link.Health(); {
		case h.Up:
			return true
		case h.Err != nil:
			t.Log(h.Err)
			return false
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-ctx.Done():
		}
	}
	t.Fatal("neither up nor refused")
	return false
}
