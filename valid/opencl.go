package valid

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// openCLFamily checks the capabilities and the accesses of images in OpenCL
// environments (OpenCL SPIR-V Environment Specification, chapters of the versions
// and of the extensions).
var openCLFamily = family{
	rules: []Rule{
		{Code: "SPV-Capability-OpenCL", Section: "OpenCL SPIR-V Environment", Words: "in OpenCL, a capability is one of the version and the profile, required or optional, or one that a declared extension of SPIR-V enables"},
		{Code: "SPV-Image-OpenCLAccess", Section: "OpenCL SPIR-V Environment", Words: "in OpenCL, a read results in a vector of four, of a depth image in a float; a read and a sample have no ConstOffset, and a write has no image operands"},
	},
	insts: map[spirv.Op]judge{
		spirv.OpCapability:             (*checker).openCLCapability,
		spirv.OpImageRead:              (*checker).openCLRead,
		spirv.OpImageWrite:             (*checker).openCLWrite,
		spirv.OpImageSampleExplicitLod: (*checker).openCLSample,
	},
}

// The versions of OpenCL that brought capabilities.
const (
	openCL12 Version = 1<<8 + 2
	openCL20 Version = 2 << 8
	openCL22 Version = 2<<8 + 2
)

// openCLWay is the condition under which OpenCL supports a capability.
type openCLWay struct {
	since  Version
	full   bool // in the full profile alone
	images bool // only if ImageBasic is declared
}

// openCLWays are the capabilities that OpenCL has, or that an extension of a
// device brings which leaves no trace in a module: cl_khr_fp16,
// cl_khr_int64_base_atomics, cl_khr_mipmap_image, cl_khr_subgroup_named_barrier.
var openCLWays = map[spirv.Capability]openCLWay{
	spirv.CapabilityAddresses: {since: openCL12}, spirv.CapabilityLinkage: {since: openCL12}, spirv.CapabilityKernel: {since: openCL12},
	spirv.CapabilityVector16: {since: openCL12}, spirv.CapabilityFloat16Buffer: {since: openCL12}, spirv.CapabilityImageBasic: {since: openCL12},
	spirv.CapabilityInt8: {since: openCL12}, spirv.CapabilityInt16: {since: openCL12}, spirv.CapabilityInt64: {since: openCL12, full: true},
	spirv.CapabilityFloat16: {since: openCL12}, spirv.CapabilityFloat64: {since: openCL12}, spirv.CapabilityInt64Atomics: {since: openCL12},
	spirv.CapabilityLiteralSampler: {since: openCL12, images: true}, spirv.CapabilitySampled1D: {since: openCL12, images: true},
	spirv.CapabilityImage1D: {since: openCL12, images: true}, spirv.CapabilitySampledBuffer: {since: openCL12, images: true},
	spirv.CapabilityImageBuffer: {since: openCL12, images: true}, spirv.CapabilityImageMipmap: {since: openCL12, images: true},
	spirv.CapabilityImageReadWrite: {since: openCL20, images: true}, spirv.CapabilityPipes: {since: openCL20},
	spirv.CapabilityGroups: {since: openCL20}, spirv.CapabilityDeviceEnqueue: {since: openCL20}, spirv.CapabilityGenericPointer: {since: openCL20},
	spirv.CapabilitySubgroupDispatch: {since: openCL22}, spirv.CapabilityPipeStorage: {since: openCL22}, spirv.CapabilityNamedBarrier: {since: openCL22},
}

// openCLCapability checks OpCapability in OpenCL.
func (c *checker) openCLCapability(i int, in spirv.Inst) {
	if c.env.API != OpenCL {
		return
	}
	k := spirv.Capability(in[1])
	r := spirv.KindCapability.Enumerant(uint32(k))
	if r == nil || slices.ContainsFunc(r.Extensions(), c.m.Extension) {
		return
	}
	w, ok := openCLWays[k]
	switch {
	case !ok || w.since > c.env.Version:
		c.fail(i, "SPV-Capability-OpenCL", "capability %s in %s; must be a capability of it or of a declared extension", k, c.env)
	case w.full && c.env.Embedded:
		c.fail(i, "SPV-Capability-OpenCL", "capability %s in %s; must be in the full profile", k, c.env)
	case w.images && !c.capable(spirv.CapabilityImageBasic):
		c.fail(i, "SPV-Capability-OpenCL", "capability %s in %s; needs the capability ImageBasic", k, c.env)
	}
}

// openCLRead checks OpImageRead in OpenCL.
func (c *checker) openCLRead(i int, in spirv.Inst) {
	v := inst.ImageRead(in)
	image, t := c.m.TypeOf(v.Image()), c.m.Type(v.Type())
	if c.env.API != OpenCL || image == nil || image.Image == nil || t == nil {
		return
	}
	switch image.Image.Depth {
	case 0:
		if t.Components() != 4 {
			c.fail(i, "SPV-Image-OpenCLAccess", "a read of an image is %s; must have four components", c.typeName(t))
		}
	case 1:
		if !t.IsFloat() {
			c.fail(i, "SPV-Image-OpenCLAccess", "a read of a depth image is %s; must be a float", c.typeName(t))
		}
	}
	mask, _ := v.ImageOperands()
	c.openCLOffset(i, mask)
}

// openCLSample checks OpImageSampleExplicitLod in OpenCL.
func (c *checker) openCLSample(i int, in spirv.Inst) {
	if c.env.API == OpenCL {
		c.openCLOffset(i, inst.ImageSampleExplicitLod(in).ImageOperands())
	}
}

// openCLOffset checks the image operands of a read or a sample.
func (c *checker) openCLOffset(i int, mask spirv.ImageOperands) {
	if mask&spirv.ImageOperandsConstOffsetMask != 0 {
		c.fail(i, "SPV-Image-OpenCLAccess", "%s with ConstOffset; must have none in OpenCL", c.code.Inst(i).Op())
	}
}

// openCLWrite checks OpImageWrite in OpenCL.
func (c *checker) openCLWrite(i int, in spirv.Inst) {
	if mask, ok := inst.ImageWrite(in).ImageOperands(); ok && c.env.API == OpenCL {
		c.fail(i, "SPV-Image-OpenCLAccess", "OpImageWrite with the image operands %s; must have none in OpenCL", mask)
	}
}
