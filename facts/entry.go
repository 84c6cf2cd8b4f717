package facts

import (
	"cmp"
	"slices"

	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// EntryPoint is an OpEntryPoint with its execution modes.
type EntryPoint struct {
	Index     int      // its instruction
	ID        spirv.ID // the function's id
	Model     spirv.ExecutionModel
	Name      string
	Interface []spirv.ID // ids of variables, in order of the instruction
	Func      *Function  // nil if it is missing
	Condition spirv.ID   // a constant, for an OpConditionalEntryPointINTEL; 0 without one

	// Modes are the execution modes of the function, in order. Entry points of
	// one function share the slice.
	Modes []Mode

	// LocalSize is the size of a workgroup in invocations, if HasLocalSize. The
	// constant decorated WorkgroupSize has precedence over LocalSizeId, and
	// LocalSizeId over LocalSize.
	LocalSize    [3]uint32
	HasLocalSize bool
}

// Mode is one execution mode.
type Mode struct {
	Kind     spirv.ExecutionMode
	Index    int      // its instruction
	Operands []uint32 // the words after the mode
	IDs      bool     // Operands are ids (OpExecutionModeId)
	target   int32
}

// Mode returns the entry point's mode of a kind, the first if there are several;
// false if there is none.
func (e *EntryPoint) Mode(kind spirv.ExecutionMode) (Mode, bool) {
	for _, m := range e.Modes {
		if m.Kind == kind {
			return m, true
		}
	}
	return Mode{}, false
}

// HasMode reports whether the entry point has a mode.
func (e *EntryPoint) HasMode(kind spirv.ExecutionMode) bool {
	_, ok := e.Mode(kind)
	return ok
}

// EntryPoint returns the entry point with a name and an execution model; nil if
// there is none.
func (m *Module) EntryPoint(name string, model spirv.ExecutionModel) *EntryPoint {
	for i := range m.EntryPoints {
		if e := &m.EntryPoints[i]; e.Name == name && e.Model == model {
			return e
		}
	}
	return nil
}

// entryPoints fills in the entry points and their modes.
func (g *gatherer) entryPoints() {
	g.modes = slices.Grow(g.modes, len(g.mode))
	for _, n := range g.mode {
		in := g.Code.Inst(int(n))
		v := inst.ExecutionMode(in)
		g.modes = append(g.modes, Mode{
			v.Mode(), int(n), v.ModeWords(), in.Op() == spirv.OpExecutionModeId, int32(g.Def(v.EntryPoint())),
		})
	}
	slices.SortFunc(g.modes, func(x, y Mode) int {
		return cmp.Or(cmp.Compare(x.target, y.target), cmp.Compare(x.Index, y.Index))
	})
	all, decorated := g.workgroupSize()
	type size struct {
		local [3]uint32
		ok    bool
	}
	var sizes map[int]size // by function, so that each size is computed once
	if len(g.entry) > 1 {
		sizes = map[int]size{}
	}
	g.EntryPoints = zeros(g.EntryPoints, len(g.entry))
	for i, n := range g.entry {
		v, condition := entryPointAt(g.Code.Inst(int(n)))
		e := &g.EntryPoints[i]
		*e = EntryPoint{
			Index: int(n), ID: v.EntryPoint(), Model: v.ExecutionModel(), Name: v.Name(),
			Interface: v.Interface(), Func: g.Function(v.EntryPoint()), Condition: condition,
		}
		target := g.Def(e.ID)
		e.Modes = g.modesOf(int32(target))
		if decorated {
			e.LocalSize, e.HasLocalSize = all, true
			continue
		}
		s, ok := sizes[target]
		if !ok {
			s.local, s.ok = g.localSize(e)
			if sizes != nil {
				sizes[target] = s
			}
		}
		e.LocalSize, e.HasLocalSize = s.local, s.ok
	}
}

// entryPointAt decodes an entry point. The operands of OpConditionalEntryPointINTEL are
// its condition and then those of OpEntryPoint.
func entryPointAt(in spirv.Inst) (v inst.EntryPoint, condition spirv.ID) {
	if in.Op() == spirv.OpConditionalEntryPointINTEL {
		return inst.EntryPoint(in[1:]), inst.ConditionalEntryPointINTEL(in).Condition()
	}
	return inst.EntryPoint(in), 0
}

// modesOf returns the modes of the function that an instruction defines.
func (g *gatherer) modesOf(target int32) []Mode {
	if target < 0 {
		return nil
	}
	by := func(m Mode, t int32) int { return cmp.Compare(m.target, t) }
	a, _ := slices.BinarySearchFunc(g.modes, target, by)
	b, _ := slices.BinarySearchFunc(g.modes, target+1, by)
	return g.modes[a:b:b]
}

// workgroupSize returns the value of the constant decorated BuiltIn
// WorkgroupSize. It overrides every mode (SPIR-V §3.2.21, WorkgroupSize).
func (g *gatherer) workgroupSize() (size [3]uint32, ok bool) {
	if !g.Decorates(spirv.DecorationBuiltIn) {
		return size, false
	}
	for _, d := range g.decor.list {
		if d.Kind != spirv.DecorationBuiltIn || d.kind == grouped || d.member >= 0 ||
			spirv.BuiltIn(d.Literal()) != spirv.BuiltInWorkgroupSize || g.fact[d.target].kind() != constFact {
			continue
		}
		c := &g.Consts[g.fact[d.target]>>factBits]
		if size, ok = g.three(c.Elem(0), c.Elem(1), c.Elem(2)); ok {
			return size, true
		}
	}
	return size, false
}

// three returns the values of three integer constants; false if one is not known.
func (g *gatherer) three(list ...*Const) (size [3]uint32, ok bool) {
	for i, c := range list {
		n, ok := c.Int()
		if !ok {
			return [3]uint32{}, false
		}
		size[i] = uint32(n)
	}
	return size, true
}

// localSize returns the size of the workgroup from the modes.
func (g *gatherer) localSize(e *EntryPoint) ([3]uint32, bool) {
	if m, ok := e.Mode(spirv.ExecutionModeLocalSizeId); ok && len(m.Operands) == 3 {
		ids := spirv.IDs(m.Operands)
		if size, ok := g.three(g.Const(ids[0]), g.Const(ids[1]), g.Const(ids[2])); ok {
			return size, true
		}
	}
	if m, ok := e.Mode(spirv.ExecutionModeLocalSize); ok && len(m.Operands) == 3 {
		return [3]uint32(m.Operands), true
	}
	return [3]uint32{}, false
}
