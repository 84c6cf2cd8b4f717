package jit

import (
	"encoding/binary"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// serviceCall is an exit of machine code to Go at one instruction. The code has saved all registers
// in a frame on its stack. A service reads operands there and stores the result there, and the code
// reloads them when it continues. An exit saves and restores all registers, so that only rare
// operations are services.
type serviceCall struct {
	*worker
	site      *target.Site
	frame     []byte
	firstLane int        // first lane of the strip in the registers
	active    exec.Lanes // active lanes
}

// serviceCall returns the call at a site, with its active lanes. The next call of the worker reuses it.
func (w *worker) serviceCall(site *target.Site) *serviceCall {
	c := &w.call
	*c = serviceCall{worker: w, site: site, frame: w.stacks.Bytes(w.ctx.Frame)}
	if c.site.Op == vcode.Lane {
		c.firstLane = int(c.site.Part) * c.form().Lanes
	}
	at, lanes := c.firstLane, w.variant.form.Lanes // of a Step: from its first part on
	for i := range c.site.Masks {
		c.active[at>>6] |= c.mask(&c.site.Masks[i]) << (at & 63)
		at += lanes
	}
	return c
}

// mask returns the bits of a mask, one per lane.
func (c *serviceCall) mask(r *target.Location) (bits uint64) {
	f := &c.variant.form
	switch {
	case r.Const && r.Step == 0:
		if r.Bits&1 != 0 {
			bits = 1<<f.Lanes - 1
		}
	case r.Const || r.Class != vcode.Mask:
		for lane := range f.Lanes {
			bits |= c.read(*r, lane) & 1 << lane
		}
	case f.VectorMasks:
		b := c.frame[r.Slot:][:4*f.Lanes]
		for lane := 0; lane < f.Lanes; lane += 2 {
			two := binary.LittleEndian.Uint64(b[4*lane:])
			bits |= (two&1 | two>>31&2) << lane
		}
	default:
		bits = uint64(binary.LittleEndian.Uint16(c.register(*r))) & (1<<f.Lanes - 1)
	}
	return bits
}

// serve performs the operation of a site. An operation is in one of three groups: the step check of
// a loop, an operation on memory or on several lanes (services), and a pure function of one lane's
// operands.
func (w *worker) serve(site *target.Site) error {
	c := w.serviceCall(site)
	if c.site.Op == vcode.Step {
		return c.budgetError()
	}
	if serve := serviceOf(c.site.IR); serve != nil {
		serve(c)
		return nil
	}
	c.evaluate()
	return nil
}

// form returns the register model of the code.
func (c *serviceCall) form() vcode.Form { return c.variant.form }

// register returns the memory of a register in the frame.
func (c *serviceCall) register(r target.Location) []byte {
	return c.frame[r.Slot:][:c.form().Size(r.Class)]
}

// location returns the register that holds a lane of the i-th value of a list, and the lane's index
// in it. The list has all parts of the first value, then all parts of the second. For a strip of 32
// lanes on AVX-512, lane 20 of the second operand is lane 4 of list[3]:
//
//	list      0          1           2          3
//	value     0          0           1          1
//	lanes     0…15       16…31       0…15       16…31
func (c *serviceCall) location(list []target.Location, i, lane int) (target.Location, int) {
	part := (lane - c.firstLane) / c.form().Lanes
	return list[i*len(c.site.Masks)+part], lane % c.form().Lanes
}

// use returns the bits of the i-th operand in a lane.
func (c *serviceCall) use(i, lane int) uint64 {
	return c.read(c.location(c.site.Uses, i, lane))
}

// read returns the bits of a register in one of its lanes. Memory of a register by its class:
//
//	Vec     32 bits per lane; narrower types are zero-extended
//	Wide    64 bits per lane, in two adjacent vectors
//	Mask    one bit per lane (AVX-512), or 32 equal bits per lane (AVX2)
//
// Constants and sequences (first + step · lane) have no register: the site has their value.
func (c *serviceCall) read(r target.Location, at int) uint64 {
	switch {
	case r.Const && r.Step != 0:
		return uint64(uint32(r.Bits) + r.Step*uint32(at))
	case r.Const:
		return r.Bits
	}
	b := c.register(r)
	switch r.Class {
	case vcode.Mask:
		if c.form().VectorMasks {
			return uint64(b[4*at] & 1)
		}
		return uint64(binary.LittleEndian.Uint16(b) >> at & 1)
	case vcode.Wide:
		return binary.LittleEndian.Uint64(b[8*at:])
	}
	return uint64(binary.LittleEndian.Uint32(b[4*at:]))
}

// define sets the bits of the result in a lane. The lane must be active, except for a uniform result
// (defineAll). A result of fewer than 32 bits must have zeros above them.
func (c *serviceCall) define(lane int, bits uint64) {
	r, at := c.location(c.site.Defs, 0, lane)
	b := c.register(r)
	switch {
	case r.Class == vcode.Mask && c.form().VectorMasks:
		binary.LittleEndian.PutUint32(b[4*at:], -uint32(bits&1))
	case r.Class == vcode.Mask:
		old := binary.LittleEndian.Uint16(b)
		binary.LittleEndian.PutUint16(b, old&^(1<<at)|uint16(bits&1)<<at)
	case r.Class == vcode.Wide:
		binary.LittleEndian.PutUint64(b[8*at:], bits)
	default:
		binary.LittleEndian.PutUint32(b[4*at:], uint32(bits))
	}
}

// defineAll sets the result in all active lanes, and in the others too unless the instruction
// merges: later code may read a uniform value from any lane. A merging instruction is in divergent
// control flow: its inactive lanes have values of another path, which must survive.
func (c *serviceCall) defineAll(bits uint64) {
	if c.site.Merging {
		for lane := range c.active.All {
			c.define(lane, bits)
		}
		return
	}
	for lane := range len(c.site.Masks) * c.form().Lanes {
		c.define(c.firstLane+lane, bits)
	}
}

// evaluate computes the result of each active lane from the operation's row. It is the interpreter's
// function for the operation, so that both engines yield the same bits by construction.
func (c *serviceCall) evaluate() {
	eval := c.site.IR.Row().Eval
	n := len(c.site.Uses)
	for lane := range c.active.All {
		var x [3]uint64
		for i := range min(n, 3) {
			x[i] = c.use(i, lane)
		}
		// Key contains the types and Aux, the constant of the instruction. Unused operands are 0.
		c.define(lane, eval(c.site.Key, x[0], x[1], x[2]))
	}
}

// budgetError reports that the subgroup, or one subgroup of the strip, has exhausted its step budget. The budget counts the steps
// of one strip, so that the error is the same for any number of workers.
func (c *serviceCall) budgetError() error {
	return &exec.BudgetError{Position: c.position(), Steps: c.job.EffectiveBudget()}
}

// position returns the source position of the subgroup at a step. For an error the first active lane
// represents all lanes of its subgroup.
func (c *serviceCall) position() exec.Position {
	index := uint32(c.subgroupIndex())*c.variant.source.SubgroupSize + uint32(int(c.site.Part)*c.form().Lanes) + c.active.First()
	if len(c.site.Uses) > 0 { // in a work-item loop
		index += uint32(c.read(c.site.Uses[0], 0))
	}
	return exec.Position{Func: c.site.Func, Loop: c.site.Value, Origin: c.site.Origin, Group: c.group(), Local: c.localID(index)}
}

// interruptError returns the position at which the run was canceled, or nil if the context is not
// canceled or no loop ran. The code stores the site of the latest back edge that polled the stop
// flag.
func (w *worker) interruptError() error {
	err := w.runCtx.Err()
	if err == nil || w.ctx.Service == target.NoSite {
		return nil
	}
	return &exec.InterruptError{Position: w.serviceCall(&w.variant.code.Sites[w.ctx.Service]).position(), Err: err}
}

// group returns the WorkgroupId of the current workgroup.
func (c *serviceCall) group() (id [3]uint32) {
	for i := range id {
		// The code advances these words itself, from one workgroup to the next of a batch.
		id[i] = uint32(c.ctx.Args[target.ArgGroup+i])
	}
	return id
}

// demotedLanes returns the part of the record with the masks of demoted lanes. Each part has 64
// bits, of which the low 32 are in use.
func (c *serviceCall) demotedLanes() []uint32 {
	return c.recordOf(c.subgroupIndex())[c.variant.code.Record.Helpers/4:]
}

// isHelper reports whether a lane was demoted. Vulkan forbids effects of helper invocations on
// memory (§"Helper Invocations"): stores, atomics and messages skip these lanes.
func (c *serviceCall) isHelper(lane int) bool {
	part := c.form().Lanes
	return c.demotedLanes()[2*(lane/part)]>>(lane%part)&1 != 0
}

// services are the operations that a row cannot evaluate lane by lane, and that have no machine code
// for some type. A new operation without machine code needs an entry here only if it accesses memory
// or other lanes. All others have a row with an Eval function.
var services = [...]func(*serviceCall){
	ir.Ld:          (*serviceCall).load,
	ir.St:          (*serviceCall).store,
	ir.PLd:         (*serviceCall).variableLoad,
	ir.PSt:         (*serviceCall).variableStore,
	ir.PClr:        (*serviceCall).variableClear,
	ir.PAddr:       (*serviceCall).variableAddress,
	ir.PLdI:        (*serviceCall).indirectLoad,
	ir.PStI:        (*serviceCall).indirectStore,
	ir.Ray:         (*serviceCall).ray,
	ir.RayI:        (*serviceCall).indirectRay,
	ir.AtomXchg:    (*serviceCall).atomic,
	ir.AtomCmpXchg: (*serviceCall).atomic,
	ir.AtomAdd:     (*serviceCall).atomic,
	ir.AtomSMin:    (*serviceCall).atomic,
	ir.AtomSMax:    (*serviceCall).atomic,
	ir.AtomUMin:    (*serviceCall).atomic,
	ir.AtomUMax:    (*serviceCall).atomic,
	ir.AtomAnd:     (*serviceCall).atomic,
	ir.AtomOr:      (*serviceCall).atomic,
	ir.AtomXor:     (*serviceCall).atomic,
	ir.AtomFAdd:    (*serviceCall).atomic,
	ir.AtomFMin:    (*serviceCall).atomic,
	ir.AtomFMax:    (*serviceCall).atomic,
	ir.In:          (*serviceCall).input,
	ir.Elect:       (*serviceCall).elect,
	ir.Any:         (*serviceCall).any,
	ir.All:         (*serviceCall).all,
	ir.AllEq:       (*serviceCall).allEqual,
	ir.Ballot:      (*serviceCall).ballot,
	ir.Shuf:        (*serviceCall).shuffle,
	ir.QuadSwap:    (*serviceCall).quadSwap,
	ir.Reduce:      (*serviceCall).reduce,
	ir.ScanI:       (*serviceCall).scanInclusive,
	ir.ScanX:       (*serviceCall).scanExclusive,
	ir.Demote:      (*serviceCall).demote,
	ir.Helper:      (*serviceCall).helper,
	ir.Log:         (*serviceCall).log,
	ir.LogArg:      (*serviceCall).logArg,
	ir.LogEvent:    (*serviceCall).logEvent,
}

// serviceOf returns the service of an operation, or nil. An exit must not pay for a map.
func serviceOf(op ir.Op) func(*serviceCall) {
	if int(op) >= len(services) {
		return nil
	}
	return services[op]
}
