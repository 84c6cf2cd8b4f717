// Package browser drives a headless Chromium for tests of pages: keys, clicks, screenshots. It speaks the Chrome DevTools Protocol
// over a pair of pipes, each message a JSON value that ends with a zero byte.
package browser

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience bounds the time for one answer, and for a condition of a page.
const patience = 15 * time.Second

// Page is a page of a browser.
type Page struct {
	t       *testing.T
	in      io.Writer
	session string

	mu      sync.Mutex
	next    int
	waiting map[int]chan message
	wrong   []string // exceptions and errors of the console
}

// message is a command, an answer or an event.
type message struct {
	ID      int             `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Session string          `json:"sessionId,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *struct {
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

// Open starts a browser with an empty page, which ends with the test. It skips the test if there is no Chromium.
func Open(t *testing.T) *Page {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skip("chromium is not on PATH")
	}
	ctx, stop := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, path, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars",
		"--force-color-profile=srgb", "--user-data-dir="+t.TempDir(), "--remote-debugging-pipe", "about:blank")
	toIt, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, fromIt, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.ExtraFiles = []*os.File{toIt, fromIt} // descriptors 3 and 4
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = toIt.Close(), fromIt.Close()
	p := &Page{t: t, in: in, waiting: map[int]chan message{}}
	go p.receive(out)
	t.Cleanup(func() {
		p.session = ""
		p.call("Browser.close", nil, nil)
		_ = in.Close()
		timer := time.AfterFunc(10*time.Second, stop)
		_ = cmd.Wait() // its exit code says nothing about the page
		timer.Stop()
		stop()
		_ = out.Close()
	})
	var target struct{ TargetID string }
	p.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	p.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	p.session = attached.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log"} {
		p.call(domain+".enable", nil, nil)
	}
	p.Size(1600, 1000)
	return p
}

// receive gives each answer to the call that waits for it, and keeps errors of the page.
func (p *Page) receive(out io.Reader) {
	for r := bufio.NewReader(out); ; {
		data, err := r.ReadBytes(0)
		if err != nil {
			return
		}
		var m message
		var params struct {
			ExceptionDetails struct {
				Text      string
				Exception struct{ Description string }
			}
			Entry struct{ Level, Text, URL string }
		}
		m.Params = &params
		if json.Unmarshal(data[:len(data)-1], &m) != nil {
			continue
		}
		p.mu.Lock()
		switch {
		case m.ID != 0:
			if c := p.waiting[m.ID]; c != nil {
				delete(p.waiting, m.ID)
				c <- m
			}
		case m.Method == "Runtime.exceptionThrown":
			p.wrong = append(p.wrong, params.ExceptionDetails.Text+" "+params.ExceptionDetails.Exception.Description)
		case m.Method == "Log.entryAdded" && params.Entry.Level == "error":
			p.wrong = append(p.wrong, params.Entry.Text+" "+params.Entry.URL)
		}
		p.mu.Unlock()
	}
}

// call calls a method of the protocol.
func (p *Page) call(method string, params, result any) {
	p.t.Helper()
	c := make(chan message, 1)
	p.mu.Lock()
	p.next++
	m := message{ID: p.next, Method: method, Session: p.session, Params: params}
	p.waiting[m.ID] = c
	p.mu.Unlock()
	data, err := json.Marshal(m)
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := p.in.Write(append(data, 0)); err != nil {
		p.t.Fatalf("%s: %v", method, err)
	}
	select {
	case m = <-c:
	case <-time.After(patience):
		p.t.Fatalf("%s: no answer", method)
	}
	if m.Error != nil {
		p.t.Fatalf("%s: %s", method, m.Error.Message)
	}
	if result != nil {
		if err := json.Unmarshal(m.Result, result); err != nil {
			p.t.Fatalf("%s: %v", method, err)
		}
	}
}

// Size sets the size of the window in pixels.
func (p *Page) Size(width, height int) {
	p.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil)
}

// Colors sets the colors that the user prefers: light or dark.
func (p *Page) Colors(scheme string) {
	p.call("Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]string{"name": "prefers-color-scheme", "value": scheme}}}, nil)
}

// Go opens an address.
func (p *Page) Go(url string) {
	p.t.Helper()
	var r struct{ ErrorText string }
	if p.call("Page.navigate", map[string]any{"url": url}, &r); r.ErrorText != "" {
		p.t.Fatalf("%s: %s", url, r.ErrorText)
	}
}

// Eval returns the value of an expression of JavaScript as JSON.
func (p *Page) Eval(expression string) string {
	p.t.Helper()
	var r struct {
		Result struct {
			Value json.RawMessage
		}
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	p.call("Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true}, &r)
	if e := r.ExceptionDetails; e != nil {
		p.t.Fatalf("%s: %s %s", expression, e.Text, e.Exception.Description)
	}
	return string(r.Result.Value)
}

// Wait waits until an expression is true.
func (p *Page) Wait(expression string) {
	p.t.Helper()
	for end := time.Now().Add(patience); p.Eval("!!("+expression+")") != "true"; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			p.t.Fatalf("never true: %s\n%s\nerrors: %s", expression, p.Eval("document.body.innerText.slice(0, 1000)"), strings.Join(p.Errors(), "\n"))
		}
	}
}

// Click clicks the middle of the first element of a selector, as a mouse does.
func (p *Page) Click(selector string) {
	p.t.Helper()
	p.Wait("document.querySelector(" + quote(selector) + ")")
	var at struct{ X, Y float64 }
	text := p.Eval("(() => { const e = document.querySelector(" + quote(selector) + "); e.scrollIntoView({block: 'center'}); const r = e.getBoundingClientRect(); return {x: r.x + r.width / 2, y: r.y + r.height / 2}; })()")
	if err := json.Unmarshal([]byte(text), &at); err != nil {
		p.t.Fatal(err)
	}
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		p.call("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": at.X, "y": at.Y, "button": "left", "clickCount": 1}, nil)
	}
}

// codes are the virtual key codes of keys that are no characters.
var codes = map[string]int{"Enter": 13, "Escape": 27, "Tab": 9}

// Press presses and releases a key: a character, or a name such as Enter, after Ctrl+ or Shift+.
func (p *Page) Press(key string) {
	p.t.Helper()
	modifiers := 0
	for prefix, bit := range map[string]int{"Ctrl+": 2, "Shift+": 8} {
		if rest, ok := strings.CutPrefix(key, prefix); ok {
			key, modifiers = rest, modifiers|bit
		}
	}
	down := map[string]any{"type": "keyDown", "key": key, "modifiers": modifiers}
	if code := codes[key]; code != 0 {
		down["windowsVirtualKeyCode"], down["code"] = code, key
		if key == "Enter" {
			down["text"] = "\r"
		}
	} else {
		down["text"] = key
	}
	p.call("Input.dispatchKeyEvent", down, nil)
	p.call("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key, "modifiers": modifiers}, nil)
}

// Type types a text into the element that has the focus.
func (p *Page) Type(text string) { p.call("Input.insertText", map[string]any{"text": text}, nil) }

// Text returns the text of the first element of a selector.
func (p *Page) Text(selector string) string {
	p.t.Helper()
	var s string
	if err := json.Unmarshal([]byte(p.Eval("document.querySelector("+quote(selector)+").innerText")), &s); err != nil {
		p.t.Fatal(err)
	}
	return s
}

// Errors returns the exceptions and the errors of the console so far.
func (p *Page) Errors() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.wrong...)
}

// Screenshot returns the window as PNG.
func (p *Page) Screenshot() []byte {
	p.t.Helper()
	var r struct{ Data string }
	p.call("Page.captureScreenshot", map[string]any{"format": "png"}, &r)
	data, err := base64.StdEncoding.DecodeString(r.Data)
	if err != nil {
		p.t.Fatal(err)
	}
	return data
}

// Keep keeps a screenshot, which go test -artifacts shows, and fails the test if the page has errors.
func (p *Page) Keep(name string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.t.ArtifactDir(), name+".png"), p.Screenshot(), 0o666); err != nil {
		p.t.Fatal(err)
	}
	if list := p.Errors(); len(list) > 0 {
		p.t.Errorf("%s: the page has errors: %s", name, strings.Join(list, "\n"))
	}
}

func quote(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(fmt.Sprint(err)) // a string has JSON
	}
	return string(text)
}
