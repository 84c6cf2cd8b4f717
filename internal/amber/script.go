package amber

import (
	"sync"
	"time"

	"github.com/chiaro-gpu/chiaro/diag"
)

// Language is the language of a script.
type Language uint8

// The languages.
const (
	AmberScript Language = iota
	VkScript
)

// Script is a whole script, every name in it resolved.
type Script struct {
	File         string
	Language     Language
	Requirements []Requirement
	Shaders      []*Shader
	Buffers      []*Buffer // images among them, in the order of declaration
	Samplers     []*Sampler
	Structures   []*Structure // acceleration structures
	Pipelines    []*Pipeline
	Commands     []Command
	FenceTimeout time.Duration           // 0 if the script sets none
	Files        map[string]*VirtualFile // by their names
}

// VirtualFile is a text that shaders are made of or include.
type VirtualFile struct {
	Text string
	Line int // of its first line in the script; 0 for a file beside the script
}

// Requirement is something that the device must have.
type Requirement struct {
	Kind RequirementKind
	Name string // as the script writes it
	At   diag.Pos
}

// RequirementKind is the table that contains the name of a requirement.
type RequirementKind uint8

// The kinds of requirements. AnyExtension is VkScript's, which does not tell
// instance from device.
const (
	Feature RequirementKind = iota
	Property
	DeviceExtension
	InstanceExtension
	AnyExtension
)

// String returns the name of the kind, as in messages.
func (k RequirementKind) String() string {
	return [...]string{"device feature", "device property", "device extension", "instance extension", "extension"}[k]
}

// Shader is one shader, in source or ready.
type Shader struct {
	Name      string
	Stage     Stage
	Format    ShaderFormat
	TargetEnv string // such as "spv1.3"; "" for the default
	Source    string // text, or the bytes of a module if Format is SPIRVBinary
	Line      int    // of the first line of Source in the script; 0 if it is elsewhere
	Path      string // of the file with Source as the script names it; "" if it is in the script
	At        diag.Pos
	files     map[string]*VirtualFile // of the script

	indexed sync.Once
	lines   map[int]int // lines of Source in the script, by their numbers for a compiler; see scriptLine
}

// Stage is the stage of a shader.
type Stage uint8

// The stages. Multi is a module with entry points of several stages.
const (
	Vertex Stage = iota
	Fragment
	Geometry
	TessellationControl
	TessellationEvaluation
	Task
	Mesh
	ClusterCulling
	Compute
	RayGeneration
	AnyHit
	ClosestHit
	Miss
	Intersection
	Callable
	Multi
)

// stages has the names of AmberScript and of files, in order.
var stages = [...]struct{ name, extension string }{
	Vertex:                 {"vertex", "vert"},
	Fragment:               {"fragment", "frag"},
	Geometry:               {"geometry", "geom"},
	TessellationControl:    {"tessellation_control", "tesc"},
	TessellationEvaluation: {"tessellation_evaluation", "tese"},
	Task:                   {"task", "task"},
	Mesh:                   {"mesh", "mesh"},
	ClusterCulling:         {"cluster_culling", "cluster"},
	Compute:                {"compute", "comp"},
	RayGeneration:          {"ray_generation", "rgen"},
	AnyHit:                 {"any_hit", "rahit"},
	ClosestHit:             {"closest_hit", "rchit"},
	Miss:                   {"miss", "rmiss"},
	Intersection:           {"intersection", "rint"},
	Callable:               {"callable", "rcall"},
	Multi:                  {"multi", "multi"},
}

// String returns the name in AmberScript.
func (s Stage) String() string { return stages[s].name }

// Extension returns the ending of files with shaders of the stage, such as
// "comp".
func (s Stage) Extension() string { return stages[s].extension }

func parseStage(s string) (Stage, bool) {
	for i, st := range stages {
		if st.name == s {
			return Stage(i), true
		}
	}
	return 0, false
}

// ShaderFormat is the form of a shader's source.
type ShaderFormat uint8

// The forms.
const (
	SPIRVAssembly ShaderFormat = iota
	SPIRVHex
	SPIRVBinary
	GLSL
	HLSL
	OpenCLC
	Passthrough // no source: copies input location 0 to Position
)

// shaderFormats has the names of AmberScript, in order.
var shaderFormats = [...]string{"SPIRV-ASM", "SPIRV-HEX", "SPIRV-BIN", "GLSL", "HLSL", "OPENCL-C", "PASSTHROUGH"}

// String returns the name in AmberScript.
func (f ShaderFormat) String() string { return shaderFormats[f] }

// compiled reports whether a compiler makes the module of a shader in this form.
func (f ShaderFormat) compiled() bool { return f == GLSL || f == HLSL || f == OpenCLC }

// Sampler is a declared sampler. Enumerants are AmberScript's words.
type Sampler struct {
	Name                   string
	At                     diag.Pos
	MagFilter, MinFilter   string // nearest, linear
	AddressU, V, W         string // repeat, clamp_to_edge, …
	BorderColor            string
	MinLOD, MaxLOD         float64
	Unnormalized, Compares bool
	CompareOp              string
}
