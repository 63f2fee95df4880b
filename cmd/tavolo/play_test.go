package main

import (
	"encoding/pem"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A player trusts the authority that is named, and is told what is wrong with a file.
func TestPlayOverTLS(t *testing.T) {
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	ca := write("ca.pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
	junk := write("junk.pem", []byte("junk"))
	if c, err := clientTLS(ca, "", ""); err != nil || c.RootCAs == nil || c.RootCAs.Equal(nil) {
		t.Errorf("with an authority: %+v, %v", c, err)
	}
	if c, err := clientTLS("", "", ""); c != nil || err != nil {
		t.Errorf("with nothing: %+v, %v", c, err)
	}
	for _, c := range []struct{ ca, certificate, key, want string }{
		{junk, "", "", "--ca: " + junk + ": no certificate in it"},
		{filepath.Join(dir, "none"), "", "", "--ca: open "},
		{"", junk, junk, "--certificate: "},
		{"", ca, junk, "--certificate: "},
	} {
		if _, err := clientTLS(c.ca, c.certificate, c.key); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
