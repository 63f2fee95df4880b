package display

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"
)

// dist is the page as npm built it; all: takes in .gitkeep, without which there would be nothing to embed before that.
//
//go:embed all:web/dist
var dist embed.FS

// Spectator is the account that the page follows a table with. Whoever opens the page gets it, so it must be allowed no
// more than everybody may see.
type Spectator struct {
	// Studio and Table name the table in MQTT topics.
	Studio string `json:"studio"`
	Table  string `json:"table"`
	// User and Password log in at the broker, over a WebSocket at /mqtt on the host that serves the page.
	User     string `json:"user"`
	Password string `json:"password"`
	// Delayed is set where the account is told the table after the security delay alone.
	Delayed bool `json:"delayed,omitempty"`
}

// policy lets the page load nothing that is not its own. The worker is a timer that the MQTT client makes of a blob.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"worker-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

// unbuilt is what there is to see before the page is built.
const unbuilt = "The page is not built into this program. Run \"make web\" in the source folder, then build it again.\n"

// Page serves the live page of one table: / and what it loads, and /config.json with the account to follow it with. It
// is to be mounted at the root of a host whose /mqtt is the broker, and may be called from many goroutines.
func Page(as Spectator) http.Handler {
	files, err := fs.Sub(dist, "web/dist")
	if err != nil {
		panic(err) // the path is a constant
	}
	return page(files, as)
}

// types are the kinds of files a page may have; what the system knows of extensions is left out of it.
var types = map[string]string{
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".svg":  "image/svg+xml",
	".json": "application/json",
}

func page(files fs.FS, as Spectator) http.Handler {
	config, err := json.Marshal(as)
	if err != nil {
		panic(err) // strings and a bool
	}
	mux := http.NewServeMux()
	mux.Handle("GET /config.json", newFile("config.json", config, "no-store"))
	names, _ := fs.Glob(files, "[^.]*") // the pattern is a constant
	for _, name := range names {
		body, err := fs.ReadFile(files, name)
		if err != nil {
			panic(err) // the file is in this program
		}
		// A browser keeps the files and asks each time whether they are still the same: a new daemon means a new page.
		f := newFile(name, body, "no-cache")
		mux.Handle("GET /"+name, f)
		if name == "index.html" {
			mux.Handle("GET /{$}", f)
		}
	}
	if _, err := fs.Stat(files, "index.html"); err != nil {
		mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, unbuilt, http.StatusServiceUnavailable)
		})
	}
	return mux
}

// file answers with one file, compressed where that is smaller and the browser takes it.
type file struct {
	name         string
	plain, small variant // small has no body if it is not smaller
}

// variant is a file as it goes over the wire.
type variant struct {
	body   []byte
	header http.Header
}

func newFile(name string, body []byte, cache string) file {
	h := http.Header{}
	h.Set("Content-Type", types[path.Ext(name)])
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", cache)
	h.Set("Vary", "Accept-Encoding")
	var small bytes.Buffer
	zip, _ := gzip.NewWriterLevel(&small, gzip.BestCompression) // there is such a level
	_, _ = zip.Write(body)                                      // memory takes it
	_ = zip.Close()
	f := file{name: name, plain: newVariant(body, h)}
	if small.Len() < len(body) {
		f.small = newVariant(small.Bytes(), h)
		f.small.header.Set("Content-Encoding", "gzip")
	}
	return f
}

// newVariant has a tag of its own, for a browser that has the other may not take it for this one.
func newVariant(body []byte, header http.Header) variant {
	h := header.Clone()
	h.Set("ETag", fmt.Sprintf(`"%x"`, sha256.Sum256(body)))
	return variant{body, h}
}

func (f file) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	v := f.plain
	if f.small.body != nil && takesGzip(r.Header.Values("Accept-Encoding")) {
		v = f.small
	}
	maps.Copy(w.Header(), v.header)
	http.ServeContent(w, r, f.name, time.Time{}, bytes.NewReader(v.body))
}

// takesGzip reports whether what a browser says that it takes names gzip, and not with a weight of 0 (RFC 9110, 12.5.3).
func takesGzip(accepted []string) bool {
	for _, line := range accepted {
		for one := range strings.SplitSeq(line, ",") {
			coding, weight, weighed := strings.Cut(one, ";")
			if !strings.EqualFold(strings.TrimSpace(coding), "gzip") {
				continue
			}
			name, value, _ := strings.Cut(strings.TrimSpace(weight), "=")
			q, err := strconv.ParseFloat(value, 64)
			return !weighed || strings.EqualFold(name, "q") && err == nil && q > 0
		}
	}
	return false
}
