package valid

import (
	"strconv"
	"strings"

	"github.com/chiaro-gpu/chiaro/spirv"
)

// API is whose environment a module is judged for.
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

// Env is what a module is judged for. It is read-only during Check.
type Env struct {
	Name     string
	API      API
	Version  Version       // of the API, 0 of Universal
	SPIRV    spirv.Version // the newest version of SPIR-V that it takes
	Embedded bool          // OpenCL's embedded profile
	Layout   Layout

	// BeforeLegalization takes modules that a compiler of HLSL has not
	// legalized yet, and what RelaxLogicalPointer takes: pointers to pointers in
	// the logical addressing model; RelaxStructStore takes stores of a struct of
	// another type with the same layout; AllowLocalSizeID takes the mode
	// LocalSizeId in Vulkan before 1.3, where maintenance4 brings it.
	BeforeLegalization, RelaxLogicalPointer, RelaxStructStore, AllowLocalSizeID bool

	// AllowVulkan32BitBitwise takes bit instructions on other widths than 32
	// bits in Vulkan, as maintenance9 does.
	AllowVulkan32BitBitwise bool

	// AllowTextureOffset takes the image operand Offset with what is no gather
	// where the feature maintenance8 is not known.
	AllowTextureOffset bool

	// The descriptors of a heap, in bytes; zero where they are not known.
	ImageDescriptor, SamplerDescriptor, BufferDescriptor DescriptorSize

	// Device is what is known of the device; nil where nothing is.
	Device *Device
}

// DescriptorSize is the size and the alignment of a descriptor in bytes.
type DescriptorSize struct{ Size, Align uint32 }

// Layout says which layouts of blocks are taken, beyond those that the version
// of Vulkan and the module's capabilities allow.
type Layout struct {
	Relaxed         bool // VK_KHR_relaxed_block_layout
	UniformStandard bool // uniformBufferStandardLayout
	Scalar          bool // scalarBlockLayout
	WorkgroupScalar bool // workgroupMemoryExplicitLayoutScalarBlockLayout
	Skip            bool // of a layout it is judged only that there is one
}

// ParseEnv returns the environment of a name, as spirv-val's --target-env takes
// it: vulkan1.0 to vulkan1.4, vulkan1.1spv1.4, spv1.0 to spv1.6, universal1.0 to
// universal1.6, opencl1.2 to opencl2.2 (with embedded behind it or not),
// opengl4.0 to opengl4.5. It is false for any other name.
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

// parseVersion reads "1.3".
func parseVersion(s string) (Version, bool) {
	major, minor, ok := strings.Cut(s, ".")
	if !ok || len(major) != 1 || len(minor) != 1 {
		return 0, false
	}
	a, err := strconv.ParseUint(major, 10, 8)
	b, err2 := strconv.ParseUint(minor, 10, 8)
	return Version(a<<8 | b), err == nil && err2 == nil
}

// environments are the environments and the newest version of SPIR-V of each
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

// pointersRelaxed reports whether pointers to pointers are taken in the logical
// addressing model.
func (e *Env) pointersRelaxed() bool { return e.RelaxLogicalPointer || e.BeforeLegalization }

// String returns how a message calls the environment.
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
