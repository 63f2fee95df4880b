// Package displaytest shows pages to a headless Chromium, for the tests of what a person sees and does.
package displaytest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// chromium is the program of Debian's package chromium.
const chromium = "/usr/bin/chromium"

// patience is how long a page may take to show something. It is long for the sake of a slow machine under the race detector.
const patience = 90 * time.Second

// look is how often a page is looked at meanwhile.
const look = 25 * time.Millisecond

// Browser is one Chromium. Its tabs know nothing of each other.
type Browser struct {
	ctx context.Context
}

// Start starts a browser, which ends with the test. Without a Chromium, or a page at the URL, which is not there before
// npm has built it, the test is skipped.
func Start(t testing.TB, url string) *Browser {
	t.Helper()
	if _, err := os.Stat(chromium); err != nil {
		t.Skipf("no browser: %v (Debian's package chromium has it)", err)
	}
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	if _ = r.Body.Close(); r.StatusCode != http.StatusOK {
		t.Skip("the page is not built: run make web")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromium), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WindowSize(1440, 900),
		chromedp.UserDataDir(t.TempDir()), chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("lang", "en-US"),
	)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute)
	t.Cleanup(cancel)
	ctx, stop := chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(stop)
	ctx, shut := chromedp.NewContext(ctx, chromedp.WithErrorf(t.Logf))
	t.Cleanup(shut)
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		t.Fatal(err)
	}
	return &Browser{ctx}
}

// Tab is one page. An exception in it, or a breach of its security policy, fails the test.
type Tab struct {
	t   testing.TB
	ctx context.Context
}

// Open opens a page in a tab that shares nothing with the others, as if in a browser of its own.
func (b *Browser) Open(t testing.TB, url string) *Tab {
	t.Helper()
	ctx, shut := chromedp.NewContext(b.ctx, chromedp.WithNewBrowserContext(), chromedp.WithListener(func(ev any) {
		switch ev := ev.(type) {
		case *runtime.EventExceptionThrown:
			t.Errorf("the page threw: %s", ev.ExceptionDetails.Text)
		case *log.EventEntryAdded:
			if ev.Entry.Source == log.EntrySourceSecurity {
				t.Errorf("the page broke its policy: %s", ev.Entry.Text)
			}
		}
	}))
	t.Cleanup(shut)
	if err := chromedp.Do(ctx, chromedp.Navigate(url)); err != nil {
		t.Fatal(err)
	}
	return &Tab{t, ctx}
}

// Value is what an expression on the page is now, as text.
func (t *Tab) Value(expression string) string {
	t.t.Helper()
	v, err := chromedp.Run(t.ctx, chromedp.Evaluate[string](`(() => { try { return String(`+expression+`) } catch (e) { return String(e) } })()`))
	if err != nil {
		t.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// Read reads what an expression on the page is now into what `into` points to, by JSON.
func (t *Tab) Read(into any, expression string) {
	t.t.Helper()
	if err := json.Unmarshal([]byte(t.Value("JSON.stringify("+expression+")")), into); err != nil {
		t.t.Fatalf("%s: %v", expression, err)
	}
}

// Until waits until an expression on the page has a value that will do, and gives it.
func (t *Tab) Until(what, expression string, will func(string) bool) string {
	t.t.Helper()
	again := time.NewTicker(look)
	defer again.Stop()
	late := time.After(patience)
	for {
		v := t.Value(expression)
		if will(v) {
			return v
		}
		select {
		case <-again.C:
		case <-late:
			t.t.Fatalf("%s: the page shows %q", what, v)
		}
	}
}

// Sees waits until an expression on the page has a value.
func (t *Tab) Sees(what, expression, want string) {
	t.t.Helper()
	t.Until(fmt.Sprintf("%s, want %q", what, want), expression, func(v string) bool { return v == want })
}

// Click clicks on the first element that a selector finds.
func (t *Tab) Click(selector string) {
	t.t.Helper()
	if err := chromedp.Do(t.ctx, chromedp.Click(chromedp.CSS(selector))); err != nil {
		t.t.Fatalf("click on %s: %v", selector, err)
	}
}

// Press presses keys where the focus is: letters, or a constant of package kb.
func (t *Tab) Press(keys string) {
	t.t.Helper()
	if err := chromedp.Do(t.ctx, chromedp.KeyEvent(keys)); err != nil {
		t.t.Fatalf("keys %q: %v", keys, err)
	}
}

// Phone shows the page as a phone does from now on.
func (t *Tab) Phone() {
	t.t.Helper()
	t.size(screens[0])
}

// Accessible fails the test for whatever on the page, as it is, axe-core finds to break a rule of WCAG seriously.
func (t *Tab) Accessible(what string) {
	t.t.Helper()
	if t.Value("typeof axe") != "object" {
		source, err := os.ReadFile(filepath.Join(root(t.t), "display", "web", "node_modules", "axe-core", "axe.min.js"))
		if err != nil {
			t.t.Fatalf("axe-core is not installed: run make web: %v", err)
		}
		if _, err := chromedp.Run(t.ctx, chromedp.Evaluate[int](string(source)+";0")); err != nil {
			t.t.Fatalf("axe-core: %v", err)
		}
	}
	t.Value(`void (window.axed = "", axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"], resultTypes: ["violations"]}).then(
		(r) => (window.axed = JSON.stringify(r.violations.filter((v) => /serious|critical/.test(v.impact)).flatMap((v) => v.nodes.map((n) => v.id + ": " + n.target.join(" ") + ": " + n.failureSummary)))),
		(e) => (window.axed = JSON.stringify([String(e)]))))`)
	t.Until("what axe-core says", `window.axed`, func(v string) bool { return v != "" })
	var faults []string
	t.Read(&faults, `JSON.parse(window.axed)`)
	for _, f := range faults {
		t.t.Errorf("%s: %s", what, f)
	}
}

// root is the folder of the module.
func root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	for err == nil && dir != filepath.Dir(dir) {
		if _, stat := os.Stat(filepath.Join(dir, "go.mod")); stat == nil {
			return dir
		}
		dir = filepath.Dir(dir)
	}
	t.Fatalf("no go.mod above the test: %v", err)
	return ""
}

// screen is what a page is shown on.
type screen struct {
	name          string
	width, height int64
	scale         float64
}

// Screens are those that Picture shows a page on.
var screens = []screen{{"phone", 390, 844, 2}, {"desktop", 1440, 900, 1}}

func (t *Tab) size(s screen) {
	t.t.Helper()
	if err := chromedp.Do(t.ctx, chromedp.EmulateViewport(s.width, s.height, chromedp.EmulateScale(s.scale))); err != nil {
		t.t.Fatal(err)
	}
	t.Sees("the size", `innerWidth`, strconv.FormatInt(s.width, 10))
}

// Picture saves the page as a phone and a desktop show it, in the folder that TAVOLO_SCREENSHOTS names; without one it does
// nothing. Pictures look best with Debian's fonts-inter.
func (t *Tab) Picture(name string) {
	t.t.Helper()
	folder := os.Getenv("TAVOLO_SCREENSHOTS")
	if folder == "" {
		return
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.t.Fatal(err)
	}
	for _, s := range screens {
		t.size(s)
		t.Sees("no more cards in motion", `document.getAnimations().filter(a => a.animationName === "dealt").length`, "0")
		png, err := chromedp.Run(t.ctx, chromedp.CaptureScreenshot())
		if err != nil {
			t.t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name+"-"+s.name+".png"), png, 0o644); err != nil {
			t.t.Fatal(err)
		}
	}
}
