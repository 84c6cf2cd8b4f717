package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// bindlessFamily checks images and samplers addressed by integer handles
// (SPV_NV_bindless_texture): the declared width of a handle, and the
// conversions from and to handles. State: checker.handleWidth and
// handleSeen.
var bindlessFamily = family{
	rules: []Rule{
		{Code: "SPV-Bindless-Width", Section: "SPIR-V, SPV_NV_bindless_texture", Words: "a module declares one width, 32 or 64 bits, for the addresses of images and samplers"},
		{Code: "SPV-Bindless-Type", Section: "SPIR-V, SPV_NV_bindless_texture", Words: "an image, a sampler or a sampled image is converted from and to an unsigned integer of the declared width"},
	},
	insts: map[spirv.Op]judge{
		spirv.OpSamplerImageAddressingModeNV: (*checker).addressingMode,
		spirv.OpConvertUToImageNV:            (*checker).fromHandle,
		spirv.OpConvertUToSamplerNV:          (*checker).fromHandle,
		spirv.OpConvertUToSampledImageNV:     (*checker).fromHandle,
		spirv.OpConvertImageToUNV:            (*checker).toHandle,
		spirv.OpConvertSamplerToUNV:          (*checker).toHandle,
		spirv.OpConvertSampledImageToUNV:     (*checker).toHandle,
	},
	after: []func(*checker){(*checker).handleWidthDeclared},
}

// addressingMode checks OpSamplerImageAddressingModeNV and records its width.
func (c *checker) addressingMode(i int, in spirv.Inst) {
	c.handleSeen = true
	w := inst.SamplerImageAddressingModeNV(in).BitWidth()
	switch {
	case w != 32 && w != 64:
		c.fail(i, "SPV-Bindless-Width", "images and samplers are addressed by %d bits; must be 32 or 64", w)
	case c.handleWidth != 0:
		c.fail(i, "SPV-Bindless-Width", "the width of the addresses of images and samplers is declared twice; must be declared once")
	default:
		c.handleWidth = w
	}
}

// handleWidthDeclared checks that a module with bindless textures declares the width.
func (c *checker) handleWidthDeclared() {
	if c.capable(spirv.CapabilityBindlessTextureNV) && !c.handleSeen {
		c.fail(-1, "SPV-Bindless-Width", "the capability BindlessTextureNV and no OpSamplerImageAddressingModeNV; must have one")
	}
}

// handleOf returns the type that a conversion instruction converts from or to a
// handle.
func handleOf(op spirv.Op) spirv.Op {
	switch op {
	case spirv.OpConvertUToImageNV, spirv.OpConvertImageToUNV:
		return spirv.OpTypeImage
	case spirv.OpConvertUToSamplerNV, spirv.OpConvertSamplerToUNV:
		return spirv.OpTypeSampler
	}
	return spirv.OpTypeSampledImage
}

// handle checks the two sides of a conversion: the integer and the object.
func (c *checker) handle(i int, op spirv.Op, number, x *facts.Type) {
	if number != nil && (!number.IsInt() || number.Signed || c.handleWidth != 0 && number.Width != c.handleWidth) {
		c.fail(i, "SPV-Bindless-Type", "the handle of %s is %s; must be an unsigned integer of the declared width of addresses", op, c.typeName(number))
	}
	if want := handleOf(op); x != nil && x.Op != want {
		c.fail(i, "SPV-Bindless-Type", "%s of %s; must be of an %s", op, c.typeName(x), want)
	}
}

func (c *checker) fromHandle(i int, in spirv.Inst) {
	c.handle(i, in.Op(), c.m.TypeOf(inst.ConvertUToImageNV(in).Operand()), c.m.Type(in.Type()))
}

func (c *checker) toHandle(i int, in spirv.Inst) {
	c.handle(i, in.Op(), c.m.Type(in.Type()), c.m.TypeOf(inst.ConvertUToImageNV(in).Operand()))
}
