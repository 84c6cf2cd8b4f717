package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// int4Family checks integers of 4 bits (SPV_INTEL_int4): they are stored, converted, selected and parts of composites, and outside of
// Function and Private two of them share each byte of a vector.
var int4Family = family{
	rules: []Rule{
		{Code: "SPV-Int4-Use", Section: "SPIR-V, SPV_INTEL_int4", Words: "integers of 4 bits are constants, in memory, converted, parts of composites, selected, and arguments and results of functions; no arithmetic has them"},
		{Code: "SPV-Int4-Storage", Section: "SPIR-V, SPV_INTEL_int4", Words: "a variable outside of Function and Private has integers of 4 bits only in vectors with an even number of components"},
	},
	after: []func(*checker){(*checker).int4},
}

// int4 checks all variables, and all instructions of functions, of a module with such integers. Integers of any width, which
// SPV_ALTERA_arbitrary_precision_integers brings, have arithmetic.
func (c *checker) int4() {
	if !c.capable(spirv.CapabilityInt4TypeINTEL) || c.capable(spirv.CapabilityArbitraryPrecisionIntegersALTERA) {
		return
	}
	held, alone := c.int4Types()
	for n := range c.m.Variables {
		v := &c.m.Variables[n]
		if v.Type != nil && alone[v.Type.Number] && v.Storage != spirv.StorageClassFunction && v.Storage != spirv.StorageClassPrivate {
			c.fail(v.Index, "SPV-Int4-Storage", "a variable in %s with integers of 4 bits outside of vectors with an even number of components; must be in Function or Private", v.Storage)
		}
	}
	for f := range c.m.Functions {
		fn := &c.m.Functions[f]
		for i := fn.Index; i <= fn.End && i < c.code.Len(); i++ {
			c.int4Use(i, c.code.Inst(i), held)
		}
	}
}

// int4Types returns, by type number, whether a type holds integers of 4 bits, and whether it holds one that is in no vector of an even
// number of components. The parts of a type have lower numbers; a pointer holds none.
func (c *checker) int4Types() (held, alone []bool) {
	held, alone = c.memory.flags.Alloc(len(c.m.Types)), c.memory.flags.Alloc(len(c.m.Types))
	for n := range c.m.Types {
		t := &c.m.Types[n]
		part := func(p *facts.Type) {
			if p != nil && p.Number < n {
				held[n] = held[n] || held[p.Number]
				alone[n] = alone[n] || alone[p.Number]
			}
		}
		switch {
		case t.IsInt():
			held[n], alone[n] = t.Width == 4, t.Width == 4
		case t.IsStruct():
			for k := range t.Members {
				part(t.Members[k].Type)
			}
		case !t.IsPointer():
			part(t.Elem)
			if t.IsVector() && t.Count%2 == 0 {
				alone[n] = false
			}
		}
	}
	return held, alone
}

// int4Use checks one instruction.
func (c *checker) int4Use(i int, in spirv.Inst, held []bool) {
	op := in.Op()
	switch op.Class() {
	case spirv.ClassConstantCreation, spirv.ClassMemory, spirv.ClassFunction, spirv.ClassConversion, spirv.ClassComposite:
		return
	}
	switch op {
	case spirv.OpCooperativeMatrixMulAddKHR, spirv.OpCooperativeMatrixLengthKHR, spirv.OpSelect, spirv.OpPhi, spirv.OpReturnValue,
		spirv.OpLifetimeStart, spirv.OpLifetimeStop, spirv.OpUndef, spirv.OpExtInst:
		return // the instructions of extended sets name their types themselves
	}
	c.idPositions = c.code.IDs(i, c.idPositions[:0])
	for _, at := range c.idPositions {
		id := spirv.ID(in[at])
		t := c.m.TypeOf(id)
		if t == nil {
			t = c.m.Type(id)
		}
		if t != nil && held[t.Number] {
			c.fail(i, "SPV-Int4-Use", "%s has %s, which is or holds integers of 4 bits; must only be stored, converted, selected or made a part", op, c.name(id))
			return
		}
	}
}
