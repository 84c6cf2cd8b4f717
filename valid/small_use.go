package valid

import (
	"strings"

	"github.com/chiaro-gpu/chiaro/spirv"
)

// smallUseFamily checks the uses of values of 8 and 16 bits if no declared
// capability provides arithmetic for them (SPIR-V §2.16.1).
var smallUseFamily = family{
	rules: []Rule{
		{Code: "SPV-Small-Use", Section: "SPIR-V 2.16.1", Words: "8-bit and 16-bit values without arithmetic in the module are only stored, copied and converted to other widths"},
	},
	after: []func(*checker){(*checker).smallUses},
}

// smallUses checks each operand of each instruction in functions, if the
// module has such types at all.
func (c *checker) smallUses() {
	if !c.capable(spirv.CapabilityShader) || !c.holdsSmall() {
		return
	}
	var told map[int]bool // instructions that were said to take such values
	for f := range c.m.Functions {
		fn := &c.m.Functions[f]
		for i := fn.Index; i <= fn.End && i < c.code.Len(); i++ {
			in := c.code.Inst(i)
			if storesOnly(in.Op()) {
				continue
			}
			c.idPositions = c.code.IDs(i, c.idPositions[:0])
			for _, at := range c.idPositions {
				id := spirv.ID(in[at])
				t := c.m.TypeOf(id)
				if t == nil || t.IsPointer() || !c.limitedWithin(t) {
					continue
				}
				if told == nil {
					told = c.toldSmall()
				}
				if !told[i] {
					c.fail(i, "SPV-Small-Use", "%s of %s, which is %s, without arithmetic on such values; must only be stored, copied or converted to another width", in.Op(), c.name(id), c.typeName(t))
				}
				break
			}
		}
	}
}

// holdsSmall reports whether any type holds such values.
func (c *checker) holdsSmall() bool {
	for _, held := range c.content.of {
		if held.what&(holds8|holds16) != 0 {
			return true
		}
	}
	return false
}

// toldSmall returns the instructions that a rule of the same kind has reported.
func (c *checker) toldSmall() map[int]bool {
	told := map[int]bool{}
	for _, f := range c.found {
		if strings.HasSuffix(f.Code, "-Small") {
			told[f.Pos.Instruction-1] = true
		}
	}
	return told
}

// storesOnly reports whether an instruction may take such values.
func storesOnly(op spirv.Op) bool {
	switch op {
	case spirv.OpStore, spirv.OpCopyObject, spirv.OpFConvert, spirv.OpUConvert, spirv.OpSConvert,
		spirv.OpExtInst: // the sets have their own rules, or no meaning
		return true
	}
	return false
}
