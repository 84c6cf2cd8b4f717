package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/tools/browser"
)

// webPage starts chiaro web on a folder, which has the reports and their sources, and opens a browser. It returns the address.
func webPage(t *testing.T, dir string, flags ...string) (*browser.Page, string) {
	t.Helper()
	p := browser.Open(t)
	cmd := exec.Command("chiaro", append([]string{"web", "--listen", "127.0.0.1:0"}, flags...)...)
	cmd.Dir = dir
	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(log).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return p, strings.TrimSpace(strings.TrimPrefix(line, "chiaro web: "))
}

// picture keeps a screenshot, which go test -artifacts shows, and checks that the page has no errors.
func picture(t *testing.T, p *browser.Page, name string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(t.ArtifactDir(), name+".png"), p.Screenshot(), 0o666); err != nil {
		t.Fatal(err)
	}
	if list := p.Errors(); len(list) > 0 {
		t.Errorf("%s: the page has errors: %s", name, strings.Join(list, "\n"))
	}
}

// TestWebPlayground runs the examples of the playground by clicks and by keys.
func TestWebPlayground(t *testing.T) {
	p, url := webPage(t, t.TempDir())
	p.Colors("dark")
	p.Go(url + "#/play")
	p.Click("#run")
	p.Wait("document.querySelector('#said').textContent.startsWith('done')")
	if got := p.Eval("(() => { const c = document.querySelector('canvas#picture'); return [c.width, c.height, ...c.getContext('2d').getImageData(0, 0, 1, 1).data]; })()"); got != "[256,256,0,0,0,255]" && !strings.HasPrefix(got, "[256,256,") {
		t.Errorf("the picture is %s", got)
	}
	picture(t, p, "picture-dark")
	p.Colors("light")
	for i := 1; i <= 6; i++ {
		p.Eval(fmt.Sprintf("(() => { const s = document.querySelector('[aria-label=Example]'); s.selectedIndex = %d; s.dispatchEvent(new Event('change')); document.querySelector('#heat').checked = true; document.querySelector('.editor textarea').focus(); })()", i))
		p.Press("Ctrl+Enter")
		p.Wait("['done', 'failed'].some((x) => document.querySelector('#said').textContent.startsWith(x))")
		picture(t, p, fmt.Sprintf("example-%d", i))
	}
}
