package iface

import (
	"cmp"
	"iter"
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/valid"
)

// Entry is the interface of an entry point. Lists are in order of Location, of
// set and binding, of SpecId; elements without these are in order of declaration.
type Entry struct {
	Name  string               `json:"name"`
	Model spirv.ExecutionModel `json:"executionModel"`

	Inputs        []Variable `json:"inputs"`
	Outputs       []Variable `json:"outputs"`
	BuiltIns      []BuiltIn  `json:"builtIns"`
	Resources     []Resource `json:"resources"`
	PushConstants []Push     `json:"pushConstants"`
	Constants     []Constant `json:"specializationConstants"`
	Payloads      []Payload  `json:"payloads,omitempty"`

	// Workgroup is the size of a workgroup in invocations; nil if the
	// execution model has none.
	Workgroup *Workgroup `json:"workgroup,omitempty"`

	Modes []Mode `json:"executionModes,omitempty"`

	// SharedMemory is how many bytes of workgroup memory the entry point uses,
	// as maxComputeSharedMemorySize counts them: in std430, with padding.
	SharedMemory uint64 `json:"sharedMemory,omitempty"`

	// Capabilities and Extensions are the module's.
	Capabilities []spirv.Capability `json:"capabilities"`
	Extensions   []string           `json:"extensions"`

	// Sources are the names of the source files by OpSource.
	Sources []string `json:"sources,omitempty"`

	// Incomplete is set if the lists end early, because all entry points together would list more than
	// 2,097,152 variables, members and constants.
	Incomplete bool `json:"incomplete,omitempty"`

	ID spirv.ID `json:"-"`
}

// Push is a block of push constants.
type Push struct {
	Name string `json:"name"`
	Bank uint32 `json:"bank,omitempty"` // BankNV
	Used bool   `json:"used"`
	Block

	ID   spirv.ID `json:"-"`
	Inst int      `json:"-"`
}

// Payload is a variable that goes from shader to shader: of a ray, a call, a
// hit, or from a task shader to its mesh shaders.
type Payload struct {
	Name     string             `json:"name"`
	Class    spirv.StorageClass `json:"storageClass"`
	Location uint32             `json:"location,omitempty"`
	Type     Type               `json:"type"`
	Members  []Member           `json:"members,omitempty"`
	Used     bool               `json:"used"`

	ID   spirv.ID `json:"-"`
	Inst int      `json:"-"`
}

// Workgroup is the size of a workgroup.
type Workgroup struct {
	Size [3]uint32 `json:"size"`

	// SpecIDs are the specialization constants of the dimensions, nil if a
	// dimension is fixed.
	SpecIDs [3]*uint32 `json:"specIds"`
}

// Mode is an execution mode with its operands, which are values, not ids.
type Mode struct {
	Mode     spirv.ExecutionMode `json:"mode"`
	Operands []uint32            `json:"operands,omitempty"`
}

// maxListed bounds the listed variables, members and constants of all entry points of one Reflect. n entry points
// list the same n resources, so their number is quadratic in the size of the module.
const maxListed = 1 << 21

// Reflect describes every entry point of a module, in order of declaration.
// facts.Gather applies the specialization: results that depend on it have the
// values given there.
func Reflect(m *valid.Module) []*Entry { return ReflectReading(m, facts.ReadingDefault) }

// ReflectReading is Reflect with the static use that a reading of the text defines.
func ReflectReading(m *valid.Module, r facts.Reading) []*Entry {
	out := make([]*Entry, 0, len(m.Facts().EntryPoints))
	left := maxListed
	for e := range entries(m, r, func() *int { return &left }) {
		out = append(out, e)
	}
	return out
}

// Entries yields the entry points of ReflectReading one by one. The bound of Entry.Incomplete is then of each one.
func Entries(m *valid.Module, r facts.Reading) iter.Seq[*Entry] {
	return entries(m, r, func() *int { left := maxListed; return &left })
}

// entries yields the entry points; left returns the number of elements that an entry point may list.
func entries(m *valid.Module, r facts.Reading, left func() *int) iter.Seq[*Entry] {
	return func(yield func(*Entry) bool) {
		f := m.Facts()
		u := gatherUses(f, r)
		// All entry points share one copy of the lists of the module.
		capabilities, extensions := slices.Clip(append([]spirv.Capability{}, f.Capabilities...)), slices.Clip(append([]string{}, f.Extensions...))
		for i := range f.EntryPoints {
			e := entry(f, &f.EntryPoints[i], u, left())
			e.Capabilities, e.Extensions = capabilities, extensions
			if !yield(e) {
				return
			}
		}
	}
}

// entry describes one entry point, with at most *left elements of lists and a last one of any size, and subtracts them.
func entry(m *facts.Module, p *facts.EntryPoint, u *uses, left *int) *Entry {
	e := &Entry{
		Name: p.Name, Model: p.Model, ID: p.ID,
		Inputs: []Variable{}, Outputs: []Variable{}, BuiltIns: []BuiltIn{}, Resources: []Resource{}, PushConstants: []Push{}, Constants: []Constant{},
	}
	var tree []*facts.Function
	var globals []*facts.Variable
	if p.Func != nil {
		tree, globals = m.CallTree(p), m.Globals(p)
	}
	used := map[*facts.Variable]bool{}
	for _, v := range globals {
		used[v] = true
	}
	listed := map[spirv.ID]bool{}
	for _, id := range p.Interface {
		listed[id] = true
	}
	static := map[*facts.Variable]bool{}
	for _, v := range u.static.Of(p) {
		static[v] = true
	}
	uses := u.variables(tree)
	for _, v := range u.shown {
		if *left <= 0 {
			e.Incomplete = true
			break
		}
		e.variable(m, v, used[v], listed[v.ID], static[v], uses, left)
	}
	e.SharedMemory = m.SharedBytes(globals, spirv.StorageClassWorkgroup)
	if *left < len(u.specialized) {
		e.Incomplete = true
	}
	e.constants(m, u.specialized[:min(max(*left, 0), len(u.specialized))], u.constants(p, tree, globals))
	*left -= len(e.Constants)
	e.modes(m, p, u.sizes)
	e.Sources = slices.Clip(u.sources)
	e.sort()
	return e
}

// variable adds a variable of module scope to the list of its kind. It is used if an
// instruction of the call tree names it; static is its static use, which also depends
// on the interface and on the reading.
func (e *Entry) variable(m *facts.Module, v *facts.Variable, used, listed, static bool, uses map[*facts.Variable]*used, left *int) {
	before := len(e.Inputs) + len(e.Outputs) + len(e.BuiltIns)
	defer func() { *left -= len(e.Inputs) + len(e.Outputs) + len(e.BuiltIns) - before }()
	switch v.Storage {
	case spirv.StorageClassInput, spirv.StorageClassOutput:
		var members []bool
		if used {
			members = membersOf(uses, v)
		}
		if listed || used {
			e.stage(m, v, used, members)
		}
	case spirv.StorageClassUniform, spirv.StorageClassStorageBuffer, spirv.StorageClassUniformConstant, spirv.StorageClassTileAttachmentQCOM:
		var members []bool
		if used {
			members = membersOf(uses, v)
		} else if s := blockOfAny(v.Type); s != nil {
			members = make([]bool, len(s.Members))
		}
		*left -= e.resource(m, v, static, members)
	case spirv.StorageClassPushConstant:
		s := blockOfAny(v.Type)
		if s == nil {
			return
		}
		members := make([]bool, len(s.Members))
		if used {
			members = membersOf(uses, v)
		}
		bank, _ := decorations{m, v.ID, -1}.literal(spirv.DecorationBankNV)
		e.PushConstants = append(e.PushConstants, Push{nameOf(m, v.ID), bank, static, *blockAt(m, s, members), v.ID, v.Index})
		*left -= 1 + count(e.PushConstants[len(e.PushConstants)-1].Members)
	default:
		*left -= e.payload(m, v, used, listed)
	}
}

// count returns the number of members, nested ones included.
func count(list []Member) int {
	n := len(list)
	for k := range list {
		n += count(list[k].Members)
	}
	return n
}

// payload adds a variable that other shaders share. It returns the number of listed elements.
func (e *Entry) payload(m *facts.Module, v *facts.Variable, used, listed bool) int {
	switch v.Storage {
	case spirv.StorageClassRayPayloadKHR, spirv.StorageClassIncomingRayPayloadKHR, spirv.StorageClassCallableDataKHR,
		spirv.StorageClassIncomingCallableDataKHR, spirv.StorageClassHitAttributeKHR, spirv.StorageClassShaderRecordBufferKHR,
		spirv.StorageClassTaskPayloadWorkgroupEXT, spirv.StorageClassHitObjectAttributeNV:
	default:
		return 0
	}
	if !used && !listed {
		return 0
	}
	p := Payload{Name: nameOf(m, v.ID), Class: v.Storage, Type: typeOf(m, v.Type), Used: used, ID: v.ID, Inst: v.Index}
	p.Location, _ = decorations{m, v.ID, -1}.literal(spirv.DecorationLocation)
	if s := blockOfAny(v.Type); s != nil {
		p.Members = layoutOf(m, s, nil)
	}
	e.Payloads = append(e.Payloads, p)
	return 1 + count(p.Members)
}

// modes adds the execution modes and the size of workgroups.
func (e *Entry) modes(m *facts.Module, p *facts.EntryPoint, sizes []*facts.Const) {
	for _, k := range p.Modes {
		mode := Mode{Mode: k.Kind, Operands: k.Operands}
		if k.IDs {
			mode.Operands = make([]uint32, len(k.Operands))
			for i, id := range k.Operands {
				if c := m.Const(spirv.ID(id)); c != nil {
					mode.Operands[i] = uint32(c.Bits)
				}
			}
		}
		e.Modes = append(e.Modes, mode)
	}
	if p.HasLocalSize {
		e.Workgroup = &Workgroup{Size: p.LocalSize, SpecIDs: sizeConstants(m, p, sizes)}
	}
}

// sizeConstants returns which specialization constants say the size of a
// workgroup: the parts of the constant decorated WorkgroupSize, else the
// operands of LocalSizeId.
func sizeConstants(m *facts.Module, p *facts.EntryPoint, sizes []*facts.Const) (out [3]*uint32) {
	put := func(i int, k *facts.Const) {
		if k != nil && k.HasSpecID && i < 3 {
			id := k.SpecID
			out[i] = &id
		}
	}
	if len(sizes) > 0 {
		k := sizes[0]
		for n := range min(len(k.Elems), 3) {
			put(n, k.Elem(n))
		}
		return out
	}
	if mode, ok := p.Mode(spirv.ExecutionModeLocalSizeId); ok {
		for n, id := range mode.Operands {
			put(n, m.Const(spirv.ID(id)))
		}
	}
	return out
}

// sort puts the lists in their order.
func (e *Entry) sort() {
	byLocation := func(x, y Variable) int {
		return cmp.Or(cmp.Compare(x.Location, y.Location), cmp.Compare(x.Component, y.Component))
	}
	slices.SortStableFunc(e.Inputs, byLocation)
	slices.SortStableFunc(e.Outputs, byLocation)
	slices.SortStableFunc(e.Resources, func(x, y Resource) int {
		return cmp.Or(cmp.Compare(x.Set, y.Set), cmp.Compare(x.Binding, y.Binding))
	})
	slices.SortStableFunc(e.Constants, func(x, y Constant) int { return cmp.Compare(x.SpecID, y.SpecID) })
}
