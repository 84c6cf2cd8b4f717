package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// runtimeFloatFamily checks how fast floats may be computed, by whether a device
// preserves zeros, infinities and NaNs at all (Vulkan, Runtime SPIR-V Validation).
var runtimeFloatFamily = family{
	rules: runtimeFloatRules(),
	insts: map[spirv.Op]judge{spirv.OpDecorate: (*checker).fastDecoration},
	after: []func(*checker){(*checker).fastDefaults},
}

// fastRow is the property of floats of one width, and the rules if it is false.
type fastRow struct {
	width             uint32
	property          string
	mode, instruction string
}

var fastRows = [...]fastRow{
	{16, "shaderSignedZeroInfNanPreserveFloat16", vuid.RuntimeSpirv_shaderSignedZeroInfNanPreserveFloat16_09559, vuid.RuntimeSpirv_shaderSignedZeroInfNanPreserveFloat16_09560},
	{32, "shaderSignedZeroInfNanPreserveFloat32", vuid.RuntimeSpirv_shaderSignedZeroInfNanPreserveFloat32_09561, vuid.RuntimeSpirv_shaderSignedZeroInfNanPreserveFloat32_09562},
	{64, "shaderSignedZeroInfNanPreserveFloat64", vuid.RuntimeSpirv_shaderSignedZeroInfNanPreserveFloat64_09563, vuid.RuntimeSpirv_shaderSignedZeroInfNanPreserveFloat64_09564},
}

// runtimeFloatRules states the rules of the rows in words.
func runtimeFloatRules() []Rule {
	var out []Rule
	for _, r := range fastRows {
		of := " of " + itoa(uint64(r.width)) + "-bit floats has NSZ, NotInf and NotNaN if " + r.property + " is false"
		out = append(out,
			Rule{Code: r.mode, Section: runtimeSection, Words: "FPFastMathDefault" + of, Need: NeedDevice},
			Rule{Code: r.instruction, Section: runtimeSection, Words: "FPFastMathMode" + of, Need: NeedDevice})
	}
	return out
}

// fastAtLeast are the flags that say that zeros have no sign and that there are no
// infinities and NaNs.
const fastAtLeast = spirv.FPFastMathModeNSZMask | spirv.FPFastMathModeNotInfMask | spirv.FPFastMathModeNotNaNMask

// preserves reports whether a device preserves the special values of floats of
// a width; true if it is not known.
func (c *checker) preserves(code string, r *fastRow) bool {
	on, ok := c.limit(code, r.property)
	return !ok || on != 0
}

// fastDefaults checks the mode FPFastMathDefault of entry points.
func (c *checker) fastDefaults() {
	if !c.vulkan {
		return
	}
	for n := range c.m.EntryPoints {
		e := &c.m.EntryPoints[n]
		for _, m := range e.Modes {
			if m.Kind != spirv.ExecutionModeFPFastMathDefault || len(m.Operands) < 2 {
				continue
			}
			t, k := c.m.Type(spirv.ID(m.Operands[0])), c.m.Const(spirv.ID(m.Operands[1]))
			if !t.IsFloat() || k == nil || !k.Known || spirv.FPFastMathMode(k.Bits)&fastAtLeast == fastAtLeast {
				continue
			}
			for i := range fastRows {
				if r := &fastRows[i]; r.width == t.Width && !c.preserves(r.mode, r) {
					c.fail(m.Index, r.mode, "FPFastMathDefault of %s is %#x on a device without %s; must have NSZ, NotInf and NotNaN", c.typeName(t), k.Bits, r.property)
				}
			}
		}
	}
}

// fastDecoration checks the decoration FPFastMathMode of an instruction.
func (c *checker) fastDecoration(i int, in spirv.Inst) {
	if !c.vulkan || len(in) < 4 || spirv.Decoration(in[2]) != spirv.DecorationFPFastMathMode || spirv.FPFastMathMode(in[3])&fastAtLeast == fastAtLeast {
		return
	}
	d := c.code.Def(spirv.ID(in[1]))
	if d < 0 {
		return
	}
	target := c.code.Inst(d)
	c.idPositions = c.code.IDs(d, c.idPositions[:0])
	for k := range fastRows {
		r := &fastRows[k]
		has := c.floatOf(c.m.TypeOf(spirv.ID(in[1])), r.width)
		for _, at := range c.idPositions {
			has = has || c.floatOf(c.m.TypeOf(spirv.ID(target[at])), r.width)
		}
		if has && !c.preserves(r.instruction, r) {
			c.fail(i, r.instruction, "FPFastMathMode %#x of %s, which has floats of %d bits, on a device without %s; must have NSZ, NotInf and NotNaN", in[3], target.Op(), r.width, r.property).also(c, d, "the instruction")
		}
	}
}

// floatOf reports whether a type is a float of a width, or made of such.
func (c *checker) floatOf(t *facts.Type, width uint32) bool {
	s := t.Scalar()
	return s.IsFloat() && s.Width == width
}
