package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// abortFamily judges OpAbortKHR and the constants whose values are given as words
// (SPV_KHR_abort, SPV_KHR_constant_data).
var abortFamily = family{
	rules: []Rule{
		{Code: "SPV-Abort-Message", Section: "SPIR-V, SPV_KHR_abort", Words: "the message of OpAbortKHR is of the type that it names, but for where decorations lay it out"},
		{Code: "SPV-Abort-Type", Section: "SPIR-V, SPV_KHR_abort", Words: "the type of a message is concrete: of numbers and physical pointers"},
		{Code: "SPV-Abort-Layout", Section: "SPIR-V, SPV_KHR_abort", Words: "in a shader the type of a message has an explicit layout"},
		{Code: "SPV-ConstantData-Type", Section: "SPIR-V, SPV_KHR_constant_data", Words: "constant data are an array of integers of 8 bits or more"},
		{Code: "SPV-ConstantData-Size", Section: "SPIR-V, SPV_KHR_constant_data", Words: "constant data have as many words as their array fills"},
	},
	insts: map[spirv.Op]judge{
		spirv.OpAbortKHR:            (*checker).abort,
		spirv.OpConstantDataKHR:     (*checker).constantData,
		spirv.OpSpecConstantDataKHR: (*checker).constantData,
	},
}

// abort judges the message of OpAbortKHR.
func (c *checker) abort(i int, in spirv.Inst) {
	v := inst.AbortKHR(in)
	want, got := c.m.Type(v.MessageType()), c.m.TypeOf(v.Message())
	if want == nil {
		return
	}
	if !c.concrete(want) {
		c.fail(i, "SPV-Abort-Type", "the type of the message is %s; must be of numbers and physical pointers alone", c.typeName(want)).also(c, want.Index, "the type")
		return
	}
	if c.capable(spirv.CapabilityShader) {
		if t := c.unlaid(want); t != nil {
			f := c.fail(i, "SPV-Abort-Layout", "the type of the message holds %s, which has no explicit layout; must have one", c.typeName(t)).also(c, t.Index, "the type")
			if t.IsArray() {
				f.warn() // without a stride there is one place that it can mean
			}
		}
	}
	if got != nil && !c.alike(want, got) {
		c.fail(i, "SPV-Abort-Message", "the message %s is %s; must be %s", c.name(v.Message()), c.typeName(got), c.typeName(want))
	}
}

// concrete reports whether a type is of numbers and physical pointers alone
// (SPIR-V §2.2.2).
func (c *checker) concrete(t *facts.Type) bool {
	if !t.IsScalar() && !t.IsComposite() && !t.IsPointer() || c.contains(t, holdsOpaque|holdsBool|holdsCooperative) {
		return false
	}
	return c.m.Addressing != spirv.AddressingModelLogical || !c.contains(t, holdsPointer)
}

// unlaid returns a struct or an array in a type that has no explicit layout, nil
// where there is none. It gives up after maxAlike steps.
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

// maxAlike bounds how many pairs of types alike looks at.
const maxAlike = 1 << 12

// alike reports whether two types match logically (SPIR-V §2.8): the same but for
// decorations. Beyond maxAlike pairs it says yes.
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

// constantData judges the type of constant data, and how many words there are.
func (c *checker) constantData(i int, in spirv.Inst) {
	t := c.m.Type(in.Type())
	if t == nil {
		return
	}
	if t.Op != spirv.OpTypeArray || !t.Elem.IsInt() {
		c.fail(i, "SPV-ConstantData-Type", "%s is %s; must be an array of integers", in.Op(), c.typeName(t))
		return
	}
	if t.Count == 0 || t.Count > 1<<32 || t.Length.Spec || t.Elem.Width%8 != 0 {
		return
	}
	bytes := t.Count * uint64(t.Elem.Width/8)
	if words := (bytes + 3) / 4; uint64(len(in)-3) != words {
		c.fail(i, "SPV-ConstantData-Size", "%d words of data; must be %d for %s", len(in)-3, words, c.typeName(t))
	}
}
