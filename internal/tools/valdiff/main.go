// Command valdiff checks modules with package valid and with SPIRV-Tools, and reports
// different verdicts: on real modules, modules of cases, modules from modgen, and random
// changes of all of them. It knows nothing of the rules; a person must examine each
// difference.
//
// usage: valdiff [flags] [FOLDER]…
//
// A folder has modules (.spv) or cases (.txtar). The peer is a small client of SPIRV-Tools
// that the tool builds by g++ from client/client.cpp, or -client names a build with another
// version of it. Only modules that both accept are changed; the tool first reports the
// differences on the unchanged modules. With -grammar the changes keep the form of every
// instruction; -operands replaces each id of each instruction by values of all types.
package main

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/contest"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
	"github.com/chiaro-gpu/chiaro/valid"
)

func main() {
	t := tool{classes: map[string]*class{}}
	flag.IntVar(&t.count, "n", 10_000, "changed modules to judge")
	flag.Uint64Var(&t.seed, "seed", 1, "of the changes")
	flag.IntVar(&t.changer.Most, "changes", 2, "changes of a module, at most")
	flag.IntVar(&t.made, "made", 200, "modules that modgen makes")
	flag.IntVar(&t.large, "large", 4_000, "words that a module may have to be changed")
	flag.StringVar(&t.env, "target-env", "vulkan1.3", "environment to judge for")
	flag.StringVar(&t.kind, "generate", "", "judge generated modules of a kind instead: "+strings.Join(kinds(), ", "))
	flag.BoolVar(&t.grammar, "grammar", false, "changes keep modules well-formed: other enumerants, ids, decorations, types")
	flag.BoolVar(&t.operands, "operands", false, "replace every id of each instruction by a value of each type instead")
	flag.StringVar(&t.client, "client", "", "the peer: a build of the client with another SPIRV-Tools")
	flag.StringVar(&t.keep, "keep", "", "folder that gets the first modules of each difference")
	flag.Parse()
	if err := t.run(flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "valdiff:", err)
		os.Exit(1)
	}
}

// tool is one run.
type tool struct {
	count, made, large int
	seed               uint64
	env, keep, kind    string
	client             string
	grammar, operands  bool

	judge   *valid.Env
	changer contest.Changer
	peer    peer
	sources [][]uint32
	classes map[string]*class
	judged  int
	kept    int
}

// class is modules of which both say the same pair of things.
type class struct {
	pair     string
	count    int
	examples []string
	words    int    // of the smallest module
	message  string // of that
}

func (t *tool) run(folders []string) error {
	env, ok := valid.ParseEnv(t.env)
	if !ok {
		return fmt.Errorf("unknown target environment %q", t.env)
	}
	t.judge, t.changer.Rand = env, rand.New(rand.NewPCG(t.seed, 0))
	if t.keep != "" {
		if err := os.MkdirAll(t.keep, 0o777); err != nil {
			return err
		}
	}
	work, err := os.MkdirTemp("", "valdiff-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if t.client == "" {
		if t.client, err = build(work); err != nil {
			return err
		}
	}
	t.peer = peer{path: t.client, env: t.env}
	defer t.peer.stop()
	if t.kind != "" {
		return t.generated()
	}
	all, err := t.read(folders)
	if err != nil {
		return err
	}
	for _, words := range all {
		if t.both(words) && len(words) <= t.large {
			t.sources = append(t.sources, words)
		}
	}
	t.report(fmt.Sprintf("%d modules as they are", len(all)))
	if len(t.sources) == 0 {
		return nil
	}
	t.judged, t.classes = 0, map[string]*class{}
	if t.operands {
		t.everyOperand()
		t.report(fmt.Sprintf("%d modules with other operands, from %d", t.judged, len(t.sources)))
		return nil
	}
	change := t.changer.Change
	if t.grammar {
		change = t.changer.ChangeByGrammar
	}
	for t.judged < t.count {
		t.both(change(t.sources[t.changer.IntN(len(t.sources))]))
	}
	t.report(fmt.Sprintf("%d changed modules, from %d", t.judged, len(t.sources)))
	return nil
}

// both checks a module with both and reports whether both accept it.
func (t *tool) both(words []uint32) bool {
	t.judged++
	asked := t.peer.ask(words)
	ours, said := t.own(words)
	var theirs answer
	if asked == nil {
		theirs, asked = t.peer.answer()
	}
	var pair string
	switch {
	case ours == "panic":
		pair = "we panic"
	case asked != nil:
		pair = "the peer died"
	case ours == "" && !theirs.rejected:
		pair = "both accept"
	case ours != "" && theirs.rejected:
		pair = "both reject"
	case ours != "":
		pair = "we alone reject: " + ours
	default:
		pair, said = "the peer alone rejects: "+kind(theirs.message), theirs.message
	}
	t.note(pair, said, words)
	return pair == "both accept"
}

// own returns the code of our first error and its message, or "" if there is none.
func (t *tool) own(words []uint32) (code, message string) {
	defer func() { // a panic is a difference too, and the module is worth keeping
		if e := recover(); e != nil {
			code, message = "panic", fmt.Sprintf("%v\n%s", e, debug.Stack())
		}
	}()
	m, err := spirv.FromWords(words)
	if err != nil {
		if f, ok := err.(*diag.Finding); ok {
			return f.Code, f.Message
		}
		return "error", err.Error()
	}
	r, err := valid.Check(context.Background(), facts.Gather(m, nil), t.judge, valid.Options{})
	if err != nil {
		return "error", err.Error()
	}
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Severity == diag.Error {
			return f.Code, fmt.Sprintf("%d: %s", f.Pos.Instruction, f.Message)
		}
	}
	return "", ""
}

// detail matches the parts that differ between two messages of one rule: ids, names,
// numbers.
var detail = regexp.MustCompile(`'[^']*'|\d+(\[%[^\]]*\])?|%\w+`)

// kind returns a message of the peer without its details.
func kind(message string) string {
	if a := strings.Index(message, "[VUID-"); a >= 0 {
		if b := strings.IndexByte(message[a:], ']'); b > 0 {
			return message[a+1 : a+b]
		}
	}
	s := detail.ReplaceAllString(strings.ReplaceAll(message, "\n", " "), "_")
	return s[:min(len(s), 90)]
}

// maxExamples is how many modules of a difference are kept.
const maxExamples = 3

// note counts a module, and stores it if it is one of the first with this difference or
// smaller than the stored ones.
func (t *tool) note(pair, message string, words []uint32) {
	k := t.classes[pair]
	if k == nil {
		k = &class{pair: pair, words: len(words) + 1}
		t.classes[pair] = k
	}
	k.count++
	if strings.HasPrefix(pair, "both") {
		return
	}
	smallest := len(words) < k.words
	if smallest {
		k.words, k.message = len(words), message
	}
	if t.keep == "" || len(k.examples) >= maxExamples && !smallest {
		return
	}
	at := filepath.Join(t.keep, fmt.Sprintf("%05d.spv", t.kept))
	t.kept++
	// Without it the example is lost, no more.
	_ = os.WriteFile(at, asm.Bytes(words), 0o666)
	if len(k.examples) < maxExamples {
		k.examples = append(k.examples, at)
	} else {
		k.examples[0] = at
	}
}

func (t *tool) report(what string) {
	fmt.Printf("%s, %s\n", what, t.env)
	list := slices.SortedFunc(maps.Values(t.classes), func(x, y *class) int { return y.count - x.count })
	for _, k := range list {
		fmt.Printf("%8d  %s\n", k.count, k.pair)
		if k.message != "" {
			fmt.Printf("          %s  %s\n", strings.Join(k.examples, " "), strings.ReplaceAll(k.message, "\n", " "))
		}
	}
}
