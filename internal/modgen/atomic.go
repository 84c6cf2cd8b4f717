package modgen

import (
	"fmt"

	"github.com/chiaro-gpu/chiaro/spirv/typing"
)

// atomic writes an atomic without a result that is used; each counter has one
// operation, so that order does not tell.
func (g *maker) atomic() {
	ops := []string{"OpAtomicIAdd", "OpAtomicUMax", "OpAtomicSMin", "OpAtomicOr", "OpAtomicXor", "OpAtomicUMin", "OpAtomicSMax", "OpAtomicAnd"}
	k := g.intn(counters)
	v := g.need(u32)
	p := g.chain("StorageBuffer", g.typeOf(u32), "%atom", g.zero(), g.constant(u32, fmt.Sprint(k)))
	w := g.plain(u32, false, ops[k%len(ops)]+" %s "+p+" "+g.constant(u32, "1")+" "+g.zero()+" "+v.id)
	if !g.o.Peers && g.chance(3) {
		g.pool = append(g.pool, w)
	}
}

// ownAtomic writes an atomic on a word of this invocation; the old value is
// defined and used.
func (g *maker) ownAtomic() {
	own := g.plain(u32, false, "OpLoad %s %lin")
	var places []int
	for i, m := range g.members {
		if m.t.is(typing.Int) || m.t.is(typing.UInt) {
			if m.t.shape.Count == 1 && (m.t.shape.Width == 32 || m.t.shape.Width == 64 && g.o.Atomics64) {
				places = append(places, i)
			}
		}
	}
	n := choose(g.source, places...)
	t := g.members[n].t
	p := g.chain("StorageBuffer", g.typeOf(t), "%mix", g.zero(), own.id, g.constant(u32, fmt.Sprint(n)))
	scope := " " + p + " " + g.constant(u32, "1") + " "
	order := choose(g.source, "0", "0", "72")          // relaxed; AcquireRelease | UniformMemory
	if g.o.Peers && (g.depth > 0 || g.result != nil) { // lavapipe waits there for lanes that do not come
		order = "0"
	}
	switch g.intn(5) {
	case 0:
		g.put(t, false, "OpAtomicLoad %s"+scope+g.zero())
	case 1:
		g.line("OpAtomicStore%s", scope+g.zero()+" "+g.need(t).id)
	case 2:
		a, b := g.need(t), g.need(t)
		g.put(t, false, "OpAtomicCompareExchange %s"+scope+g.constant(u32, order)+" "+g.zero()+" "+a.id+" "+b.id)
	default:
		op := choose(g.source, "IAdd", "ISub", "UMin", "UMax", "SMin", "SMax", "And", "Or", "Xor", "Exchange", "IIncrement", "IDecrement")
		form := "OpAtomic" + op + " %s" + scope + g.constant(u32, order)
		if op != "IIncrement" && op != "IDecrement" {
			form += " " + g.need(t).id
		}
		g.put(t, false, form)
	}
}

// barrier writes a barrier of the workgroup over its memory.
func (g *maker) barrier() {
	scope, order := g.constant(u32, "2"), g.constant(u32, "264") // Workgroup; AcquireRelease | WorkgroupMemory
	g.line("OpControlBarrier %s %s %s", scope, scope, order)
}

// exchange passes values through workgroup memory. It is at a point that all
// invocations come.
func (g *maker) exchange() {
	g.line("; {")
	defer g.line("; }")
	i := g.plain(u32, false, "OpLoad %s %index")
	v := g.need(u32)
	word := g.typeOf(u32)
	g.line("OpStore %s %s", g.chain("Workgroup", word, "%shared", i.id), v.id)
	g.barrier()
	n := g.plain(u32, false, "OpIAdd %s "+i.id+" "+g.constant(u32, fmt.Sprint(1+g.intn(5))))
	n = g.plain(u32, false, "OpUMod %s "+n.id+" "+g.constant(u32, fmt.Sprint(g.lanes)))
	g.put(u32, false, "OpLoad %s "+g.chain("Workgroup", word, "%shared", n.id))
	g.barrier()
}

// tally has all invocations count in words of workgroup memory, one operation
// for each pass from barrier to barrier, and reads the results.
func (g *maker) tally() {
	g.line("; {")
	defer g.line("; }")
	i := g.plain(u32, false, "OpLoad %s %index")
	at := g.and(i, fmt.Sprint(tallies-1))
	word := g.typeOf(u32)
	p := g.chain("Workgroup", word, "%tally", at.id)
	start := g.constant(u32, g.literal(u32))
	g.line("OpStore %s %s", p, start) // the same from all
	g.barrier()
	k := g.and(g.need(u32), fmt.Sprint(tallies-1))
	v := g.need(u32)
	op := choose(g.source, "IAdd", "UMin", "UMax", "SMin", "SMax", "And", "Or", "Xor")
	if g.lanes < tallies { // a word without a write is undefined
		k = at
	}
	q := g.chain("Workgroup", word, "%tally", k.id)
	g.plain(u32, false, "OpAtomic"+op+" %s "+q+" "+g.constant(u32, "2")+" "+g.zero()+" "+v.id)
	g.barrier()
	g.put(u32, false, "OpLoad %s "+p)
	g.barrier()
}
