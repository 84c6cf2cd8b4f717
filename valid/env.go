package valid

import (
	"strconv"
	"strings"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// API is the API of an environment.
type API uint8

// The APIs.
const (
	Universal API = iota // the SPIR-V specification alone
	Vulkan
	OpenCL
	OpenGL
)

// Version is a version of an API: major<<8 | minor.
type Version uint16

// The versions of Vulkan.
const (
	Vulkan10 Version = 1<<8 + iota
	Vulkan11
	Vulkan12
	Vulkan13
	Vulkan14
)

// Env is the target environment of a check. It is read-only during Check.
type Env struct {
	Name     string
	API      API
	Version  Version       // of the API, 0 for Universal
	SPIRV    spirv.Version // the newest version of SPIR-V that the environment accepts
	Embedded bool          // OpenCL's embedded profile
	Layout   Layout

	// Reading is the wording of Vulkan's chapters on shaders; the default is the one
	// that docs/versions.md lists for Version.
	Reading facts.Reading

	// BeforeLegalization accepts modules of an HLSL compiler before its
	// legalization passes, and all that RelaxLogicalPointer accepts: pointers to
	// pointers in the logical addressing model. RelaxStructStore accepts stores of
	// a struct of another type with the same layout. AllowLocalSizeID accepts the
	// mode LocalSizeId in Vulkan before 1.3, as with maintenance4.
	BeforeLegalization, RelaxLogicalPointer, RelaxStructStore, AllowLocalSizeID bool

	// AllowVulkan32BitBitwise accepts bit instructions on widths other than 32
	// bits in Vulkan, as with maintenance9.
	AllowVulkan32BitBitwise bool

	// AllowTextureOffset accepts the image operand Offset on instructions other
	// than gathers if the feature maintenance8 is not known.
	AllowTextureOffset bool

	// Sizes of the descriptors in a heap; zero if they are not known.
	ImageDescriptor, SamplerDescriptor, BufferDescriptor DescriptorSize

	// Device is the known properties of the device; nil if nothing is known.
	Device *Device
}

// DescriptorSize is the size and the alignment of a descriptor in bytes.
type DescriptorSize struct{ Size, Align uint32 }

// Layout is the accepted block layouts beyond the ones that the version of Vulkan
// and the module's capabilities permit.
type Layout struct {
	Relaxed         bool // VK_KHR_relaxed_block_layout
	UniformStandard bool // uniformBufferStandardLayout
	Scalar          bool // scalarBlockLayout
	WorkgroupScalar bool // workgroupMemoryExplicitLayoutScalarBlockLayout
	Skip            bool // check only that blocks have an explicit layout
}

// ParseEnv returns the environment with a name as in spirv-val's --target-env:
// vulkan1.0 to vulkan1.4, vulkan1.1spv1.4, spv1.0 to spv1.6, universal1.0 to
// universal1.6, opencl1.2 to opencl2.2 (with the optional suffix embedded),
// opengl4.0 to opengl4.5. It returns false for any other name.
func ParseEnv(name string) (*Env, bool) {
	e := &Env{Name: name}
	rest := name
	for _, p := range [...]struct {
		prefix string
		api    API
	}{{"spv", Universal}, {"universal", Universal}, {"vulkan", Vulkan}, {"opencl", OpenCL}, {"opengl", OpenGL}} {
		var ok bool
		if rest, ok = strings.CutPrefix(name, p.prefix); ok {
			e.API = p.api
			break
		}
	}
	rest, e.Embedded = strings.CutSuffix(rest, "embedded")
	if e.Embedded && e.API != OpenCL {
		return nil, false
	}
	number, newer, raised := strings.Cut(rest, "spv")
	v, ok := parseVersion(number)
	if !ok {
		return nil, false
	}
	e.Version = v
	for _, t := range environments {
		if t.api == e.API && t.version == v {
			e.SPIRV = t.spirv
		}
	}
	if e.SPIRV == 0 {
		return nil, false
	}
	if e.API == Universal {
		e.Version = 0
	}
	if raised {
		if e.API != Vulkan || v != Vulkan11 || newer != "1.4" {
			return nil, false
		}
		e.SPIRV = spirv.Version14
	}
	return e, true
}

// parseVersion parses "1.3".
func parseVersion(s string) (Version, bool) {
	major, minor, ok := strings.Cut(s, ".")
	if !ok || len(major) != 1 || len(minor) != 1 {
		return 0, false
	}
	a, err := strconv.ParseUint(major, 10, 8)
	b, err2 := strconv.ParseUint(minor, 10, 8)
	return Version(a<<8 | b), err == nil && err2 == nil
}

// environments are the environments with the newest version of SPIR-V of each
// (Vulkan: appendix Vulkan Environment for SPIR-V, Versions and Formats).
var environments = [...]struct {
	api     API
	version Version
	spirv   spirv.Version
}{
	{Universal, 0x100, spirv.Version10}, {Universal, 0x101, spirv.Version11}, {Universal, 0x102, spirv.Version12},
	{Universal, 0x103, spirv.Version13}, {Universal, 0x104, spirv.Version14}, {Universal, 0x105, spirv.Version15},
	{Universal, 0x106, spirv.Version16},
	{Vulkan, Vulkan10, spirv.Version10}, {Vulkan, Vulkan11, spirv.Version13}, {Vulkan, Vulkan12, spirv.Version15},
	{Vulkan, Vulkan13, spirv.Version16}, {Vulkan, Vulkan14, spirv.Version16},
	{OpenCL, 0x102, spirv.Version10}, {OpenCL, 0x200, spirv.Version10}, {OpenCL, 0x201, spirv.Version10},
	{OpenCL, 0x202, spirv.Version12},
	{OpenGL, 0x400, spirv.Version10}, {OpenGL, 0x401, spirv.Version10}, {OpenGL, 0x402, spirv.Version10},
	{OpenGL, 0x403, spirv.Version10}, {OpenGL, 0x405, spirv.Version10},
}

// pointersRelaxed reports whether the logical addressing model permits pointers to
// pointers.
func (e *Env) pointersRelaxed() bool { return e.RelaxLogicalPointer || e.BeforeLegalization }

// String returns the name of the environment in messages.
func (e *Env) String() string {
	switch e.API {
	case Vulkan:
		return "Vulkan " + e.Version.String()
	case OpenCL:
		if e.Embedded {
			return "OpenCL " + e.Version.String() + ", embedded profile"
		}
		return "OpenCL " + e.Version.String()
	case OpenGL:
		return "OpenGL " + e.Version.String()
	}
	return "SPIR-V " + e.SPIRV.String()
}

// String returns "major.minor".
func (v Version) String() string {
	return strconv.Itoa(int(v>>8)) + "." + strconv.Itoa(int(v&0xff))
}
