package display

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
)

var built = fstest.MapFS{
	".gitkeep":   {},
	"index.html": {Data: []byte("<!doctype html>")},
	"app.js":     {Data: []byte("follow()")},
	"app.css":    {Data: []byte("body{}")},
	"icon.svg":   {Data: []byte("<svg/>")},
}

func get(h http.Handler, method, path string, header ...string) *http.Response {
	r := httptest.NewRequest(method, path, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, r *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestPage(t *testing.T) {
	h := page(built, Spectator{})
	for _, tt := range []struct{ path, kind, body string }{
		{"/", "text/html; charset=utf-8", "<!doctype html>"},
		{"/index.html", "text/html; charset=utf-8", "<!doctype html>"},
		{"/app.js", "text/javascript; charset=utf-8", "follow()"},
		{"/app.css", "text/css; charset=utf-8", "body{}"},
		{"/icon.svg", "image/svg+xml", "<svg/>"},
	} {
		r := get(h, "GET", tt.path)
		if r.StatusCode != http.StatusOK || r.Header.Get("Content-Type") != tt.kind || body(t, r) != tt.body {
			t.Errorf("%s: %s of %s", tt.path, r.Status, r.Header.Get("Content-Type"))
		}
		if csp := r.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") {
			t.Errorf("%s: policy %q", tt.path, csp)
		}
		again := get(h, "GET", tt.path, "If-None-Match", r.Header.Get("ETag"))
		if r.Header.Get("Cache-Control") != "no-cache" || again.StatusCode != http.StatusNotModified {
			t.Errorf("%s: not kept by a browser: %s", tt.path, again.Status)
		}
	}
	for path, want := range map[string]int{"/.gitkeep": 404, "/nothing": 404, "/app.js/x": 404} {
		if r := get(h, "GET", path); r.StatusCode != want {
			t.Errorf("%s: %s, want %d", path, r.Status, want)
		}
	}
	if r := get(h, "POST", "/"); r.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST: %s", r.Status)
	}
	if r := get(h, "HEAD", "/app.js"); r.StatusCode != http.StatusOK || body(t, r) != "" {
		t.Errorf("HEAD: %s", r.Status)
	}
}

// A browser that takes it gets the page compressed, with a tag that is not that of the page as it is.
func TestPageCompressed(t *testing.T) {
	script := strings.Repeat("follow();", 1000)
	h := page(fstest.MapFS{"app.js": {Data: []byte(script)}, "icon.svg": {Data: []byte("<svg/>")}}, Spectator{})
	for accepts, want := range map[string]string{
		"": "", "br": "", "gzip": "gzip", "br, GZIP;q=0.5": "gzip", "gzip;q=0": "", "gzip;q=0.0, br": "", "gzip;q": "", "x-gzip": "",
	} {
		r := get(h, "GET", "/app.js", "Accept-Encoding", accepts)
		if got := r.Header.Get("Content-Encoding"); got != want {
			t.Errorf("%q gets %q, want %q", accepts, got, want)
		}
		if r.Header.Get("Vary") != "Accept-Encoding" || r.Header.Get("Content-Type") != "text/javascript; charset=utf-8" {
			t.Errorf("%q: header %v", accepts, r.Header)
		}
		text := body(t, r)
		if want == "gzip" {
			zip, err := gzip.NewReader(strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			plain, err := io.ReadAll(zip)
			if err != nil || len(text) > len(script)/10 {
				t.Errorf("%d bytes, %v", len(text), err)
			}
			text = string(plain)
		}
		if text != script {
			t.Errorf("%q gets another script", accepts)
		}
	}
	tag := get(h, "GET", "/app.js", "Accept-Encoding", "gzip").Header.Get("ETag")
	if r := get(h, "GET", "/app.js", "Accept-Encoding", "gzip", "If-None-Match", tag); r.StatusCode != http.StatusNotModified {
		t.Errorf("the same again: %s", r.Status)
	}
	if r := get(h, "GET", "/app.js", "If-None-Match", tag); r.StatusCode != http.StatusOK || body(t, r) != script {
		t.Errorf("who has it compressed and wants it plain: %s", r.Status)
	}
	if r := get(h, "GET", "/icon.svg", "Accept-Encoding", "gzip"); r.Header.Get("Content-Encoding") != "" {
		t.Error("what gets longer is compressed")
	}
}

func TestPageConfig(t *testing.T) {
	as := Spectator{Studio: "milan", Table: "t1", User: "watch", Password: "se\"same", Delayed: true}
	r := get(page(built, as), "GET", "/config.json")
	var got Spectator
	if err := json.Unmarshal([]byte(body(t, r)), &got); err != nil || got != as {
		t.Errorf("config %+v, %v", got, err)
	}
	if r.Header.Get("Cache-Control") != "no-store" || r.Header.Get("Content-Type") != "application/json" {
		t.Errorf("header %v", r.Header)
	}
}

// TestPageUnbuilt: a program built without the page says what to do, and everything else works.
func TestPageUnbuilt(t *testing.T) {
	h := page(fstest.MapFS{".gitkeep": {}}, Spectator{Table: "t1"})
	r := get(h, "GET", "/")
	if text := body(t, r); r.StatusCode != http.StatusServiceUnavailable || !strings.Contains(text, "make web") {
		t.Errorf("%s: %s", r.Status, text)
	}
	if r := get(h, "GET", "/config.json"); r.StatusCode != http.StatusOK {
		t.Errorf("config: %s", r.Status)
	}
}

// TestPageHere: what is embedded is served, built or not.
func TestPageHere(t *testing.T) {
	if r := get(Page(Spectator{}), "GET", "/"); r.StatusCode != http.StatusOK && r.StatusCode != http.StatusServiceUnavailable {
		t.Error(r.Status)
	}
}
