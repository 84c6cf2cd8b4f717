package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// abortFamily checks OpAbortKHR and the constants declared as packed words
// (SPV_KHR_abort, SPV_KHR_constant_data): the type of an abort message, its
// explicit layout, and the number of words of constant data.
//
// It relies on contents.go for the kinds of leaves in a type. That OpAbortKHR
// terminates its block is a rule of layout.go; the value of constant data is
// computed by package facts.
var abortFamily = family{
	rules: []Rule{
		{Code: "SPV-Abort-Message", Section: "SPIR-V, SPV_KHR_abort", Words: "the message of OpAbortKHR has its Message Type; the two may differ in their layouts"},
		{Code: "SPV-Abort-Type", Section: "SPIR-V, SPV_KHR_abort", Words: "a message type is concrete: numbers and physical pointers only"},
		{Code: "SPV-Abort-Layout", Section: "SPIR-V, SPV_KHR_abort", Words: "in a shader, a message type has an explicit layout"},
		{Code: "SPV-ConstantData-Type", Section: "SPIR-V, SPV_KHR_constant_data", Words: "the type of constant data is an array of integers of at least 8 bits without an ArrayStride"},
		{Code: "SPV-ConstantData-Size", Section: "SPIR-V, SPV_KHR_constant_data", Words: "constant data have exactly as many words as their array type fills"},
	},
	insts: map[spirv.Op]judge{
		spirv.OpAbortKHR:            (*checker).abort,
		spirv.OpConstantDataKHR:     (*checker).constantData,
		spirv.OpSpecConstantDataKHR: (*checker).constantData,
	},
}

// abort checks the message of OpAbortKHR against the declared message type.
func (c *checker) abort(i int, in spirv.Inst) {
	v := inst.AbortKHR(in)
	want, got := c.m.Type(v.MessageType()), c.m.TypeOf(v.Message())
	if want == nil {
		return
	}
	if !c.concrete(want) {
		c.fail(i, "SPV-Abort-Type", "the type of the message is %s; must contain only numbers and physical pointers", c.typeName(want)).also(c, want.Index, "the type")
		return
	}
	if c.capable(spirv.CapabilityShader) {
		if t := c.unlaid(want); t != nil {
			f := c.fail(i, "SPV-Abort-Layout", "the type of the message contains %s, which has no explicit layout; must have one", c.typeName(t)).also(c, t.Index, "the type")
			if t.IsArray() {
				f.warn() // without a stride only one layout is possible
			}
		}
	}
	if got != nil && !c.alike(want, got) {
		c.fail(i, "SPV-Abort-Message", "the message %s is %s; must be %s", c.name(v.Message()), c.typeName(got), c.typeName(want))
	}
}

// concrete reports whether a type consists of numbers and physical pointers
// alone (SPIR-V §2.2.2, concrete type). A pointer is concrete under a physical
// addressing model only.
func (c *checker) concrete(t *facts.Type) bool {
	if !t.IsScalar() && !t.IsComposite() && !t.IsPointer() || c.contains(t, holdsOpaque|holdsBool|holdsCooperative) {
		return false
	}
	return c.m.Addressing != spirv.AddressingModelLogical || !c.contains(t, holdsPointer)
}

// unlaid returns a struct or an array in a type that has no explicit layout: a
// member without an offset, or an array without a stride. It returns nil if
// there is none, or if maxAlike steps do not find one.
func (c *checker) unlaid(t *facts.Type) *facts.Type {
	todo := []*facts.Type{t}
	for steps := 0; len(todo) > 0 && steps < maxAlike; steps++ {
		t := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		switch {
		case t.IsStruct():
			for n := range t.Members {
				m := &t.Members[n]
				if !m.HasOffset && !c.m.HasMember(t.ID, n, spirv.DecorationOffsetIdEXT) {
					return t
				}
				if m.Type != nil {
					todo = append(todo, m.Type)
				}
			}
		case t.IsArray():
			if t.ArrayStride == 0 && !c.m.Has(t.ID, spirv.DecorationArrayStrideIdEXT) {
				return t
			}
			if t.Elem != nil {
				todo = append(todo, t.Elem)
			}
		}
	}
	return nil
}

// maxAlike bounds the number of pairs of types that alike compares. A type graph
// with sharing has exponentially many paths.
const maxAlike = 1 << 12

// alike reports whether two types match logically (SPIR-V §2.8): they are the
// same except for decorations. If maxAlike pairs do not decide it, it returns
// true, so that no rule reports an uncertain fault.
func (c *checker) alike(x, y *facts.Type) bool {
	type pair struct{ x, y *facts.Type }
	todo := []pair{{x, y}}
	for steps := 0; len(todo) > 0 && steps < maxAlike; steps++ {
		x, y := todo[len(todo)-1].x, todo[len(todo)-1].y
		todo = todo[:len(todo)-1]
		switch {
		case x == y || x == nil || y == nil:
		case x.Op != y.Op:
			return false
		case x.IsStruct():
			if len(x.Members) != len(y.Members) {
				return false
			}
			for n := range x.Members {
				todo = append(todo, pair{x.Members[n].Type, y.Members[n].Type})
			}
		case x.IsArray():
			if x.Length != y.Length && (x.Count != y.Count || x.Length == nil || y.Length == nil || x.Length.Spec || y.Length.Spec) {
				return false
			}
			todo = append(todo, pair{x.Elem, y.Elem})
		default:
			return false
		}
	}
	return true
}

// constantData checks the type of constant data and the number of its words. The
// elements are packed without padding, so n elements of w bits need ⌈n·w/32⌉
// words.
func (c *checker) constantData(i int, in spirv.Inst) {
	t := c.m.Type(in.Type())
	if t == nil {
		return
	}
	if t.Op != spirv.OpTypeArray || !t.Elem.IsInt() {
		c.fail(i, "SPV-ConstantData-Type", "%s is %s; must be an array of integers", in.Op(), c.typeName(t))
		return
	}
	if t.ArrayStride != 0 || c.m.Has(t.ID, spirv.DecorationArrayStrideIdEXT) {
		c.fail(i, "SPV-ConstantData-Type", "%s is %s with an ArrayStride; must have none, for data are packed", in.Op(), c.typeName(t))
	}
	if t.Count == 0 || t.Count > 1<<32 || t.Length.Spec || t.Elem.Width%8 != 0 {
		return
	}
	bytes := t.Count * uint64(t.Elem.Width/8)
	if words := (bytes + 3) / 4; uint64(len(in)-3) != words {
		c.fail(i, "SPV-ConstantData-Size", "%d words of data; must be %d for %s", len(in)-3, words, c.typeName(t))
	}
}
