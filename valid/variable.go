package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// variableFamily checks the places and the number of variables. Their types and
// their accesses are checked in variable_kind.go and with memory.
var variableFamily = family{
	rules: []Rule{
		{Code: "SPV-Variable-Scope", Section: "SPIR-V 2.4", Words: "a variable has the storage class Function if and only if it is in a function"},
		{Code: "SPV-Variable-Locals", Section: "SPIR-V 2.17", Words: "a function has at most as many variables as the universal limit allows"},
		{Code: "SPV-Variable-Small", Section: "SPIR-V 3.2.30", Words: "a variable with 8-bit or 16-bit values is in a storage class that a declared capability enables for them"},
		{Code: "SPV-Variable-Globals", Section: "SPIR-V 2.17", Words: "a module has at most as many variables outside of functions as the universal limit allows"},
	},
	after: []func(*checker){(*checker).variables, (*checker).smallVariables},
}

func (c *checker) variables() {
	globals, locals := 0, make([]int, len(c.m.Functions))
	for n := range c.m.Variables {
		v := &c.m.Variables[n]
		switch {
		case v.Func == nil && v.Storage == spirv.StorageClassFunction:
			c.fail(v.Index, "SPV-Variable-Scope", "the variable %s of module scope is in Function; must be in another storage class", c.name(v.ID))
		case v.Func != nil && v.Storage != spirv.StorageClassFunction:
			c.fail(v.Index, "SPV-Variable-Scope", "the variable %s of a function is in %s; must be in Function", c.name(v.ID), v.Storage)
		}
		if v.Func == nil {
			if globals++; globals == c.opts.Limits.GlobalVariables+1 {
				c.fail(v.Index, "SPV-Variable-Globals", "more than %d variables outside of functions; must be no more", c.opts.Limits.GlobalVariables)
			}
			continue
		}
		c.local(v, &locals[v.Func.Number])
	}
}

// local counts a variable of a function.
func (c *checker) local(v *facts.Variable, n *int) {
	if *n++; *n == c.opts.Limits.LocalVariables+1 {
		c.fail(v.Index, "SPV-Variable-Locals", "more than %d variables in %s; must be no more", c.opts.Limits.LocalVariables, c.name(v.Func.ID))
	}
}

// smallVariables checks variables that hold values of 8 and 16 bits which the
// declared capabilities only store.
func (c *checker) smallVariables() {
	if !c.capable(spirv.CapabilityShader) {
		return
	}
	for n := range c.m.Variables {
		v := &c.m.Variables[n]
		if v.Type == nil {
			continue
		}
		for bit, width := holds8, 8; width <= 16; bit, width = bit<<1, width*2 {
			if c.contains(v.Type, bit) && !c.storesSmallIn(v, width) {
				c.fail(v.Index, "SPV-Variable-Small", "a variable in %s with values of %d bits; must have a capability for them", v.Storage, width)
			}
		}
	}
}

// storesSmallIn reports whether a capability allows values of 8 or 16 bits in the
// storage class of a variable.
func (c *checker) storesSmallIn(v *facts.Variable, width int) bool {
	pick := func(of8, of16 spirv.Capability) bool {
		if width == 8 {
			return c.capable(of8)
		}
		return c.capable(of16)
	}
	switch v.Storage {
	case spirv.StorageClassStorageBuffer, spirv.StorageClassPhysicalStorageBuffer, spirv.StorageClassShaderRecordBufferKHR:
		return pick(spirv.CapabilityStorageBuffer8BitAccess, spirv.CapabilityStorageBuffer16BitAccess)
	case spirv.StorageClassUniform:
		t := v.Type
		for t.IsArray() {
			t = t.Elem
		}
		if t.IsStruct() && c.m.Has(t.ID, spirv.DecorationBufferBlock) && pick(spirv.CapabilityStorageBuffer8BitAccess, spirv.CapabilityStorageBuffer16BitAccess) {
			return true
		}
		return pick(spirv.CapabilityUniformAndStorageBuffer8BitAccess, spirv.CapabilityUniformAndStorageBuffer16BitAccess)
	case spirv.StorageClassPushConstant:
		return pick(spirv.CapabilityStoragePushConstant8, spirv.CapabilityStoragePushConstant16)
	case spirv.StorageClassWorkgroup:
		return pick(spirv.CapabilityWorkgroupMemoryExplicitLayout8BitAccessKHR, spirv.CapabilityWorkgroupMemoryExplicitLayout16BitAccessKHR)
	case spirv.StorageClassInput, spirv.StorageClassOutput:
		return width == 16 && c.capable(spirv.CapabilityStorageInputOutput16)
	}
	return false
}
