package interp_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// TestCases runs testdata. A case is a txtar: "program" is the text of a
// program; "job" has lines "groups x y z", "base x y z", "push word…" and
// "res N: word…" for each descriptor of resource N in turn; "want" has the
// "res" lines as they must be afterwards, or "error" and part of its message.
// A word is a number, or n*number. What is expected is said by the comment.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			runCase(t, a)
		})
	}
}

func runCase(t *testing.T, a *txtar.Archive) {
	var job exec.Job
	want := map[string][]string{}
	var prog exec.Program
	var err error
	for _, f := range a.Files {
		switch f.Name {
		case "program":
			prog, err = compile(string(f.Data))
		case "job":
			job = parseJob(t, lines(f.Data))
		case "want":
			for _, l := range lines(f.Data) {
				key, rest, _ := strings.Cut(l, " ")
				want[key] = append(want[key], rest)
			}
		}
	}
	if err == nil {
		err = prog.Run(context.Background(), &job)
	}
	if e := want["error"]; len(e) > 0 {
		if err == nil || !strings.Contains(err.Error(), e[0]) {
			t.Fatalf("error %v; want %s", err, e[0])
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(want["res"]) == 0 {
		t.Fatal("the case expects nothing")
	}
	seen := map[int]int{}
	for _, l := range want["res"] {
		n, ws := resource(t, l)
		got := dump(job.Resources[n][seen[n]].Bytes)
		if g, w := fmt.Sprint(got), fmt.Sprint(ws); g != w {
			t.Errorf("resource %d, descriptor %d:\n got %s\nwant %s", n, seen[n], g, w)
		}
		seen[n]++
	}
}

func compile(text string) (exec.Program, error) {
	p, err := ir.Parse(text)
	if err != nil {
		return nil, err
	}
	p.StateEffects()
	return interp.Engine{}.Compile(p, exec.Options{})
}

func parseJob(t *testing.T, list []string) exec.Job {
	job := exec.Job{Groups: [3]uint32{1, 1, 1}, Workers: 1}
	for _, l := range list {
		key, rest, _ := strings.Cut(l, " ")
		switch key {
		case "groups":
			copy(job.Groups[:], parseWords(t, rest))
		case "base":
			copy(job.Base[:], parseWords(t, rest))
		case "push":
			job.Push = undump(parseWords(t, rest))
		case "budget":
			job.Budget = uint64(parseWords(t, rest)[0])
		case "res":
			n, ws := resource(t, rest)
			for len(job.Resources) <= n {
				job.Resources = append(job.Resources, nil)
			}
			job.Resources[n] = append(job.Resources[n], exec.Buffer{Bytes: undump(ws)})
		default:
			t.Fatalf("job: %q", l)
		}
	}
	return job
}

func resource(t *testing.T, l string) (int, []uint32) {
	number, rest, _ := strings.Cut(l, ":")
	n, err := strconv.Atoi(number)
	if err != nil {
		t.Fatal(err)
	}
	return n, parseWords(t, rest)
}

func lines(b []byte) (list []string) {
	for l := range strings.Lines(string(b)) {
		if l = strings.TrimSpace(l); l != "" {
			list = append(list, l)
		}
	}
	return list
}

func parseWords(t *testing.T, s string) (list []uint32) {
	for _, f := range strings.Fields(s) {
		count, word, ok := strings.Cut(f, "*")
		if !ok {
			count, word = "1", f
		}
		n, err := strconv.Atoi(count)
		x, err2 := strconv.ParseInt(word, 0, 64)
		if err != nil || err2 != nil {
			t.Fatalf("%q is no word", f)
		}
		for range n {
			list = append(list, uint32(x))
		}
	}
	return list
}

func undump(ws []uint32) []byte {
	b := []byte{}
	for _, w := range ws {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

func dump(b []byte) (list []uint32) {
	for ; len(b) >= 4; b = b[4:] {
		list = append(list, binary.LittleEndian.Uint32(b))
	}
	return list
}
