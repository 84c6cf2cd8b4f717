package ptx

import (
	"strings"

	"github.com/chiaro-gpu/chiaro/diag"
)

// need is the first version of PTX and the first target with a feature.
type need struct {
	version [2]int
	target  target
}

// qualifierNeeds are the features of qualifiers and types that came after the instructions which have them (PTX ISA, "PTX ISA Notes" and
// "Target ISA Notes" of each instruction). A form in the tables has the needs of the form itself.
var qualifierNeeds = map[string]need{
	".cluster": {[2]int{7, 8}, target{number: 90}}, ".shared::cluster": {[2]int{7, 8}, target{number: 90}}, ".shared::cta": {[2]int{7, 8}, target{number: 30}},
	".param::entry": {[2]int{8, 3}, target{}}, ".param::func": {[2]int{8, 3}, target{}},
	".L2::cache_hint": {[2]int{7, 4}, target{number: 80}}, ".L2::64B": {[2]int{7, 4}, target{number: 75}}, ".L2::128B": {[2]int{7, 4}, target{number: 75}},
	".L2::256B": {[2]int{7, 4}, target{number: 80}}, ".L1::evict_normal": {[2]int{7, 4}, target{number: 70}}, ".L1::evict_unchanged": {[2]int{7, 4}, target{number: 70}},
	".L1::evict_first": {[2]int{7, 4}, target{number: 70}}, ".L1::evict_last": {[2]int{7, 4}, target{number: 70}}, ".L1::no_allocate": {[2]int{7, 4}, target{number: 70}},
	".bf16": {[2]int{7, 0}, target{number: 80}}, ".bf16x2": {[2]int{7, 0}, target{number: 80}}, ".tf32": {[2]int{7, 0}, target{number: 80}},
	".cp_mask": {[2]int{8, 6}, target{number: 100}}, ".unified": {[2]int{8, 0}, target{number: 90}},
	".b128": {[2]int{8, 3}, target{number: 70}}, ".acc::f16": {[2]int{8, 2}, target{}},
	".sp::ordered_metadata": {[2]int{8, 5}, target{number: 80}},
}

// scoped are instructions: their semantics and scopes came in version 6.0 with sm_60 (scopes of atom and red) or sm_70 (semantics).
var scoped = setOf("atom red")

// withoutSync are instructions with forms without .sync, which ended with version 6.4 for sm_70 and later targets.
var withoutSync = setOf("shfl vote")

// Requirements returns a warning for each instruction and directive that the version or the target of the module lacks (PTX ISA, "PTX ISA
// Notes", "Target ISA Notes"). Chiaro executes them all the same; NVIDIA's assembler refuses such a module.
func Requirements(m *Module) []*diag.Finding {
	r := &requirer{module: m}
	r.head()
	for _, t := range m.Target {
		r.narrow = r.narrow || t == "map_f64_to_f32"
		if digits, ok := cutAny(t, "sm_", "compute_"); ok {
			r.target = targetOf(digits)
		}
	}
	for _, x := range m.Items {
		if f, ok := x.(*Function); ok && f.Body != nil {
			for _, a := range f.Attrs {
				r.require(a.Pos, a.Name, directiveNeeds[a.Name])
			}
			r.block(f.Body)
		}
	}
	return r.findings
}

// directiveNeeds are the needs of the directives of kernels and functions.
var directiveNeeds = map[string]need{
	".abi_preserve": {[2]int{9, 0}, target{number: 80}}, ".abi_preserve_control": {[2]int{9, 0}, target{number: 80}}, ".blocksareclusters": {[2]int{9, 0}, target{number: 90}},
	".maxnreg": {[2]int{1, 3}, target{}}, ".maxntid": {[2]int{1, 3}, target{}}, ".reqntid": {[2]int{2, 1}, target{}},
	".minnctapersm": {[2]int{2, 0}, target{}}, ".noreturn": {[2]int{6, 4}, target{number: 30}},
	".minperctamemory": {[2]int{9, 4}, target{number: 80}}, ".language": {[2]int{9, 3}, target{}},
	".explicitcluster": {[2]int{7, 8}, target{number: 90}}, ".reqnctapercluster": {[2]int{7, 8}, target{number: 90}}, ".maxclusterrank": {[2]int{7, 8}, target{number: 90}},
}

// requirer is the state of Requirements.
type requirer struct {
	module   *Module
	target   target // zero if the module names no architecture
	narrow   bool   // map_f64_to_f32: .f64 does not need sm_13
	findings []*diag.Finding
}

func (r *requirer) block(b *Block) {
	for _, s := range b.Stmts {
		switch x := s.(type) {
		case *Instr:
			r.instruction(x)
		case *Block:
			r.block(x)
		}
	}
}

// instruction reports the first need of an instruction that is not met. Of several forms with the same qualifiers the one with the least
// needs counts.
func (r *requirer) instruction(i *Instr) {
	var least *form
	for _, f := range forms()[i.Op] {
		if ok, _ := f.matches(i.Mods); ok && (least == nil || before(f.first, least.first) || f.first == least.first && f.target.number < least.target.number) {
			least = f
		}
	}
	if least != nil && r.require(i.Pos, i.Name(), need{least.first, least.target}) {
		return
	}
	if withoutSync[i.Op] && !i.Has(".sync") && r.target.number >= 70 && !before(r.module.Version, [2]int{6, 4}) {
		r.warn(i.Pos, "%s is in a module of version %d.%d for the target %v; must be %s.sync there", i.Name(), r.module.Version[0], r.module.Version[1], r.target, i.Op)
		return
	}
	for _, m := range i.Mods {
		n := qualifierNeeds[m]
		switch {
		case m == ".cluster" && i.Op == "barrier": // a need of the form
		case m == ".cta" && (i.Op == "bar" || i.Op == "barrier"):
			n = need{[2]int{7, 8}, target{}}
		case m == ".v8" && (i.Op == "ld" || i.Op == "st"):
			n = need{[2]int{8, 8}, target{number: 100}}
		case scoped[i.Op] && classHas("scope", m) && m != ".cluster":
			n = need{[2]int{5, 0}, target{number: 60}}
		case scoped[i.Op] && classHas("sem", m):
			n = need{[2]int{6, 0}, target{number: 70}}
		}
		if r.require(i.Pos, m+" of "+i.Name(), n) {
			return
		}
	}
	for _, o := range i.Operands {
		if o.Kind == Address && o.Part != "" {
			r.require(o.Pos, o.Part+" of "+i.Name(), qualifierNeeds[o.Part])
		}
	}
}

// classHas reports whether a qualifier is in a class of the forms.
func classHas(class, mod string) bool {
	for w := range strings.SplitSeq(classes[class], "|") {
		if "."+w == mod {
			return true
		}
	}
	return false
}

// require reports whether the module lacks the needs of a feature, and warns.
func (r *requirer) require(at Position, name string, n need) bool {
	has := r.module.Version
	if r.narrow && n.target.number == 13 {
		n.target = target{}
	}
	suffix := n.target.suffix && !r.target.suffix
	switch {
	case len(r.findings) >= maxFindings:
		return true
	case before(has, n.version):
		r.warn(at, "%s is in a module of version %d.%d; must be in one of version %d.%d or later", name, has[0], has[1], n.version[0], n.version[1])
	case r.target.number > 0 && (r.target.number < n.target.number || suffix):
		r.warn(at, "%s is in a module for the target %v; must be in one for %v or a later one", name, r.target, n.target)
	default:
		return false
	}
	return true
}

func (r *requirer) warn(at Position, format string, args ...any) {
	f := diag.New(CodeTarget, diag.Pos{Line: at.Line, Column: at.Col}, format, args...)
	f.Severity = diag.Warning
	r.findings = append(r.findings, f)
}

// cutAny returns the rest of a text after one of the prefixes.
func cutAny(text string, prefixes ...string) (string, bool) {
	for _, p := range prefixes {
		if rest, ok := strings.CutPrefix(text, p); ok {
			return rest, true
		}
	}
	return text, false
}
