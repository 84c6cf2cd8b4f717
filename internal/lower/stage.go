package lower

import (
	"fmt"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/valid"
)

// Options configure the lowering. The zero Options are the defaults.
type Options struct {
	// SubgroupSize is the number of lanes of a subgroup, a power of two from 1
	// to 128; 0 is 16. Quads (fragments, derivatives, quad operations) need 4.
	SubgroupSize uint32

	// FullSubgroups requires that every invocation of every subgroup exists: the
	// width of the workgroup must be a multiple of SubgroupSize
	// (VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT,
	// VUID-VkPipelineShaderStageCreateInfo-pNext-02757 and -flags-02759).
	FullSubgroups bool

	// VaryingSubgroups allows any subgroup size
	// (VK_PIPELINE_SHADER_STAGE_CREATE_ALLOW_VARYING_SUBGROUP_SIZE_BIT);
	// SubgroupSize is the chosen one. With FullSubgroups the width of the workgroup
	// must then be a multiple of MaxSubgroup
	// (VUID-VkPipelineShaderStageCreateInfo-flags-02758).
	VaryingSubgroups bool

	// Contract fuses an OpFAdd or OpFSub with an OpFMul operand, the left one first,
	// into one fused multiply-add, unless either is decorated NoContraction.
	Contract bool

	// KillDemotes makes OpKill demote the invocation to a helper invocation, as drivers may; see killDemotes.
	KillDemotes bool

	// CoarseDerivatives makes OpDPdx, OpDPdy, OpFwidth and their coarse forms the differences of the
	// first row and column of the quad for all of its lanes (Vulkan §"Derivative Operations"); fine forms
	// stay fine. Not set, all forms are fine.
	CoarseDerivatives bool

	// ViewIndexFromDevice makes the built-in ViewIndex the index of the device
	// (VK_PIPELINE_CREATE_VIEW_INDEX_FROM_DEVICE_INDEX_BIT).
	ViewIndexFromDevice bool

	// Index64 makes offsets in buffers numbers of 64 bits, as the execution mode Shader64BitIndexingEXT does
	// (VK_PIPELINE_CREATE_2_64_BIT_INDEXING_BIT_EXT).
	Index64 bool

	// Sanitize makes the program report what the sanitizers find.
	Sanitize ir.Sanitizers

	// Descriptors is the place of the descriptors of bindings. The sanitizer bounds reports those in memory that are not valid.
	Descriptors DescriptorPlace

	// Records are the mappings of a stage with Descriptors InHeaps; nil if none is by the shader record. The descriptors of a variable
	// that is by the record are those of the heap, and only an embedded sampler is left at its binding.
	Records []RecordMapping

	// FollowMemory makes ir.SanitizeUninit follow the bytes of buffers and the texels of images, about which the run knows whether
	// something has written them, and ir.SanitizeRace log the reads of modules that write nothing.
	FollowMemory bool

	// SignedRemainder defines OpSRem and OpSMod of negative operands (the feature maintenance8).
	SignedRemainder bool

	// Profile makes the program count the executions of the blocks of its module; see Counters.
	Profile bool

	// Symbols, not nil, receives the places of the module's values. The program is then to run without passes.
	Symbols *Symbols

	// MaxValues limits the number of values of the program; 0 is 4 million.
	MaxValues int

	// Stop, if not nil, is polled; Stage returns its error as soon as it is not nil.
	Stop func() error

	looped bool // for tests: all products and tensor accesses of cooperative matrices are loops
}

// DescriptorPlace tells where the descriptors of bindings are.
type DescriptorPlace uint8

// The places of descriptors.
const (
	InSets          DescriptorPlace = iota
	InBuffers                       // descriptor buffers of a pipeline
	InObjectBuffers                 // descriptor buffers of a shader object
	InHeaps                         // descriptor heaps, by mappings
)

// maxUnrolled returns the number of multiplications beyond which a product of
// cooperative matrices is a loop.
func (o *Options) maxUnrolled() uint64 {
	if o.looped {
		return 0
	}
	return maxProduct
}

// The sizes of subgroups (minSubgroupSize, maxSubgroupSize), in lanes. A workgroup
// may consist of any number of subgroups (maxComputeWorkgroupSubgroups).
// DefaultSubgroup applies to programs that request no size (subgroupSize). Sizes from
// LeastSubgroup on work, too, for shaders without quads: they find shaders that rely on
// wider subgroups. They are not announced, since every stage must support minSubgroupSize.
const (
	LeastSubgroup   = 1
	MinSubgroup     = 4
	MaxSubgroup     = 128
	DefaultSubgroup = 16
)

const (
	defaultMaxValues = 1 << 22
	maxLeaves        = 1 << 16 // scalars of one value
	maxDepth         = 255     // nesting of a type (SPIR-V §2.17, structure nesting depth)
	maxPrivate       = 1 << 22 // slots of private memory
	maxNesting       = 1 << 16 // open regions; a case of a switch is one, and SPIR-V §2.17 permits 16,383 cases
	maxParts         = 1 << 25 // scalars of all values, copies included
)

// Stage lowers an entry point. The error is an *Unsupported or a *Malformed. A
// module with materialized pointers to matrices of several layouts is lowered
// twice: the first traversal collects the layouts (see needsAnotherPass). So is a
// program that is too large with shadows (see maxShadowed).
func Stage(m *valid.Module, entry *facts.EntryPoint, o Options) (p *ir.Program, err error) {
	if o.SubgroupSize == 0 {
		o.SubgroupSize = DefaultSubgroup
	}
	if o.MaxValues == 0 {
		o.MaxValues = defaultMaxValues
	}
	defer catch(&err)
	travel := map[pointerKind]*layoutSet{}
	unshadowed, copying := false, false
	for {
		if o.Symbols != nil {
			*o.Symbols = Symbols{}
		}
		u := newUnit(m.Facts(), entry, o)
		u.layouts, u.unshadowed, u.copying = travel, unshadowed, copying
		u.program()
		more := u.needsAnotherPass()
		if u.copying && !copying {
			copying, more = true, true
		}
		if len(u.shadows) > 0 && u.prog.PrivateSlots() > maxShadowed {
			unshadowed, more = true, true
		}
		if !more {
			return u.prog, nil
		}
	}
}

func newUnit(m *facts.Module, entry *facts.EntryPoint, o Options) *unit {
	return &unit{
		facts:    m,
		options:  o,
		entry:    entry,
		at:       -1,
		flats:    map[*facts.Type][]ir.Type{},
		extents:  map[*facts.Type]extent{},
		reaches:  map[*facts.Type]uint64{},
		globals:  map[spirv.ID]*pointer{},
		numbers:  map[*facts.Function]int{},
		away:     map[*facts.Type]bool{},
		nullBits: map[*facts.Type][]uint64{},
		inputs:   map[ir.Input]uint64{},
		outputs:  map[ir.Output]uint64{},
		tabled:   map[*facts.Const]uint64{},
		images:   map[uint64][]*facts.Type{},
		defined:  make([]slot, m.Code.Len()),
	}
}

// unit is the state of one entry point, which its functions share.
type unit struct {
	facts   *facts.Module
	options Options
	entry   *facts.EntryPoint
	prog    *ir.Program
	at      int // index of the current instruction; −1 outside of any

	defined  []slot // by the index of the defining instruction
	flats    map[*facts.Type][]ir.Type
	extents  map[*facts.Type]extent
	reaches  map[*facts.Type]uint64 // of structures
	away     map[*facts.Type]bool   // the null value has a nonzero scalar
	nullBits map[*facts.Type][]uint64
	globals  map[spirv.ID]*pointer // the variables of module scope
	located  map[located]int       // see locatedAddress; nil before
	numbers  map[*facts.Function]int
	// functions counts the functions; variants are lowered after the others.
	functions int
	variants  []variant

	tiles    uint64                   // bit set of the locations of tile images
	images   map[uint64][]*facts.Type // by resource: the image types that the module binds to it
	textures ir.TextureList

	inputs   map[ir.Input]uint64        // index in Program.In
	outputs  map[ir.Output]uint64       // index in Program.Out
	handed   []*ioVariable              // the outputs that are private variables, in order
	passing  bool                       // a geometry shader with PassthroughNV inputs
	passed   []ioScalar                 // the passed scalars of its vertices
	tabled   map[*facts.Const]uint64    // index in Program.Tables
	layouts  map[pointerKind]*layoutSet // matrix layouts of materialized pointers
	lists    [numLists]uint64           // 1 + the variables of looped products and tensor accesses; 0 is none
	clocked  uint64                     // 1 + the variable that counts clock readings; 0 is none
	checks   map[messageOf]uint64       // the messages of Options.Sanitize
	guards   map[branch]bool            // the branches of checks
	traced   map[tracedAt]uint64        // the messages of SanitizeRace
	paths    paths                      // of SanitizeUniform
	lost     bool                       // there were too many
	alone    *bool                      // see racesAlone; nil before
	shares   sharing                    // see findShares
	counters *Counters                  // of Options.Profile; nil before they are needed
	large    map[*facts.Type]bool       // whether values of the type are in memory
	matching map[[2]*facts.Type]bool    // whether two structures match
	passings map[passing]*pointer       // the memory of parameters and results
	// forwarded are the parameters in the memory of their arguments; copying forbids them.
	forwarded map[passing]bool
	copying   bool
	calls     map[*facts.Function]int // the number of calls of each function; nil before it is needed
	shadows   map[uint64]shadow       // by output in private memory
	followed  map[uint64]*source      // by variable in private memory: see followUndefined
	counts    uint64                  // 1 + the variable of meshCounts; 0 for none
	undefs    map[spirv.ID]uint64     // the variables that undefined values are loaded from
	// unshadowed is a program without shadows, which would have too much private memory.
	unshadowed bool
	null       uint64 // 1 + the empty table; 0 is none

	structures []uint64                 // the resources of acceleration structures
	ray        uint64                   // 1 + the variable that is the frame of traced rays; 0 is none
	deciders   map[*facts.Function]bool // whether a function may end the any-hit shader

	payload  uint64          // task: offset of the payload in workgroup memory
	nodeWord uint64          // node: offset of a word in workgroup memory that tells all invocations a result of the first one
	sends    []ir.NodeOutput // node: see nodeOutputs
	private  uint64          // private slots of all variables
	shared   uint64          // bytes of workgroup memory that variables occupy
	polls    int             // instructions since the start, for Options.Stop
	values   int             // IR values of finished functions
	parts    int             // scalars of all values of the module, copies included
	heaped   uint64          // 1 + the resource that is the descriptor heap; 0 is none
	objects  bool            // a variable is an object, or an array of objects, of a binding
	banked   bool            // there are several banks of push constants
	explicit bool            // decorations lay out workgroup memory
	quads    bool            // lanes are numbered quad by quad
	bound    int             // bits of a descriptor's index in bound addresses; 0 if there are none
	anywhere bool            // pointers to buffers are addresses as values: see findRecordPointers
	float    floatModes
}

// program lowers all functions of the entry point.
func (u *unit) program() {
	if u.entry == nil || u.entry.Func == nil || len(u.entry.Func.Blocks) == 0 {
		u.malformed("the entry point has no function with a body")
	}
	u.deviceConstants()
	u.at = u.entry.Index
	stage, ok := graphics[u.entry.Model]
	if !ok {
		stage, ok = rayStages[u.entry.Model]
	}
	if !ok && u.entry.Model != spirv.ExecutionModelGLCompute && !u.ofClusters() {
		u.unsupported("%s", u.entry.Model)
	}
	u.prog = &ir.Program{Name: u.entry.Name, Stage: stage, SubgroupSize: u.options.SubgroupSize, LocalSize: [3]uint32{1, 1, 1}, Observed: u.options.Symbols != nil}
	if stage == ir.Fragment {
		u.requireQuads("a fragment shader")
	}
	if hasWorkgroups(stage) {
		u.prog.LocalSize = u.localSize()
	}
	if stage != ir.Compute {
		u.stageModes()
		u.findCaptures()
	}
	u.tileModes()
	u.readFloatModes()
	u.quadOrder()
	u.moduleVariables()
	u.findPassthrough()
	tree := u.facts.CallTree(u.entry)
	for i, f := range tree {
		u.numbers[f] = i
	}
	u.functions = len(tree)
	u.findBoundAddresses(tree)
	u.findRecordPointers(tree)
	for i, f := range tree {
		u.prog.Funcs = append(u.prog.Funcs, u.function(f, i, nil))
	}
	for i := 0; i < len(u.variants); i++ { // which may grow
		u.prog.Funcs = append(u.prog.Funcs, u.function(u.variants[i].fn, u.variants[i].number, &u.variants[i]))
	}
	u.at = -1
	u.passPrimitiveID()
	u.insertOutputs()
	u.markChecked()
	u.followUndefined()
	u.prog.StateEffects()
	u.appendTextures()
	Canonicalize(u.prog)
	if err := u.prog.Verify(); err != nil {
		u.malformed("%v", fmt.Errorf("lowering made an invalid program: %w", err))
	}
}

// localSize returns the size of the workgroup.
func (u *unit) localSize() [3]uint32 {
	s := u.entry.LocalSize
	tiles, ofTiles := u.tileLocalSize()
	switch {
	case ofTiles:
		return tiles
	case !u.entry.HasLocalSize:
		u.malformed("the entry point declares no workgroup size")
	}
	n := uint64(1)
	for _, x := range s {
		n *= uint64(x)
		if n == 0 || n > 1<<16 {
			u.malformed("the workgroup has %d×%d×%d invocations; must have 1 to 65536", s[0], s[1], s[2])
		}
	}
	of := u.options.SubgroupSize
	if u.options.VaryingSubgroups {
		of = MaxSubgroup
	}
	if u.options.FullSubgroups && s[0]%of != 0 {
		u.malformed("the workgroup is %d wide; must be a multiple of the subgroup size %d if full subgroups are required", s[0], of)
	}
	return s
}
