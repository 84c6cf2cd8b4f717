package ir

import "fmt"

// VerifyError is a fault in the form of a program: a bug of Chiaro, not of the shader.
type VerifyError struct {
	Func    string
	At      int // index in Func.Code
	Op      Op
	Message string
}

// Error returns the function, the position in its code and the message.
func (e *VerifyError) Error() string {
	return fmt.Sprintf("ir: func %q, code %d, %s: %s", e.Func, e.At, e.Op, e.Message)
}

// Verify checks the form of the program as the package document states it:
// brackets, labels, types, that every definition dominates its uses, and that
// numbers of resources, variables, functions, inputs and outputs exist. It
// returns a *VerifyError. Its cost is O(n log n) for a program of n operations.
func (p *Program) Verify() error {
	if len(p.Funcs) == 0 || p.Funcs[0] == nil || len(p.Funcs[0].Args) > 0 {
		return &VerifyError{Message: "no entry point without arguments"}
	}
	if s := p.SubgroupSize; s < 1 || s > 128 || s&(s-1) != 0 {
		return &VerifyError{Message: fmt.Sprintf("subgroup size %d; want a power of two from 1 to 128", s)}
	}
	if q := p.QuadRow; q != 0 && (q < 2 || q > p.SubgroupSize/2 || q&(q-1) != 0) {
		return &VerifyError{Message: fmt.Sprintf("rows of quads %d lanes apart; want a power of two from 2 to half of a subgroup", q)}
	}
	if fault := p.verifyHead(); fault != "" {
		return &VerifyError{Message: fault}
	}
	for _, f := range p.Funcs { // first the form of all: the check of a call reads its callee
		if f == nil {
			return &VerifyError{Message: "a function is missing"}
		}
		if at, fault := f.form(); fault != "" {
			return &VerifyError{Func: f.Name, At: at, Message: fault}
		}
		if f.Texture != nil {
			if fault := p.verifyTexture(f); fault != "" {
				return &VerifyError{Func: f.Name, Message: fault}
			}
		}
	}
	if len(p.Funcs[0].Results()) > 0 {
		return &VerifyError{Message: "the entry point has results"}
	}
	for _, f := range p.Funcs {
		if err := verifyFunc(p, f); err != nil {
			return err
		}
	}
	return nil
}

// set is a set of values.
type set []uint64

func (s set) has(v V) bool { return s[v/64]>>(v%64)&1 != 0 }
func (s set) add(v V)      { s[v/64] |= 1 << (v % 64) }

// frame is one open region. Its points are points of defined.
type frame struct {
	opener V
	begin  V // if: the point before it; unreachable after its else
	out    V // block: the meet of all br to it; if: the end of the first arm
}

type verifier struct {
	p       *Program
	f       *Func
	at      int // index in Func.Code
	seen    set // values that the code had so far
	defined *defined
	here    V    // the current program point
	dead    bool // no lane is active here
	open    []frame
	opened  []int32 // of each value that opens a region, its number in open, from 1
	err     *VerifyError
}

func verifyFunc(p *Program, f *Func) error {
	n := len(f.Vals)/64 + 1
	r := &verifier{p: p, f: f, seen: make(set, n), defined: newDefined(len(f.Vals)), opened: make([]int32, len(f.Vals))}
	for _, a := range f.Args {
		r.define(a)
	}
	for i, v := range f.Code {
		r.at = i
		if i > 0 && len(r.open) == 0 {
			r.fail("code after the outermost block")
			return r.err
		}
		r.value(v)
		if r.err != nil {
			return r.err
		}
	}
	if len(r.open) > 0 {
		r.fail("%d regions are not closed", len(r.open))
		return r.err
	}
	return nil
}

func (r *verifier) fail(format string, args ...any) {
	if r.err == nil {
		r.err = &VerifyError{Func: r.f.Name, At: r.at, Message: fmt.Sprintf(format, args...)}
		if r.at < len(r.f.Code) {
			r.err.Op = r.f.Val(r.f.Code[r.at]).Op
		}
	}
}

func (r *verifier) value(v V) {
	if v <= 0 || int(v) >= len(r.f.Vals) || r.seen.has(v) {
		r.fail("value %d does not exist, or occurs twice", v)
		return
	}
	r.seen.add(v)
	x := r.f.Val(v)
	if x.Op >= numOps || x.Op == Bad || x.Op.Is(Implicit) {
		r.fail("not an operation that code may contain")
		return
	}
	if r.dead && x.Op != End && x.Op != Else {
		r.fail("code that no lane reaches")
		return
	}
	r.operands(v)
	if r.err != nil {
		return
	}
	switch x.Op {
	case Block, Loop:
		r.enter(v)
	case If:
		r.enterFrame(frame{opener: v, begin: r.here, out: unreachable})
	case Else:
		r.elseArm(v)
	case End:
		r.leave(v)
	case Br:
		r.br(v)
	case Switch:
		r.switchOf(v)
	case ResetBudget:
		if r.f != r.p.Funcs[0] || r.p.Stage != Compute {
			r.fail("is allowed in the entry point of a compute program only")
		}
	case Call:
		r.call(v)
	case Count, CountEdge:
		if r.p.Stage != Compute { // helpers would have to be left out
			r.fail("is allowed in compute programs only")
		}
		r.immediate(x)
	default:
		if x.Op.HasResult() && x.Flags&Unused == 0 { // an unused result is not defined
			r.define(v)
		}
		if x.Flags&FTZ != 0 && (x.Op != AtomFAdd || x.Type != F32) {
			r.fail("has !ftz; atomfadd.f32 alone may have it")
		}
		r.immediate(x)
	}
	r.dead = r.dead || x.Op.Is(Ends)
}

// define defines v here.
func (r *verifier) define(v V) { r.here = r.defined.add(r.here, v) }

func (r *verifier) enterFrame(fr frame) {
	r.open = append(r.open, fr)
	r.opened[fr.opener] = int32(len(r.open))
}

// operands checks that all operands of v exist, are defined and have their types.
func (r *verifier) operands(v V) {
	x := r.f.Val(v)
	row := x.Op.Row()
	bad := false
	r.f.Operands(v, func(a V) { bad = bad || !r.use(a) })
	if bad || len(row.Sig) < 2 {
		return
	}
	t := r.f.T(v)
	for i, c := range row.Sig[2:] {
		want, got := t, r.f.Type(x.Args[i])
		switch c {
		case 'b':
			want = B1
		case 'i':
			want = I32
		case 'l':
			want = I64
		case 'f':
			want = F32
		case 'h':
			want = H
		case 'S':
			want = got
		}
		if got != want {
			r.fail("operand %d is %s; want %s", i+1, got, want)
		}
	}
	if row.On != 0 && !row.On.Has(t) {
		r.fail("is not defined on %s", t)
	}
	want := x.Type
	switch row.Sig[0] {
	case 'b':
		want = B1
	case 'i':
		want = I32
	case 'h':
		want = H
	}
	if x.Type != want {
		r.fail("yields %s; want %s", x.Type, want)
	}
	r.conversion(x)
}

// conversion checks the source type of an operation with the signature T:S.
func (r *verifier) conversion(x *Val) {
	if x.Op.Family() != Conversions {
		return // Args[0] need not be a value
	}
	from := r.f.Type(x.Args[0])
	ok := x.Op.Row().On.Source().Has(from)
	switch x.Op {
	case Bitcast:
		ok = ok && from.Bits() == x.Type.Bits()
	case SExt, ZExt:
		ok = ok && from.Bits() < x.Type.Bits()
	case Trunc:
		ok = ok && from.Bits() > x.Type.Bits()
	}
	if !ok {
		r.fail("from %s to %s", from, x.Type)
	}
}

func (r *verifier) use(v V) bool {
	if v <= 0 || int(v) >= len(r.f.Vals) {
		r.fail("operand %d does not exist", v)
		return false
	}
	if x := r.f.Val(v); x.Op == Const && x.Type != None && x.Type != H && x.Aux&^x.Type.Mask() == 0 {
		return true
	}
	if !r.defined.has(r.here, v) {
		r.fail("operand %d is not defined on every path to here", v)
		return false
	}
	return true
}

func (r *verifier) enter(label V) {
	if len(r.open) == 0 && label != r.f.Body() {
		r.fail("a second outermost block")
		return
	}
	if r.f.Val(label).Op == Loop {
		for i, p := range r.f.Params(label) {
			if init := r.f.Inits(label)[i]; r.f.Type(p) != r.f.Type(init) {
				r.fail("parameter %d is %s; its initial value is %s", i+1, r.f.Type(p), r.f.Type(init))
			}
			r.define(p)
		}
	}
	r.enterFrame(frame{opener: label, begin: unreachable, out: unreachable})
}

func (r *verifier) elseArm(v V) {
	n := len(r.open) - 1
	fr := &r.open[n]
	if opener := r.f.Val(v).Args[0]; fr.opener != opener || r.f.Val(opener).Op != If || fr.begin == unreachable {
		r.fail("an else that belongs to no open if")
		return
	}
	if !r.dead {
		fr.out = r.here
	}
	r.here, fr.begin, r.dead = fr.begin, unreachable, false
}

func (r *verifier) leave(v V) {
	n := len(r.open) - 1
	if n < 0 || r.f.Val(v).Args[0] != r.open[n].opener {
		r.fail("an end that does not close the innermost region")
		return
	}
	fr := r.open[n]
	r.open = r.open[:n]
	r.opened[fr.opener] = 0
	opener := r.f.Val(fr.opener)
	falls := !r.dead
	if falls && (opener.Op == Loop || opener.Op == Block && opener.Aux > 0) {
		r.fail("lanes fall off the end of a %s with parameters, or of a loop", opener.Op)
		return
	}
	if opener.Op == Loop {
		return // after a loop, only a br to an outer block has active lanes
	}
	out := fr.out
	if opener.Op == If { // without an else, the other lanes arrive from begin
		out = r.defined.meet(out, fr.begin)
	}
	if falls {
		out = r.defined.meet(out, r.here)
	}
	r.dead = out == unreachable
	if !r.dead {
		r.here = out
	}
	if opener.Op == Block {
		for _, p := range r.f.Params(fr.opener) {
			r.define(p)
		}
	}
}

// target checks that a label encloses this point, and merges this point into it.
func (r *verifier) target(label V) *Val {
	if !r.f.exists(label) || r.opened[label] == 0 || r.f.Val(label).Op == If {
		r.fail("a branch to %d, which does not enclose it", label)
		return nil
	}
	if fr := &r.open[r.opened[label]-1]; r.f.Val(label).Op == Block {
		fr.out = r.defined.meet(fr.out, r.here)
	}
	return r.f.Val(label)
}

func (r *verifier) br(v V) {
	x := r.f.Val(v)
	l := r.target(x.Args[0])
	if l == nil {
		return
	}
	if l.Aux != x.Aux {
		r.fail("%d arguments; the label has %d parameters", x.Aux, l.Aux)
		return
	}
	for i, p := range r.f.Params(x.Args[0]) {
		if a := r.f.BrArgs(v)[i]; r.f.Type(a) != r.f.Type(p) {
			r.fail("argument %d is %s; the parameter is %s", i+1, r.f.Type(a), r.f.Type(p))
		}
	}
}

func (r *verifier) switchOf(v V) {
	x := r.f.Val(v)
	c := r.f.Cases(v)
	labels := []V{x.Args[1]}
	for i := 0; i < len(c); i += 2 {
		if !r.f.exists(c[i]) {
			r.fail("case %d does not exist", i/2)
			return
		}
		k := r.f.Val(c[i])
		if k.Op != Const || k.Aux&^k.Type.Mask() != 0 || k.Type != r.f.Type(x.Args[0]) {
			r.fail("case %d is not a constant of the selector's type", i/2)
		}
		labels = append(labels, c[i+1])
	}
	for _, label := range labels {
		if l := r.target(label); l != nil && (l.Op != Block || l.Aux > 0) {
			r.fail("a switch to a loop or a block with parameters")
		}
	}
}

func (r *verifier) call(v V) {
	n := r.f.Callee(v)
	if n < 0 || n >= len(r.p.Funcs) || n == 0 {
		r.fail("function %d does not exist, or is the entry point", n)
		return
	}
	g := r.p.Funcs[n]
	args, results := r.f.CallArgs(v), r.f.CallResults(v)
	if len(args) != len(g.Args) || len(results) != len(g.Results()) {
		r.fail("%d arguments and %d results; %q has %d and %d", len(args), len(results), g.Name, len(g.Args), len(g.Results()))
		return
	}
	for i, a := range args {
		if r.f.Type(a) != g.Type(g.Args[i]) {
			r.fail("argument %d is %s; want %s", i+1, r.f.Type(a), g.Type(g.Args[i]))
		}
	}
	for i, x := range results {
		if r.f.Type(x) != g.Type(g.Results()[i]) {
			r.fail("result %d is %s; want %s", i+1, r.f.Type(x), g.Type(g.Results()[i]))
		}
		r.define(x)
	}
}

// immediate checks the number in Aux.
func (r *verifier) immediate(x *Val) {
	n := ^uint64(0)
	switch x.Op {
	case Res:
		n = uint64(len(r.p.Res))
	case Table:
		n = uint64(len(r.p.Tables))
	case PLd, PSt, PClr, PAddr, Ray:
		n = uint64(len(r.p.Vars))
	case Log, LogEvent:
		n = uint64(len(r.p.Messages))
	case In, InAt, Interp:
		n = uint64(len(r.p.In))
	case Out, OutAt, OutGet:
		n = uint64(len(r.p.Out))
	case Emit, EndPrim:
		n = MaxStreams
	case Ballot, QuadSwap:
		n = 4
	case Ld, St, Region, At, AtomXchg, AtomCmpXchg, AtomAdd, AtomSMin, AtomSMax, AtomUMin, AtomUMax,
		AtomAnd, AtomOr, AtomXor, AtomFAdd, AtomFMin, AtomFMax:
		n = 1 << 32
	case Count, CountEdge:
		if c := x.Aux >> 32; x.Aux%8 != 0 || c&(c-1) != 0 || c > uint64(r.p.SubgroupSize) {
			r.fail("counter at %d, groups of %d lanes", uint32(x.Aux), c)
		}
		return
	case Reduce, ScanI, ScanX:
		if c := x.Aux >> 8; c&(c-1) != 0 || c > uint64(r.p.SubgroupSize) || !combines(Op(x.Aux&0xff), x.Type) {
			r.fail("operator %s on %s, cluster %d", Op(x.Aux&0xff), x.Type, c)
		}
		return
	}
	if x.Aux >= n {
		r.fail("#%d; there are %d", x.Aux, n)
		return
	}
	switch {
	case x.Op >= In && x.Op <= Interp && r.p.In[x.Aux].Type != x.Type, x.Op >= Out && x.Op <= OutGet && r.p.Out[x.Aux].Type != x.Type:
		r.fail("#%d has another type than %s", x.Aux, x.Type)
	}
}

// combines reports whether op may combine the lanes of a group.
func combines(op Op, t Type) bool {
	switch op {
	case Add, Mul, SMin, SMax, UMin, UMax, And, Or, Xor, FAdd, FMul, NMin, NMax:
		return ops[op].On.Has(t)
	}
	return false
}
