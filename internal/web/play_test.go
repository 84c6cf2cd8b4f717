package web

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// script returns a configuration whose chiaro is a script of the shell. Its arguments are those of chiaro.
func script(t *testing.T, text string) Config {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("sh is not on PATH")
	}
	return Config{Tool: []string{"sh", "-c", text, "chiaro"}, Limits: Limits{Time: time.Minute}}
}

// TestPlayRefuses checks that requests that the page does not make start nothing.
func TestPlayRefuses(t *testing.T) {
	s := newServer(t, Config{Tool: []string{"/none"}, Limits: Limits{Time: time.Second}})
	for _, body := range []string{
		"", "[]", `{"kind":"none"}`, `{"kind":"../x"}`, `{"kind":"comp","buffers":["X=uint8@/etc/passwd"]}`, `{"kind":"comp","push":["uint8@-"]}`,
		`{"kind":"comp","listing":"x"}`, `{"kind":"comp","sanitize":"--out"}`, `{"kind":"frag","width":100000,"height":1}`, `{"kind":"frag"}`,
		`{"kind":"comp","text":"` + strings.Repeat("x", maxText) + `"}`,
	} {
		if w := ask(s, "POST", "/api/play", body); w.Code != 400 {
			t.Errorf("%.60s: status %d: %s", body, w.Code, w.Body)
		}
	}
}

// parts returns the parts of an answer by name.
func parts(t *testing.T, text string) map[string]playPart {
	t.Helper()
	all := map[string]playPart{}
	for line := range strings.Lines(text) {
		var p playPart
		if err := json.Unmarshal([]byte(line), &p); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		all[p.Part] = p
	}
	return all
}

// TestPlay checks the order of the processes, their arguments, and that the folder is removed.
func TestPlay(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("LOG", log)
	t.Setenv("NATS_CREDS", "secret")
	s := newServer(t, script(t, `echo "$@" $NATS_CREDS >> $LOG; case $1 in run) echo PNG > picture.png;; dis) echo "OpNop";; check) echo '{"files":[]}';; profile) echo '{"stages":[]}';; esac`))
	w := ask(s, "POST", "/api/play", `{"kind":"frag","text":"void main(){}","width":3,"height":2,"sanitize":"all","listing":"spirv","heat":true}`)
	p := parts(t, w.Body.String())
	if len(p) != 6 || string(p["picture"].Picture) != "PNG\n" || len(p["listing"].Lines) != 1 || p["run"].Before != frameLines || p["heat"].Heat == nil {
		t.Errorf("the answer is %s", w.Body)
	}
	got, err := os.ReadFile(log)
	want := "check --format=json shader.frag\ndis --no-header shader.frag\nrun --format=json --sanitize=all --image=picture.png frame.amber\nprofile --format=json frame.amber\n"
	if err != nil || string(got) != want {
		t.Errorf("the processes are\n%s; want\n%s", got, want)
	}
	if list, err := os.ReadDir(os.TempDir()); err != nil || len(list) > 0 {
		t.Errorf("the temporary folder has %v", list)
	}
	if !strings.Contains(frame[:strings.Index(frame, "%s")], "GLSL\n") || strings.Count(frame[:strings.Index(frame, "%s")], "\n") != frameLines {
		t.Errorf("frameLines is wrong")
	}
}

// TestLimits checks that a limit ends a process, and that the answer names it.
func TestLimits(t *testing.T) {
	for text, want := range map[string]string{
		`sleep 100`: "not done after",
		`while :; do echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; done | cat`: "too large",
		`kill -SEGV $$`: "signal",
	} {
		c := script(t, text)
		if want == "not done after" {
			c.Limits.Time = 100 * time.Millisecond
		}
		s := newServer(t, c)
		w := ask(s, "POST", "/api/play", `{"kind":"comp"}`)
		if p := parts(t, w.Body.String())["check"]; !strings.Contains(p.Ended, want) {
			t.Errorf("%.20s: the answer is %.200s; want %s", text, w.Body, want)
		}
	}
}

// TestInstructions checks that each instruction of a listing is one entry, strings with line feeds and quotes too.
func TestInstructions(t *testing.T) {
	text := "OpCapability Shader\n%1 = OpString \"a\\\"b\nc\"\nOpNop\n"
	got := instructions(text)
	if len(got) != 3 || got[1] != "%1 = OpString \"a\\\"b\nc\"" || got[2] != "OpNop" {
		t.Errorf("instructions are %q", got)
	}
}

// TestHeat checks the sums of counts: of a line the most executed instruction, and the sum of all.
func TestHeat(t *testing.T) {
	h, err := heatOf([]byte(`{"stages":[{"entryPoint":"main","model":"GLCompute","functions":[{"blocks":[{"instructions":[
		{"instruction":4,"op":"OpLoad","file":"a","line":2,"executed":3,"bytesRead":12},
		{"instruction":5,"op":"OpStore","file":"a","line":2,"executed":5,"bytesWritten":20},
		{"instruction":6,"op":"OpReturn","executed":5}]}]}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if len(h.Lines) != 1 || h.Lines[0] != (heatLine{File: "a", Line: 2, Executed: 5, Instructions: 8, Read: 12, Written: 20}) {
		t.Errorf("lines are %+v", h.Lines)
	}
	if l := h.Stages[0].Instructions; len(l) != 3 || l[0] != (heatInstruction{5, "OpLoad", 3}) {
		t.Errorf("instructions are %+v", l)
	}
}
