package jit

import (
	"encoding/binary"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/amd64"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// visit is machine code that has left for Go at one instruction.
type visit struct {
	*worker
	site  *amd64.Site
	frame []byte
	first int        // lane of the strip that the registers begin with
	set   exec.Lanes // active lanes
}

// visit returns the visit of a site.
func (w *worker) visit(site *amd64.Site) *visit {
	v := &visit{worker: w, site: site, frame: w.stacks.Bytes(w.ctx.Frame)}
	if v.site.Op == vcode.Lane {
		v.first = int(v.site.Part) * v.form().Lanes
	}
	for i, r := range v.site.Masks {
		for lane := range v.form().Lanes {
			at := v.first + i*v.form().Lanes + lane // of a step, from its first part on
			v.set[at>>6] |= v.read(r, lane) & 1 << (at & 63)
		}
	}
	return v
}

// serve does what the code at a site left for.
func (w *worker) serve(site *amd64.Site) error {
	v := w.visit(site)
	if v.site.Op == vcode.Step {
		return v.budget()
	}
	if serve := services[v.site.IR]; serve != nil {
		serve(v)
		return nil
	}
	v.evaluate()
	return nil
}

// form is how the code holds values.
func (v *visit) form() vcode.Form { return v.p.code.Level.Form() }

// register returns a register in the frame.
func (v *visit) register(r amd64.Place) []byte { return v.frame[r.Slot:][:v.form().Size(r.Class)] }

// at returns the register of the i-th value of a list that holds a lane, and
// the lane's place in it.
func (v *visit) at(list []amd64.Place, i, lane int) (amd64.Place, int) {
	part := (lane - v.first) / v.form().Lanes
	return list[i*len(v.site.Masks)+part], lane % v.form().Lanes
}

// use returns the bits of the i-th operand in a lane.
func (v *visit) use(i, lane int) uint64 {
	return v.read(v.at(v.site.Uses, i, lane))
}

// read returns what a register holds in one of its lanes.
func (v *visit) read(r amd64.Place, at int) uint64 {
	switch {
	case r.Const && r.Step != 0:
		return uint64(uint32(r.Bits) + r.Step*uint32(at))
	case r.Const:
		return r.Bits
	}
	b := v.register(r)
	switch r.Class {
	case vcode.Mask:
		if v.form().VectorMasks {
			return uint64(b[4*at] & 1)
		}
		return uint64(binary.LittleEndian.Uint16(b) >> at & 1)
	case vcode.Wide:
		return binary.LittleEndian.Uint64(b[8*at:])
	}
	return uint64(binary.LittleEndian.Uint32(b[4*at:]))
}

// define sets the bits of the result in a lane.
func (v *visit) define(lane int, bits uint64) {
	r, at := v.at(v.site.Defs, 0, lane)
	b := v.register(r)
	switch {
	case r.Class == vcode.Mask && v.form().VectorMasks:
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

// defineAll sets the same bits in all active lanes, and in the others where
// they keep nothing: code may ask any lane for what is the same in all.
func (v *visit) defineAll(bits uint64) {
	if v.site.Keep {
		for lane := range v.set.All {
			v.define(lane, bits)
		}
		return
	}
	for lane := range len(v.site.Masks) * v.form().Lanes {
		v.define(v.first+lane, bits)
	}
}

// evaluate asks the operation's row for the value of each active lane.
func (v *visit) evaluate() {
	eval := v.site.IR.Row().Eval
	n := len(v.site.Uses)
	for lane := range v.set.All {
		var x [3]uint64
		for i := range min(n, 3) {
			x[i] = v.use(i, lane)
		}
		v.define(lane, eval(v.site.Key, x[0], x[1], x[2]))
	}
}

// budget says that the subgroup has taken too many steps.
func (v *visit) budget() error {
	return &exec.BudgetError{Position: v.place(), Steps: v.job.EffectiveBudget()}
}

// place says where the subgroup stands, at a step.
func (v *visit) place() exec.Position {
	index := uint32(v.current())*v.p.p.SubgroupSize + uint32(int(v.site.Part)*v.form().Lanes) + v.set.First()
	return exec.Position{Func: v.site.Func, Loop: v.site.Value, Origin: v.site.Origin, Group: v.group(), Local: v.local(index)}
}

// interrupted says where the code stood when the run was ended from outside. It
// returns nil where the context was not what ended it, or no loop ran.
func (w *worker) interrupted() error {
	err := w.run.Err()
	if err == nil || w.ctx.Service == amd64.NoSite {
		return nil
	}
	return &exec.InterruptError{Position: w.visit(&w.p.code.Sites[w.ctx.Service]).place(), Err: err}
}

// group returns the WorkgroupId of the group that runs.
func (v *visit) group() (id [3]uint32) {
	for i := range id {
		id[i] = uint32(v.ctx.Args[amd64.ArgGroup+i])
	}
	return id
}

// helpers returns the words of the record that hold the lanes demoted.
func (v *visit) helpers() []uint32 {
	return v.record(v.current())[v.p.code.Record.Helpers/4:]
}

// isHelper reports whether a lane was demoted.
func (v *visit) isHelper(lane int) bool {
	part := v.form().Lanes
	return v.helpers()[2*(lane/part)]>>(lane%part)&1 != 0
}

// services are the operations without a value that a row could compute and
// without code of their own for some type.
var services = map[ir.Op]func(*visit){
	ir.Ld:          (*visit).load,
	ir.St:          (*visit).store,
	ir.Region:      (*visit).region,
	ir.RegionOff:   (*visit).regionOffset,
	ir.PLd:         (*visit).variableLoad,
	ir.PSt:         (*visit).variableStore,
	ir.PClr:        (*visit).variableClear,
	ir.PAddr:       (*visit).variablePlace,
	ir.PLdI:        (*visit).placeLoad,
	ir.PStI:        (*visit).placeStore,
	ir.AtomXchg:    (*visit).atomic,
	ir.AtomCmpXchg: (*visit).atomic,
	ir.AtomAdd:     (*visit).atomic,
	ir.AtomSMin:    (*visit).atomic,
	ir.AtomSMax:    (*visit).atomic,
	ir.AtomUMin:    (*visit).atomic,
	ir.AtomUMax:    (*visit).atomic,
	ir.AtomAnd:     (*visit).atomic,
	ir.AtomOr:      (*visit).atomic,
	ir.AtomXor:     (*visit).atomic,
	ir.AtomFAdd:    (*visit).atomic,
	ir.AtomFMin:    (*visit).atomic,
	ir.AtomFMax:    (*visit).atomic,
	ir.In:          (*visit).input,
	ir.Elect:       (*visit).elect,
	ir.Any:         (*visit).any,
	ir.All:         (*visit).all,
	ir.AllEq:       (*visit).allEqual,
	ir.Ballot:      (*visit).ballot,
	ir.Shuf:        (*visit).shuffle,
	ir.QuadSwap:    (*visit).quadSwap,
	ir.Reduce:      (*visit).reduce,
	ir.ScanI:       (*visit).scanInclusive,
	ir.ScanX:       (*visit).scanExclusive,
	ir.Demote:      (*visit).demote,
	ir.Helper:      (*visit).helper,
	ir.Log:         (*visit).log,
	ir.LogArg:      (*visit).logArg,
}
