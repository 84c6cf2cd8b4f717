package conformance

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/amber"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/internal/profile"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
	"github.com/chiaro-gpu/chiaro/vk"
)

// seededShader is a shader of a working script, as text with one instruction per line.
type seededShader struct {
	script *amber.Script
	beside []*seededShader // of the same script
	shader *amber.Shader
	model  spirv.ExecutionModel
	facts  *facts.Module
	lines  []string
	fields [][]string                   // of lines
	runs   []bool                       // by instruction: an invocation executed it
	used   map[spirv.ID]map[string]bool // see users
}

// seededEdit puts a fault into a shader.
type seededEdit struct {
	remove  []int          // instructions that become OpNop
	replace map[int]string // other instructions
	at      int            // the instruction that lines replace
	lines   []string       // the last one is the faulty instruction; none to keep the instruction
	fault   int            // the faulty one of lines, from the end
	relabel string         // the label that later blocks name instead of that of the block of the instruction
	head    []string       // capabilities and imports
	globals []string
	results map[string]bool // ids whose uses may have the report
}

// seededSite is a place for a fault.
type seededSite struct {
	shader *seededShader
	at     int
	edit   *seededEdit
}

// seededScripts are the scripts of the tree with shaders to mutate.
func seededScripts(t *testing.T) (list []*amber.Script) {
	patterns := []string{"../amber/testdata/*.amber", "testdata/*.amber"}
	if seededFaults() > few {
		patterns = append(patterns, "../../examples/*.amber")
	}
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			switch filepath.Base(file) {
			case "path.amber", "model.amber", "terrain.amber": // their runs take seconds
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s, err := amber.Parse(file, text, func(name string) ([]byte, error) { return os.ReadFile(filepath.Join(filepath.Dir(file), name)) })
			if err != nil {
				t.Fatal(err)
			}
			s.Commands = withoutExpectations(s.Commands)
			list = append(list, s)
		}
	}
	return list
}

// withoutExpectations returns the commands that change memory: the results of a shader with a fault do not matter.
func withoutExpectations(list []amber.Command) (out []amber.Command) {
	for _, c := range list {
		switch c := c.(type) {
		case *amber.ExpectValues, *amber.ExpectTexels, *amber.ExpectBuffers:
			continue
		case *amber.Repeat:
			c.Commands = withoutExpectations(c.Commands)
		}
		out = append(out, c)
	}
	return out
}

// fastest returns the JIT, or the interpreter if the machine does not support it.
func fastest() exec.Engine {
	if _, err := jit.Choose(target.Best); err != nil {
		return interp.Engine{}
	}
	return jit.Engine{}
}

// seededShaders runs a script and returns those of its shaders that run.
func seededShaders(t *testing.T, s *amber.Script) (list []*seededShader) {
	r := amber.Run(context.Background(), s, amber.Options{Engine: fastest(), Workers: 1, Budget: seededBudget, Lowering: lower.Options{Profile: true}})
	if r.Status != amber.Pass {
		t.Fatalf("%s: %s", s.File, r.Message)
	}
	for _, x := range s.Shaders {
		words := seededWords(t, x)
		if words == nil {
			continue
		}
		m, err := spirv.FromWords(words)
		if err != nil {
			t.Fatal(err)
		}
		text, err := asm.Disassemble(nil, m, asm.DisassembleOptions{RawIDs: true, NoHeader: true, NoIndent: true})
		if err != nil {
			t.Fatal(err)
		}
		sh := &seededShader{script: s, shader: x, lines: strings.Split(strings.TrimRight(string(text), "\n"), "\n"), runs: make([]bool, m.Len())}
		for _, l := range sh.lines {
			sh.fields = append(sh.fields, strings.Fields(l))
		}
		if len(sh.lines) != m.Len() {
			continue // a string with line breaks
		}
		for i := range r.Profiles {
			p := &r.Profiles[i]
			if slices.Equal(p.Facts.Code.Words, words) {
				sh.facts, sh.model = p.Facts, p.Entry.Model
				sh.noteRuns(p)
			}
		}
		if sh.facts != nil {
			list = append(list, sh)
		}
	}
	for _, sh := range list {
		sh.beside = list
	}
	return list
}

// seededWords returns the module of a shader; nil if a compiler makes it.
func seededWords(t *testing.T, x *amber.Shader) []uint32 {
	switch x.Format {
	case amber.SPIRVBinary:
		m, err := spirv.Decode([]byte(x.Source))
		if err != nil {
			t.Fatal(err)
		}
		return m.Words
	case amber.SPIRVAssembly:
		version, ok := asm.Target(x.TargetEnv)
		if !ok {
			version = spirv.Version10
		}
		words, err := asm.Assemble([]byte(x.Source), asm.AssembleOptions{Version: version})
		if err != nil {
			t.Fatal(err)
		}
		return words
	}
	return nil
}

// noteRuns marks the instructions that an invocation executed.
func (s *seededShader) noteRuns(p *vk.StageProfile) {
	x := profile.New(p.Facts, p.Entry, p.SubgroupSize, p.Counters, func(int) profile.Place { return profile.Place{} })
	for _, f := range x.Functions {
		for _, b := range f.Blocks {
			for _, in := range b.Instructions {
				s.runs[in.Index] = s.runs[in.Index] || in.Executed > 0
			}
		}
	}
}

// mutated returns the module with a fault, and the numbers of the instructions, from 1, that may have its report.
func (s *seededShader) mutated(t *testing.T, e *seededEdit) (module []byte, faulty map[int]bool) {
	faulty = map[int]bool{}
	var out []string
	old, new := s.labelOf(e.at), e.relabel
	for i, l := range s.lines {
		if strings.HasPrefix(l, "OpMemoryModel") {
			out = append(out, importsOf(e.head)...)
		}
		if i == s.firstFunction() {
			out = append(out, e.globals...)
		}
		switch {
		case i == e.at && len(e.lines) > 0:
			out = append(out, e.lines...)
			faulty[len(out)-e.fault] = true
			continue
		case slices.Contains(e.remove, i):
			l = "OpNop"
		case e.replace[i] != "":
			l = e.replace[i]
		case new != "" && i > e.at && strings.Contains(l, "= OpPhi "):
			l = renamed(l, old, new)
		}
		out = append(out, l)
	}
	head := capabilitiesOf(e.head)
	out = append(head, out...)
	if len(head) > 0 {
		moved := map[int]bool{}
		for i := range faulty {
			moved[i+len(head)] = true
		}
		faulty = moved
	}
	for i, l := range out {
		if i > len(head) && slices.ContainsFunc(strings.Fields(l), func(x string) bool { return e.results[x] }) {
			faulty[i+1] = true
		}
	}
	version := max(s.facts.Code.Version, spirv.Version13)
	words, err := asm.Assemble([]byte(strings.Join(out, "\n")), asm.AssembleOptions{Version: version, PreserveNumericIDs: true})
	if err != nil {
		t.Fatalf("%s, shader %s, line %q: %v", s.script.File, s.shader.Name, s.lines[e.at], err)
	}
	return asm.Bytes(words), faulty
}

func capabilitiesOf(list []string) (out []string) {
	for _, l := range list {
		if strings.HasPrefix(l, "OpCapability") {
			out = append(out, l)
		}
	}
	return out
}

func importsOf(list []string) (out []string) {
	for _, l := range list {
		if !strings.HasPrefix(l, "OpCapability") {
			out = append(out, l)
		}
	}
	return out
}

// renamed replaces an operand of an instruction.
func renamed(line, old, new string) string {
	fields := strings.Fields(line)
	for i, x := range fields {
		if x == old {
			fields[i] = new
		}
	}
	return strings.Join(fields, " ")
}

// labelOf returns the label of the block of an instruction.
func (s *seededShader) labelOf(i int) string {
	for ; i >= 0; i-- {
		if fields := s.fields[i]; len(fields) == 3 && fields[2] == "OpLabel" {
			return fields[0]
		}
	}
	return ""
}

func (s *seededShader) firstFunction() int {
	return s.facts.Functions[0].Index
}

// seededCount is what the sanitizers found of a kind of faults.
type seededCount struct{ faults, found, located int }

// seededFaults is the number of faults of each kind.
func seededFaults() int {
	switch {
	case os.Getenv("CHIARO_SEEDED") != "":
		return 40
	case os.Getenv("CHIARO_LONG") != "":
		return 10
	}
	return few
}

const few = 2

// seededBudget is the number of steps of a subgroup with a fault. No working shader needs more, and a fault may make a loop endless, of which
// each iteration has a report: the usual budget would take minutes.
const seededBudget = 1 << 16

// seededSeed chooses the places of the faults.
func seededSeed(t *testing.T) int64 {
	text, _, _ := strings.Cut(os.Getenv("CHIARO_SEEDS"), "-") // of from-to, which other tests run
	if text == "" {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		t.Fatalf("CHIARO_SEEDS begins with %q; must begin with a number: %v", text, err)
	}
	return n
}

// TestSeededFaults puts faults into shaders that work, and checks that the sanitizers find them: at least 99 %, located at the
// instruction with the fault or at a use of its result. Each kind has two faults, in shaders of all stages; with CHIARO_LONG ten. With
// CHIARO_SEEDED=all there are 40, which takes a quarter of an hour with -timeout=1h; the names of kinds in its place select them.
// CHIARO_SEEDS=n chooses other places.
func TestSeededFaults(t *testing.T) {
	var shaders []*seededShader
	for _, s := range seededScripts(t) {
		shaders = append(shaders, seededShaders(t, s)...)
	}
	total := seededCount{}
	for k := range seededKinds {
		kind := &seededKinds[k]
		if only := os.Getenv("CHIARO_SEEDED"); only != "" && only != "all" && !strings.Contains(only, kind.name) {
			continue
		}
		r := rand.New(rand.NewSource(seededSeed(t)*int64(len(seededKinds)) + int64(k)))
		sites := sitesOf(shaders, kind, r)
		c := seededCount{}
		stages := map[string]int{}
		for site := range sites {
			if c.faults == seededFaults() {
				break
			}
			ends, found, located := site.try(t, kind)
			if !ends {
				continue
			}
			c.faults++
			stages[site.shader.model.String()]++
			if found {
				c.found++
			}
			if located {
				c.located++
			}
		}
		t.Logf("%-24s %3d faults, %3d found, %3d located, %v", kind.name, c.faults, c.found, c.located, stages)
		if c.faults < seededFaults() && (!kind.few || c.faults == 0) {
			t.Errorf("%s: %d faults; must be %d", kind.name, c.faults, seededFaults())
		}
		total.faults += c.faults
		total.found += c.found
		total.located += c.located
	}
	if total.located*100 < total.faults*99 {
		t.Errorf("%d faults, %d found, %d located; must be 99 %%", total.faults, total.found, total.located)
	}
}

// sitesOf yields the places for faults of a kind, in an order that is random and takes the stages in turn.
func sitesOf(shaders []*seededShader, kind *seededKind, r *rand.Rand) iter.Seq[seededSite] {
	stages := map[spirv.ExecutionModel][]seededSite{}
	var models []spirv.ExecutionModel
	for _, s := range shaders {
		if stages[s.model] == nil {
			models = append(models, s.model)
		}
		for i, runs := range s.runs {
			if runs {
				stages[s.model] = append(stages[s.model], seededSite{shader: s, at: i})
			}
		}
	}
	for _, m := range models {
		r.Shuffle(len(stages[m]), func(i, k int) { stages[m][i], stages[m][k] = stages[m][k], stages[m][i] })
	}
	return func(yield func(seededSite) bool) {
		for more := true; more; {
			more = false
			for _, m := range models {
				for len(stages[m]) > 0 {
					site := stages[m][0]
					stages[m] = stages[m][1:]
					if site.edit = kind.mutate(site.shader, site.at, r); site.edit != nil {
						if more = true; !yield(site) {
							return
						}
						break
					}
				}
			}
		}
	}
}

// try runs the script of a site with a fault.
func (s *seededSite) try(t *testing.T, kind *seededKind) (ends, found, located bool) {
	e := s.edit
	module, faulty := s.shader.mutated(t, e)
	x := s.shader.shader
	format, source := x.Format, x.Source
	defer func() { x.Format, x.Source = format, source }()
	x.Format, x.Source = amber.SPIRVBinary, string(module)
	options := amber.Options{Engine: fastest(), Workers: 1, Budget: seededBudget, Lowering: lower.Options{Sanitize: kind.of}}
	if kind.of == ir.SanitizeRace { // a barrier of scope Subgroup is no fault if one subgroup has the whole workgroup
		options.Lowering.SubgroupSize = 4
	}
	res := amber.Run(context.Background(), s.shader.script, options)
	what := fmt.Sprintf("%s: %s, shader %s, %q", kind.name, s.shader.script.File, x.Name, s.shader.lines[s.at])
	if budget := (*exec.BudgetError)(nil); errors.As(res.Err, &budget) && len(res.Reports) == 0 {
		return false, false, false // a loop that does not end
	}
	if res.Status != amber.Pass && len(res.Reports) == 0 {
		t.Errorf("%s: %s\n%s", what, res.Message, strings.Join(e.lines, "\n"))
		return true, false, false
	}
	for _, rep := range res.Reports {
		found = true
		if faulty[rep.Instruction] || kind.named != nil && kind.named(s.shader, s.at, rep.Message) {
			located = true
		}
	}
	if !located {
		t.Logf("%s: found %t: %v; must be at one of %v", what, found, res.Reports, faulty)
	}
	return true, found, located
}

// seededKind is a kind of faults.
type seededKind struct {
	name   string
	of     ir.Sanitizers
	mutate func(s *seededShader, i int, r *rand.Rand) *seededEdit // nil if instruction i is no place for the fault
	named  func(s *seededShader, i int, message string) bool      // whether a message without an instruction names the place
	few    bool                                                   // the scripts may have fewer places than are asked for
}
