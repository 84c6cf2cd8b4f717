package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/tools/browser"
)

// startAnnounced starts chiaro-fleet and returns what follows the words of its messages.
func startAnnounced(t *testing.T, words []string, args ...string) []string {
	t.Helper()
	cmd := exec.Command(filepath.Join(tools(t), "chiaro-fleet"), args...)
	cmd.Env = append(os.Environ(), "CHIARO_FLEET_TOOL="+filepath.Join(tools(t), "chiaro"))
	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	var found []string
	lines := bufio.NewReader(log)
	for len(found) < len(words) {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if _, rest, ok := strings.Cut(line, words[len(found)]); ok {
			found = append(found, strings.TrimSpace(rest))
		}
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	return found
}

// TestPage shows a check on a fleet on the page of its server: the worker, and the report.
func TestPage(t *testing.T) {
	dir := corpus(t, 8)
	p := browser.Open(t)
	reports := filepath.Join(dir, "reports")
	if err := os.Mkdir(reports, 0o700); err != nil {
		t.Fatal(err)
	}
	at := startAnnounced(t, []string{"server is at ", "page is at "}, "serve", "--listen", "127.0.0.1:0", "--store", t.TempDir(), "--http", "127.0.0.1:0", "--reports", reports)
	startAnnounced(t, nil, "work", "--on", at[0], "--jobs", "1")
	p.Go(at[1] + "#/fleet")
	p.Wait("[...document.querySelectorAll('td')].some((e) => e.textContent === '0/1')") // the worker is idle
	if code, _, log := chiaro(t, dir, "check", "--on", at[0], "--out", "jsonl="+filepath.Join(reports, "r.jsonl"), "no.spv", "dispatch.amber"); code != 2 {
		t.Fatalf("exit code %d: %s", code, log)
	}
	p.Wait("[...document.querySelectorAll('tr')].some((e) => /CHIARO_RESULTS\\s*[1-9]/.test(e.innerText))")
	p.Keep("fleet")
	p.Press("1")
	p.Wait("document.querySelector('tbody td.n')?.textContent === '2'")
	if got := p.Text("tbody"); !strings.Contains(got, "unreadable 1") || !strings.Contains(got, "clean 1") {
		t.Errorf("the runs are %s", got)
	}
	p.Keep("runs")
}
