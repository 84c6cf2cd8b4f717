package jit_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
)

func needMachine(t testing.TB) {
	t.Helper()
	if _, err := jit.Choose(target.Best); err != nil {
		t.Skip("the processor or the system does not run the JIT: ", err)
	}
}

// eachLevel tests an engine of every level that the machine runs. The levels have the same programs
// and jobs: run parses a text once for all of them, and interprets a job once.
func eachLevel(t *testing.T, test func(t *testing.T, engine jit.Engine)) {
	needMachine(t)
	programs, outcomes = map[source]*ir.Program{}, map[interpreted]outcome{}
	defer func() { programs, outcomes = nil, nil }()
	for _, level := range jit.Levels() {
		t.Run(level.String(), func(t *testing.T) { test(t, jit.Engine{Level: level}) })
	}
}

// maxKept is the size in bytes of the greatest buffers that outcomes has: more would occupy the memory.
const maxKept = 1 << 15

// Inside of eachLevel, programs has the parsed texts and outcomes the results of the interpreter.
var (
	programs map[source]*ir.Program
	outcomes map[interpreted]outcome
)

// source is the text of a program and the size of its subgroups.
type source struct {
	text     string
	subgroup uint32
}

// interpreted is a run: a program, and a hash of the job's contents.
type interpreted struct {
	source
	job uint64
}

// outcome is the observable result of a job.
type outcome struct {
	resources [][]exec.Buffer
	err       error
}

// run compiles the text with an engine, at a subgroup size unless that is 0, and runs a copy of the
// job.
func run(e exec.Engine, text string, subgroup uint32, job exec.Job) outcome {
	of := source{text, subgroup}
	p, err := parsed(of)
	if err != nil {
		return outcome{err: fmt.Errorf("parse: %w", err)}
	}
	size := 0
	for _, list := range job.Resources {
		for _, b := range list {
			size += len(b.Bytes)
		}
	}
	if _, ok := e.(interp.Engine); !ok || outcomes == nil || size > maxKept || job.Log != nil || job.Hook != nil || job.Regions != nil || job.Lists != nil {
		return runProgram(e, p, job)
	}
	key := interpreted{of, contents(&job)}
	got, ok := outcomes[key]
	if !ok {
		got = runProgram(e, p, job)
		outcomes[key] = got
	}
	return got
}

var seed = maphash.MakeSeed()

// contents returns a hash of a job without lists, regions, log and hook.
func contents(job *exec.Job) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	fmt.Fprintln(&h, job.Groups, job.Base, job.Push, job.Workers, job.SpanEnds, job.Budget)
	for _, list := range job.Resources {
		fmt.Fprintln(&h, len(list))
		for _, b := range list {
			fmt.Fprintln(&h, len(b.Bytes), b.Beyond)
			h.Write(b.Bytes)
		}
	}
	return h.Sum64()
}

// parsed returns the program of a text. Engines do not change it.
func parsed(of source) (*ir.Program, error) {
	if p := programs[of]; p != nil {
		return p, nil
	}
	p, err := ir.Parse(of.text)
	if err != nil {
		return nil, err
	}
	if of.subgroup > 0 {
		p.SubgroupSize = of.subgroup
	}
	p.StateEffects()
	if programs != nil {
		programs[of] = p
	}
	return p, nil
}

// agreeOnJobs runs jobs of a random program on the interpreter and on each level of the JIT, and compares the memory that bind returns. bind
// binds fresh resources to a job before each run.
func agreeOnJobs(t *testing.T, seed int64, text string, size uint32, jobs []*exec.Job, bind func(*exec.Job) []byte) {
	t.Helper()
	do := func(e exec.Engine) (out [][]byte) {
		prog := compileSeed(t, e, seed, text, size)
		defer prog.Close()
		for _, job := range jobs {
			out = append(out, bind(job))
			if err := prog.Run(t.Context(), job); err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, text)
			}
		}
		return out
	}
	want := do(interp.Engine{})
	eachLevel(t, func(t *testing.T, engine jit.Engine) {
		for i, got := range do(engine) {
			if !bytes.Equal(got, want[i]) {
				t.Fatalf("seed %d, subgroups of %d, numbers % x: differs\n%s", seed, size, jobs[i].Push, text)
			}
		}
	})
}

// compileSeed compiles the text of a random seed, at a subgroup size, after a change of the program.
func compileSeed(t *testing.T, e exec.Engine, seed int64, text string, size uint32, before ...func(*ir.Program)) exec.Program {
	t.Helper()
	p, err := ir.Parse(text)
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, text)
	}
	p.SubgroupSize = size
	p.StateEffects()
	for _, do := range before {
		do(p)
	}
	prog, err := e.Compile(p, exec.Options{})
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, text)
	}
	return prog
}

// runProgram compiles p with an engine and runs a copy of the job.
func runProgram(e exec.Engine, p *ir.Program, job exec.Job) outcome {
	prog, err := e.Compile(p, exec.Options{})
	if err != nil {
		return outcome{err: err}
	}
	defer prog.Close()
	var copied [][]exec.Buffer
	for _, list := range job.Resources {
		var row []exec.Buffer
		for _, b := range list {
			row = append(row, exec.Buffer{Bytes: bytes.Clone(b.Bytes), Owned: b.Owned})
		}
		copied = append(copied, row)
	}
	job.Resources = copied
	return outcome{copied, prog.Run(context.Background(), &job)}
}

// same compares what two engines did.
func same(t *testing.T, want, got outcome) {
	t.Helper()
	var unsupported *exec.UnsupportedError
	switch {
	case errors.As(want.err, &unsupported):
		if !errors.As(got.err, &unsupported) {
			t.Errorf("error %v; want one like %v", got.err, want.err)
		}
		return
	case fmt.Sprint(want.err) != fmt.Sprint(got.err):
		t.Fatalf("error %v; want %v", got.err, want.err)
	case want.err != nil:
		return
	}
	for r, list := range want.resources {
		for i, b := range list {
			if g := got.resources[r][i].Bytes; !bytes.Equal(g, b.Bytes) {
				t.Errorf("resource %d, descriptor %d:\n got % x\nwant % x", r, i, head(g, b.Bytes), head(b.Bytes, g))
			}
		}
	}
}

// head returns some bytes from the first difference on.
func head(a, b []byte) []byte {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	return a[i&^3 : min(i&^3+64, len(a))]
}

// TestCases runs the interpreter's cases, whose expectations are written by
// hand, and our own of the same form. A "want" section is checked by its
// owner; here the engines must agree.
func TestCases(t *testing.T) { eachLevel(t, testCases) }

func testCases(t *testing.T, engine jit.Engine) {
	for _, pattern := range []string{"../interp/testdata/*.txtar", "testdata/*.txtar"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
				a, err := txtar.ParseFile(file)
				if err != nil {
					t.Fatal(err)
				}
				runCase(t, engine, a)
			})
		}
	}
}

func runCase(t *testing.T, engine jit.Engine, a *txtar.Archive) {
	var text string
	var job exec.Job
	for _, f := range a.Files {
		switch f.Name {
		case "program":
			text = string(f.Data)
		case "job":
			job = parseJob(t, f.Data)
		}
	}
	same(t, run(interp.Engine{}, text, 0, job), run(engine, text, 0, job))
}

// parseJob reads lines "groups x y z", "base x y z", "push word…", "budget n"
// and "res N: word…"; a word is a number or n*number.
func parseJob(t *testing.T, data []byte) exec.Job {
	job := exec.Job{Groups: [3]uint32{1, 1, 1}, Workers: 1}
	for line := range strings.Lines(string(data)) {
		key, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch key {
		case "":
		case "groups":
			copy(job.Groups[:], parseWords(t, rest))
		case "base":
			copy(job.Base[:], parseWords(t, rest))
		case "push":
			job.Push = loadLittleEndian(parseWords(t, rest))
		case "budget":
			job.Budget = uint64(parseWords(t, rest)[0])
		case "res":
			number, words, _ := strings.Cut(rest, ":")
			n, err := strconv.Atoi(number)
			if err != nil {
				t.Fatal(err)
			}
			for len(job.Resources) <= n {
				job.Resources = append(job.Resources, nil)
			}
			job.Resources[n] = append(job.Resources[n], exec.Buffer{Bytes: loadLittleEndian(parseWords(t, words))})
		default:
			t.Fatalf("job: %q", line)
		}
	}
	return job
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

func loadLittleEndian(words []uint32) []byte {
	b := []byte{}
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}
