package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/tools/browser"
)

// webPage starts chiaro web in a folder and opens a browser. It returns the address of the page.
func webPage(t *testing.T, dir string, args ...string) (*browser.Page, string) {
	t.Helper()
	p := browser.Open(t)
	cmd := exec.Command("chiaro", append([]string{"web", "--listen", "127.0.0.1:0"}, args...)...)
	cmd.Dir = dir
	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // not a kill, after which its temporary files stay
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(log).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return p, strings.TrimSpace(strings.TrimPrefix(line, "chiaro web: "))
}

// ended waits until the playground has run.
func ended(p *browser.Page) string {
	p.Wait("/^(done|failed|ended|stopped)/.test(document.querySelector('#said').textContent)")
	return p.Text("#said")
}

// choose chooses an option of a select element.
func choose(p *browser.Page, label, value string) {
	p.Eval(fmt.Sprintf("(() => { const s = document.querySelector('[aria-label=%s]'); s.value = %q; s.dispatchEvent(new Event('change')); })()", label, value))
}

// TestWebPlayground runs the examples of the playground by clicks and by keys.
func TestWebPlayground(t *testing.T) {
	if _, err := exec.LookPath("glslc"); err != nil {
		t.Skip("glslc is not on PATH")
	}
	p, url := webPage(t, t.TempDir())
	p.Colors("dark")
	p.Go(url + "#/play")
	p.Click("#run")
	ended(p)
	// At the corner z = (−1.5, −1.5), so that |z|² = 4.5 ends the loop at once: black.
	if got := p.Eval("(() => { const c = document.querySelector('canvas#picture'); return [c.width, c.height, ...c.getContext('2d').getImageData(0, 0, 1, 1).data]; })()"); got != "[256,256,0,0,0,255]" {
		t.Errorf("the picture and its corner are %s", got)
	}
	p.Keep("compute")
	p.Colors("light")
	p.Click("#heat")
	for _, c := range []struct{ sample, said, found string }{
		{"2-rings.frag", "done", "No findings"},
		{"3-sum.comp", "done with", "race"},
		{"4-bounds.comp", "done with 1 finding", "beyond the 16 bytes"},
		{"5-invalid.spvasm", "failed", "SPV-Arithmetic-Type"},
		{"6-triangle.amber", "done", "No findings"},
	} {
		choose(p, "Example", c.sample)
		p.Click(".editor textarea")
		p.Press("Ctrl+Enter")
		if said := ended(p); !strings.HasPrefix(said, c.said) {
			t.Errorf("%s: the page says %q; want %q: %s", c.sample, said, c.said, p.Text("#found"))
		}
		if found := p.Text("#found"); !strings.Contains(found, c.found) {
			t.Errorf("%s: findings are %q; want %q", c.sample, found, c.found)
		}
		if hot := p.Eval("document.querySelectorAll('.gutter .hot').length > 0"); (hot == "true") != !strings.Contains(c.sample, "invalid") {
			t.Errorf("%s: there are counts: %s", c.sample, hot)
		}
		p.Keep(strings.TrimSuffix(c.sample, filepath.Ext(c.sample)))
	}
	choose(p, "Example", "2-rings.frag")
	p.Eval("(() => { const t = document.querySelector('.editor textarea'); t.value = t.value.replace('length(p)', 'length(q)'); })()")
	p.Press("Ctrl+Enter")
	if said := ended(p); !strings.HasPrefix(said, "failed") || p.Text(".gutter .hit") != "6" || p.Eval("document.querySelectorAll('#found > *').length") != "1" {
		t.Errorf("an error of the compiler at line 6: the page says %q: %s", said, p.Text("#found"))
	}
	p.Keep("compiler")
	choose(p, "Example", "4-bounds.comp")
	p.Press("Ctrl+Enter")
	ended(p)
	p.Click("#found button") // selects the line of the finding
	if got := p.Eval("(() => { const e = document.activeElement; return e.value.slice(e.selectionStart, e.selectionEnd); })()"); got != `"  x[i + 1u] = 2.0 * x[i];"` {
		t.Errorf("the finding selects %s", got)
	}
}

// TestWebStop stops a shader that does not end.
func TestWebStop(t *testing.T) {
	p, url := webPage(t, t.TempDir())
	p.Go(url + "#/play")
	p.Wait("document.querySelector('.editor textarea')")
	choose(p, "Example", "5-invalid.spvasm")
	p.Eval(fmt.Sprintf("document.querySelector('.editor textarea').value = %q", endlessShader))
	p.Click(".editor textarea")
	p.Press("Ctrl+Enter")
	p.Press("Escape")
	if said := ended(p); said != "stopped" {
		t.Errorf("the page says %q", said)
	}
	if found := p.Text("#found"); found != "stopped before the end" {
		t.Errorf("findings are %q", found)
	}
	p.Keep("stopped")
}

// endlessShader has a loop without an exit that is taken.
const endlessShader = `OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main"
               OpExecutionMode %main LocalSize 1 1 1
       %void = OpTypeVoid
         %fn = OpTypeFunction %void
       %bool = OpTypeBool
       %true = OpConstantTrue %bool
       %main = OpFunction %void None %fn
      %start = OpLabel
               OpBranch %loop
       %loop = OpLabel
               OpLoopMerge %done %again None
               OpBranchConditional %true %again %done
      %again = OpLabel
               OpBranch %loop
       %done = OpLabel
               OpReturn
               OpFunctionEnd
`

// markupName would run a script if the page took it for markup.
const markupName = `<img src=x onerror=alert(1)>.amber`

// webReports writes shaders and reports to a folder.
func webReports(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"shaders", "reports"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	copyTo := func(from, to, old, replacement string) {
		data, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "shaders", to), []byte(strings.ReplaceAll(string(data), old, replacement)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	copyTo("../../docs/tour/faulty.spvasm", "faulty.spvasm", "", "")
	copyTo("../../docs/tour/half.spvasm", "half.spvasm", "", "")
	copyTo("../../examples/mandelbrot.amber", "mandelbrot.amber", "", "")
	copyTo("../../examples/mandelbrot.amber", markupName, "EQ_RGBA 0 0 0 255", "EQ_RGBA 1 0 0 255")
	chiaro := func(args ...string) {
		cmd := exec.Command("chiaro", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() > exitFindings {
			t.Fatalf("%q: %v: %s", args, err, out)
		}
	}
	chiaro("check", "--out", "json=reports/check.json", "shaders/faulty.spvasm", "shaders/half.spvasm")
	chiaro("run", "--out", "jsonl=reports/run.jsonl", "-j", "1", "shaders/mandelbrot.amber", "shaders/"+markupName)
	chiaro("run", "shaders/mandelbrot.amber", "-i", "reports/a.png")
	return dir
}

// TestWebReports goes through reports with the keyboard alone.
func TestWebReports(t *testing.T) {
	dir := webReports(t)
	p, url := webPage(t, dir, "reports")
	p.Go(url)
	p.Wait("document.querySelectorAll('tbody tr').length === 2")
	p.Keep("runs")
	p.Eval("(() => { const r = [...document.querySelectorAll('[data-row]')]; r.find((e) => e.textContent === 'run.jsonl').focus(); })()")
	p.Press("Enter")
	p.Wait("document.querySelector('.causes button')")
	if got := p.Text(".causes"); !strings.HasPrefix(got, "1") || !strings.Contains(got, "fail: ") {
		t.Errorf("the causes are %q", got)
	}
	p.Press("/")
	p.Type("onerror")
	p.Wait("document.querySelectorAll('tbody tr').length === 1")
	p.Keep("run")
	p.Press("Tab") // leaves the field
	p.Press("j")
	p.Press("Enter")
	p.Wait("document.querySelector('.code .hit')")
	if got := p.Text("h1"); !strings.Contains(got, markupName) {
		t.Errorf("the item is %q", got)
	}
	if got := p.Eval("document.querySelectorAll('main img').length"); got != "0" {
		t.Errorf("the name became %s pictures", got)
	}
	p.Keep("item")
	p.Click("#count")
	p.Wait("document.querySelector('.l.hot')")
	p.Keep("counts")
	p.Press("u")
	p.Wait("document.querySelector('.causes button')")
	p.Press("u")
	p.Wait("document.querySelector('h1').textContent === 'Runs'")

	p.Press("t") // auto, light, dark
	p.Press("t")
	p.Eval("[...document.querySelectorAll('[data-row]')].find((e) => e.textContent === 'check.json').focus()")
	p.Press("Enter")
	p.Wait("document.querySelector('.causes button')")
	p.Click(".causes button")
	p.Wait("document.querySelectorAll('tbody tr').length === 1")
	p.Press("j")
	p.Press("Enter")
	p.Wait("document.querySelector('.code .find')")
	if got := p.Eval("document.querySelector('.code .l.hit').textContent"); !strings.Contains(got, "OpIAdd") {
		t.Errorf("the finding is at %q", got)
	}
	if got := p.Eval("getComputedStyle(document.body).colorScheme + document.documentElement.dataset.theme"); got != `"normaldark"` && got != `"darkdark"` {
		t.Errorf("the colors are %s", got)
	}
	p.Keep("finding-dark")
	p.Press("3") // no fleet
	p.Press("2")
	p.Wait("document.querySelectorAll('.thumbs img').length === 1")
	p.Click(".thumbs button")
	p.Click(".thumbs button")
	p.Wait("document.querySelector('[data-ready]')")
	p.Keep("pictures-dark")
	p.Press("?")
	p.Wait("document.querySelector('dialog').open")
	p.Press("Escape")
	p.Wait("!document.querySelector('dialog').open")
}

// TestWebLive checks that the page shows a report while it is written. A hidden page has no connection for events, and shows what
// it missed when it is visible again.
func TestWebLive(t *testing.T) {
	dir := t.TempDir()
	p, url := webPage(t, dir)
	p.Go(url)
	p.Wait("document.querySelector('#live.on')")
	f, err := os.Create(filepath.Join(dir, "r.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	see := func(state string) {
		p.Eval(fmt.Sprintf("Object.defineProperty(document, 'visibilityState', {value: %q, configurable: true}); document.dispatchEvent(new Event('visibilitychange'))", state))
	}
	for i := 1; i <= 4; i++ {
		if i == 3 {
			see("hidden")
			p.Wait("document.querySelector('#live:not(.on)')")
		}
		if err := json.NewEncoder(f).Encode(record{File: fmt.Sprint(i), Status: "pass"}); err != nil {
			t.Fatal(err)
		}
		if i == 3 {
			continue
		}
		see("visible")
		p.Wait(fmt.Sprintf("document.querySelector('tbody td.n')?.textContent === '%d'", i))
	}
	p.Keep("live")
}
