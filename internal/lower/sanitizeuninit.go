package lower

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// With SanitizeUninit a program follows undefined values, as MemorySanitizer does (Stepanov and Serebryany 2015): those of
// Function and Private variables, and of outputs that the shader reads, before the invocation stores to them, of workgroup memory
// before any invocation does, and of OpUndef. Each scalar that may be undefined has a shadow, a boolean that is 1 if it is, and each variable that
// may contain one has a shadow variable. Operations combine the shadows of their operands. A report is where the value matters: at a branch, an address, a store to memory that others
// read, an output. A copy alone has none.
//
// A forward data-flow fixed point over all functions finds the values that may be undefined; no other value has a shadow. The
// passes remove the shadows that are constant.

var (
	undefinedVariable = finding{ir.SanitizeUninit, "a Function or Private variable without initializer"}
	undefinedOutput   = finding{ir.SanitizeUninit, "an output that an invocation did not store to"}
	undefinedValue    = finding{ir.SanitizeUninit, "OpUndef"}
	undefinedPayload  = finding{ir.SanitizeUninit, "a payload, callable data or hit attributes without a store"}
)

// The limits of a variable that is followed, and of a program.
const maxFollowedSlots, maxFollowedValues = 256, 1 << 18

// source is the origin of an undefined value; nil is a defined value.
type source struct {
	rule  finding
	names []string // in order
}

// maxNamed is the number of sources that a report names.
const maxNamed = 3

// several replaces more sources than a report names.
var several = &source{undefinedVariable, []string{"several variables"}}

// severalStored replaces more inputs than a report names.
var severalStored = &source{undefinedOutput, []string{"several inputs"}}

// text describes the source.
func (s *source) text() string { return strings.Join(s.names, " or ") + ", without a value" }

// joined returns the source of a value of two sources.
func (w *follower) joined(a, b *source) *source {
	switch {
	case a == nil || a == b || b == several:
		return b
	case b == nil || a == several:
		return a
	case ofBuffers(a) && ofBuffers(b) && (a == severalBuffers || b == severalBuffers):
		return severalBuffers
	case a == severalStored && b.rule == undefinedOutput || b == severalStored && a.rule == undefinedOutput:
		return severalStored
	}
	names := slices.Compact(slices.Sorted(slices.Values(slices.Concat(a.names, b.names))))
	switch {
	case len(names) <= maxNamed:
	case ofBuffers(a) && ofBuffers(b):
		return severalBuffers
	case a.rule == undefinedOutput && b.rule == undefinedOutput:
		return severalStored
	default:
		return several
	}
	key := strings.Join(names, "\n")
	if w.sets[key] == nil {
		rule := a.rule
		if ofBuffers(a) || !ofBuffers(b) && b.rule.rule < rule.rule {
			rule = b.rule
		}
		w.sets[key] = &source{rule, names}
	}
	return w.sets[key]
}

// followVariable marks a variable as undefined until it is stored to.
func (u *unit) followVariable(number, slots uint64, name string, output bool) {
	if !u.sanitizes(ir.SanitizeUninit) || slots > maxFollowedSlots {
		return
	}
	if u.followed == nil {
		u.followed = map[uint64]*source{}
	}
	rule := undefinedVariable
	if output {
		rule = undefinedOutput
	}
	u.followed[number] = &source{rule, []string{escaped(name)}}
}

// undefined returns the scalars of a constant with undefined ones: loads of a variable to which nothing is ever stored, so that they
// are 0. It returns nil for a constant that is not followed.
func (f *function) undefined(id spirv.ID) []ir.V {
	c := f.facts.Const(id)
	if !f.followsUndefined(c) {
		return nil
	}
	return f.appendUndefined(nil, c, c.Type)
}

// followsUndefined reports whether a constant has undefined scalars that the program follows.
func (f *function) followsUndefined(c *facts.Const) bool {
	if c == nil || !c.Known || c.Type == nil || !f.sanitizes(ir.SanitizeUninit) || f.inMemory(c.Type) || c.Type.Leaves == 0 || c.Type.Leaves > maxFollowedSlots || !hasUndefined(c) {
		return false
	}
	for _, t := range f.flat(c.Type) {
		if t == ir.H || t == ir.None {
			return false
		}
	}
	return !c.Type.IsPointer() && !isObject(innermost(c.Type)) && !isTile(c.Type) && !isTensor(c.Type)
}

// hasUndefined reports whether a scalar of a constant is undefined. Parts without scalars do not count: constants that are parts of
// several others, level by level, may have exponentially many.
func hasUndefined(c *facts.Const) bool {
	if c == nil || c.Type != nil && c.Type.Leaves == 0 {
		return false
	}
	return c.Undef || slices.ContainsFunc(c.Elems, hasUndefined)
}

// appendUndefined appends the scalars of a constant, those that are undefined as loads.
func (f *function) appendUndefined(parts []ir.V, c *facts.Const, t *facts.Type) []ir.V {
	switch {
	case !hasUndefined(c):
		return f.appendConst(parts, c, t)
	case c.Undef:
		n := f.undefinedVariable(c.ID)
		for _, t := range f.flat(t) {
			parts = append(parts, f.b.OpAux(ir.PLd, t, n, f.b.I32(0)))
		}
		return parts
	}
	for i := range t.Parts() {
		e := c.Elems[0]
		if !c.Replicate {
			if i >= uint64(len(c.Elems)) {
				f.malformed("the constant lacks a constituent")
			}
			e = c.Elems[i]
		}
		parts = f.appendUndefined(parts, e, t.Part(i))
	}
	return parts
}

// undefinedVariable returns the variable without a store for an OpUndef; 0 for a part of an evaluated constant.
func (f *function) undefinedVariable(id spirv.ID) uint64 {
	n, ok := f.undefs[id]
	if ok {
		return n
	}
	if f.undefs == nil {
		f.undefs = map[spirv.ID]uint64{}
	}
	n = uint64(len(f.prog.Vars))
	f.undefs[id] = n
	f.prog.Vars = append(f.prog.Vars, ir.Var{Name: "undefined", Slots: 2, Func: -1})
	f.followVariable(n, 2, "", false)
	text := "OpUndef"
	if id != 0 {
		text = fmt.Sprintf("OpUndef %%%%%d", id)
	}
	f.followed[n] = &source{undefinedValue, []string{text}}
	return n
}

// follower is the state of the instrumentation.
type follower struct {
	*unit
	of        []*source   // by variable: undefined values that it may contain
	exposed   []bool      // by variable: its address is taken
	stored    *source     // undefined values that may be stored through an address
	vals      [][]*source // by function and value
	args      [][]*source
	addresses [][]bool // by function and value: an address in private memory that an access uses
	changed   bool
	shadow    map[uint64]uint64  // by variable: its shadow
	stores    map[uint64][]noted // by variable: the instructions that may store undefined values
	sets      map[string]*source // of several sources, by their names
	shared    sharedShadow
	buffers   map[uint64]uint64 // see shadowBuffers
}

// followUndefined adds the shadows and the reports to the program, which has no texture functions yet.
func (u *unit) followUndefined() {
	n := 0
	for _, f := range u.prog.Funcs {
		n += len(f.Vals)
	}
	if n > maxFollowedValues || u.prog.PrivateSlots() > maxShadowed/2 {
		return
	}
	shared := u.shadowShared()
	buffers := u.shadowBuffers()
	passed := u.sanitizes(ir.SanitizeUninit) && (runsForRay(u.prog.Stage) || u.prog.Stage == ir.Callable) // what other shaders have not stored
	if len(u.followed) == 0 && !passed && shared.size == 0 && len(buffers) == 0 && !u.followsStored() && (len(u.textures.Heads) == 0 || !u.options.FollowMemory) {
		return
	}
	w := &follower{
		unit: u, shared: shared, buffers: buffers, of: make([]*source, len(u.prog.Vars)), exposed: make([]bool, len(u.prog.Vars)), shadow: map[uint64]uint64{}, stores: map[uint64][]noted{}, sets: map[string]*source{},
	}
	for i, f := range u.prog.Funcs {
		w.vals = append(w.vals, make([]*source, len(f.Vals)))
		w.args = append(w.args, make([]*source, len(f.Args)))
		w.addresses = append(w.addresses, make([]bool, len(f.Vals)))
		for _, v := range f.Code {
			switch x := f.Val(v); x.Op {
			case ir.PAddr:
				w.exposed[x.Aux] = true
			case ir.PLdI, ir.PStI:
				if u.prog.Stage.OfRays() {
					continue // the shadow of an address is a sum
				}
				w.addresses[i][x.Args[0]] = true
			}
		}
	}
	for number, s := range u.followed {
		w.of[number] = s
	}
	for w.changed = true; w.changed; {
		w.changed = false
		for i, f := range u.prog.Funcs {
			w.analyse(i, f)
		}
	}
	for number, s := range w.of {
		if s != nil && !w.sharesShadow(uint64(number)) {
			w.shadow[uint64(number)] = uint64(len(u.prog.Vars))
			v := u.prog.Vars[number]
			u.prog.Vars = append(u.prog.Vars, ir.Var{Name: "shadow", Slots: v.Slots, Func: v.Func})
		}
	}
	for i, f := range u.prog.Funcs {
		w.noteStores(i, f)
	}
	at := u.at
	for i, f := range u.prog.Funcs {
		w.instrument(i, f)
	}
	u.at = at
}

// noted is an instruction that may store undefined values, with their sources.
type noted struct {
	origin int32
	of     *source
}

// noteStores collects the instructions of a function that may store undefined values.
func (w *follower) noteStores(n int, f *ir.Func) {
	for _, v := range f.Code {
		if x := f.Val(v); x.Op == ir.PSt && w.vals[n][x.Args[1]] != nil {
			list, of := w.stores[x.Aux], w.vals[n][x.Args[1]]
			if i := slices.IndexFunc(list, func(s noted) bool { return s.origin == max(x.Origin, 1) }); i >= 0 {
				list[i].of = w.joined(list[i].of, of)
			} else {
				w.stores[x.Aux] = append(list, noted{max(x.Origin, 1), of})
			}
		}
	}
}

// note adds a source to a set of values.
func (w *follower) note(at **source, s *source) {
	if j := w.joined(*at, s); j != *at {
		*at, w.changed = j, true
	}
}

func (w *follower) noteAddress(at *bool, is bool) {
	if is && !*at {
		*at, w.changed = true, true
	}
}

// analyse traverses a function once.
func (w *follower) analyse(n int, f *ir.Func) {
	vals, addresses := w.vals[n], w.addresses[n]
	for i, a := range f.Args {
		w.note(&vals[a], w.args[n][i])
	}
	for _, v := range f.Code {
		x := f.Val(v)
		switch x.Op {
		case ir.Br, ir.Loop:
			label := v
			if x.Op == ir.Br {
				label = x.Args[0]
			}
			for i, a := range f.Listed(v) {
				p := f.Params(label)[i]
				w.note(&vals[p], vals[a])
				w.noteAddress(&addresses[a], addresses[p])
			}
		case ir.Call:
			w.analyseCall(n, f, v)
		case ir.Ld, ir.AtomXchg:
			if w.isShared(f, x) {
				w.note(&vals[v], undefinedShared)
			} else {
				w.note(&vals[v], w.bufferOf(f, x.Args[0]))
			}
		case ir.In, ir.InAt, ir.Interp, ir.OutGet:
			w.note(&vals[v], w.storedSource(x))
		case ir.PLd:
			w.note(&vals[v], w.of[x.Aux])
		case ir.PLdI:
			if w.prog.Stage.OfRays() {
				w.note(&vals[v], w.incoming(f, x.Args[0]))
				continue
			}
			for i, s := range w.of {
				if w.exposed[i] {
					w.note(&vals[v], s)
				}
			}
		case ir.PSt:
			if w.sharesShadow(x.Aux) && w.followed[x.Aux] == nil {
				break // a frame, a hit object or a large variable: it counts as defined
			}
			w.note(&w.of[x.Aux], vals[x.Args[1]])
		case ir.PStI:
			w.note(&w.stored, vals[x.Args[1]])
		case ir.At:
			w.noteAddress(&addresses[x.Args[0]], addresses[v])
		case ir.Select:
			w.noteAddress(&addresses[x.Args[1]], addresses[v])
			w.noteAddress(&addresses[x.Args[2]], addresses[v])
		}
		if propagates(x) {
			for i := range x.Op.Args() {
				w.note(&vals[v], vals[x.Args[i]])
			}
		}
	}
	if w.stored != nil && !w.prog.Stage.OfRays() {
		for i := range w.of {
			if w.exposed[i] {
				w.note(&w.of[i], w.stored)
			}
		}
	}
}

// propagates reports whether the result of an operation is undefined if an operand is.
func propagates(x *ir.Val) bool {
	switch x.Op {
	case ir.Elect, ir.Helper, ir.PAddr, ir.PLd, ir.PLdI, ir.Ld, ir.In, ir.InAt, ir.Interp, ir.OutGet, ir.Res:
		return false
	}
	return x.Op.HasResult() && x.Op.Family() != ir.Atomics && x.Op.Family() != ir.Rays && !x.Op.Is(ir.Control)
}

func (w *follower) analyseCall(n int, f *ir.Func, call ir.V) {
	k := f.Callee(call)
	if k >= ir.FirstTexture {
		s := w.texelsOf(&w.textures.Heads[k-ir.FirstTexture])
		for _, r := range f.CallResults(call) {
			w.note(&w.vals[n][r], s)
		}
		return
	}
	g := w.prog.Funcs[k]
	for i, a := range f.CallArgs(call) {
		w.note(&w.args[k][i], w.vals[n][a])
		w.noteAddress(&w.addresses[n][a], w.addresses[k][g.Args[i]])
	}
	for i, r := range f.CallResults(call) {
		w.note(&w.vals[n][r], w.vals[k][g.Results()[i]])
		w.noteAddress(&w.addresses[k][g.Results()[i]], w.addresses[n][r])
	}
}
