// Command valdiff judges modules with package valid and with SPIRV-Tools, and
// says where the verdicts differ: real modules, those that modgen makes, and
// both with some of their words changed. It knows nothing of the rules; a
// difference is for a person to look at.
//
// usage: valdiff [flags] PEER [FOLDER]
//
// PEER is ../shared/peers/stbench.cpp, built: it is called as
// "PEER LIST valraw 1 ENV OUT" and writes path, bytes, result, time and message
// of each module, divided by tabs.
package main

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/modgen"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
	"github.com/chiaro-gpu/chiaro/valid"
)

func main() {
	t := tool{tally: map[string]int{}, first: map[string]string{}}
	flag.IntVar(&t.count, "n", 10_000, "modules to judge")
	flag.Uint64Var(&t.seed, "seed", 1, "of the changes")
	flag.IntVar(&t.changes, "changes", 2, "words that are changed of a module, at most; 0 for none")
	flag.IntVar(&t.batch, "batch", 2_000, "modules that the peer judges at once")
	flag.StringVar(&t.env, "target-env", "vulkan1.3", "environment to judge for")
	flag.StringVar(&t.keep, "keep", "", "folder that gets the first module of each difference")
	flag.Parse()
	if flag.NArg() < 1 || flag.NArg() > 2 {
		flag.Usage()
		os.Exit(2)
	}
	t.peer = flag.Arg(0)
	if err := t.run(flag.Arg(1)); err != nil {
		fmt.Fprintln(os.Stderr, "valdiff:", err)
		os.Exit(1)
	}
}

// tool is one run.
type tool struct {
	count, changes, batch int
	seed                  uint64
	env, keep, peer       string

	judge   *valid.Env
	random  *rand.Rand
	sources [][]uint32
	tally   map[string]int    // how often each pair of verdicts came
	first   map[string]string // the first module of each
	judged  int
	crashed int // batches that the peer did not end
}

func (t *tool) run(folder string) error {
	env, ok := valid.ParseEnv(t.env)
	if !ok {
		return fmt.Errorf("unknown target environment %q", t.env)
	}
	t.judge, t.random = env, rand.New(rand.NewPCG(t.seed, 0))
	if err := t.read(folder); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "valdiff-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	for t.judged < t.count {
		if err := t.round(work, min(t.batch, t.count-t.judged)); err != nil {
			return err
		}
	}
	t.report()
	return nil
}

// read takes the modules of a folder, and modules that modgen makes.
func (t *tool) read(folder string) error {
	for i := range 200 {
		words, err := asm.Assemble([]byte(modgen.New(t.seed*1000+uint64(i), modgen.Options{}).Text), asm.AssembleOptions{Version: modgen.Version})
		if err == nil {
			t.sources = append(t.sources, words)
		}
	}
	if folder == "" {
		return nil
	}
	return filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".spv" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if m, err := spirv.Decode(data); err == nil {
			t.sources = append(t.sources, m.Words)
		}
		return nil
	})
}

// round judges one batch with both.
func (t *tool) round(work string, n int) error {
	var list strings.Builder
	ours := make([]string, n)
	for i := range n {
		words := t.change(t.sources[t.random.IntN(len(t.sources))])
		path := filepath.Join(work, fmt.Sprintf("%06d.spv", i))
		if err := os.WriteFile(path, asm.Bytes(words), 0o666); err != nil {
			return err
		}
		fmt.Fprintln(&list, path)
		ours[i] = t.own(words)
	}
	t.judged += n
	listed, out := filepath.Join(work, "list"), filepath.Join(work, "out")
	if err := os.WriteFile(listed, []byte(list.String()), 0o666); err != nil {
		return err
	}
	if err := exec.Command(t.peer, listed, "valraw", "1", t.env, out).Run(); err != nil {
		t.crashed++
		return nil
	}
	text, err := os.ReadFile(out)
	if err != nil {
		return err
	}
	for i, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		f := strings.Split(line, "\t")
		if i >= n || len(f) < 5 {
			return fmt.Errorf("the peer's answer is %q", line)
		}
		theirs := ""
		if f[2] != "0" {
			theirs = kind(f[4])
		}
		t.compare(ours[i], theirs, f[0])
	}
	return nil
}

// change returns a module with some words changed.
func (t *tool) change(words []uint32) []uint32 {
	out := slices.Clone(words)
	if t.changes == 0 {
		return out
	}
	for range 1 + t.random.IntN(t.changes) {
		at := spirv.HeaderWords + t.random.IntN(max(1, len(out)-spirv.HeaderWords))
		if at >= len(out) {
			continue
		}
		switch t.random.IntN(5) {
		case 0:
			out[at]++
		case 1:
			out[at] = words[t.random.IntN(len(words))]
		case 2:
			out[at] ^= 1 << t.random.IntN(8)
		case 3:
			out[at] = t.random.Uint32N(words[3])
		case 4: // one instruction is left out
			if m, err := spirv.FromWords(slices.Clone(out)); err == nil && m.Len() > 0 {
				i := t.random.IntN(m.Len())
				out = slices.Delete(out, m.Offset(i), m.Offset(i)+len(m.Inst(i)))
			}
		}
	}
	return out
}

// own returns the code of our first error, "" where there is none.
func (t *tool) own(words []uint32) string {
	m, err := spirv.FromWords(words)
	if err != nil {
		if f, ok := err.(*diag.Finding); ok {
			return f.Code
		}
		return err.Error()
	}
	r, err := valid.Check(context.Background(), facts.Gather(m, nil), t.judge, valid.Options{})
	if err != nil {
		return err.Error()
	}
	for i := range r.Findings {
		if r.Findings[i].Severity == diag.Error {
			return r.Findings[i].Code
		}
	}
	return ""
}

// detail is what differs between two messages of one rule: ids, names, numbers.
var detail = regexp.MustCompile(`'[^']*'|\d+(\[%[^\]]*\])?|%\w+`)

// kind returns what a message of the peer says without its details.
func kind(message string) string {
	if a := strings.Index(message, "[VUID-"); a >= 0 {
		if b := strings.IndexByte(message[a:], ']'); b > 0 {
			return message[a+1 : a+b]
		}
	}
	s := detail.ReplaceAllString(message, "_")
	return s[:min(len(s), 90)]
}

func (t *tool) compare(ours, theirs, path string) {
	var pair string
	switch {
	case ours == "" && theirs == "":
		pair = "both accept"
	case ours != "" && theirs != "":
		pair = "both reject"
	case ours != "":
		pair = "we alone reject: " + ours
	default:
		pair = "the peer alone rejects: " + theirs
	}
	t.tally[pair]++
	if _, ok := t.first[pair]; ok || t.keep == "" || strings.HasPrefix(pair, "both") {
		return
	}
	at := filepath.Join(t.keep, fmt.Sprintf("%03d.spv", len(t.first)))
	t.first[pair] = at
	if data, err := os.ReadFile(path); err == nil {
		// The report names the file; without it the example is lost, no more.
		_ = os.WriteFile(at, data, 0o666)
	}
}

func (t *tool) report() {
	fmt.Printf("%d modules from %d, %s, %d batches that the peer did not end\n", t.judged, len(t.sources), t.env, t.crashed)
	pairs := slices.SortedFunc(maps.Keys(t.tally), func(x, y string) int { return t.tally[y] - t.tally[x] })
	for _, p := range pairs {
		fmt.Printf("%8d  %s  %s\n", t.tally[p], p, t.first[p])
	}
}
