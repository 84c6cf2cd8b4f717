package exec

import (
	"cmp"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Derivative groups: without QuadDerivativesKHR the invocations of a primitive, with its helper invocations, form one (Vulkan, "Derivative
// Operations"). Each of them logs its start and its derivatives. A derivative is in uniform control flow if as many invocations
// execute its dynamic instance as the primitive has. The counts need no order: tiles run a primitive in parts.

// Derivative is a derivative of which not all invocations of the primitive execute the same dynamic instance.
type Derivative struct {
	First       *Message // of the invocation that did at the least y and x, with the values of the event
	Count, Size uint32   // the invocations that did, and all of the primitive
	Times       uint64   // primitives and instances
}

// derivativeGroups are the primitives with fragments that run.
type derivativeGroups struct {
	size    map[primitiveOf]uint32 // invocations
	reached map[instanceOf]*instance
	missed  map[siteOf]*Derivative
	least   *Message // the first derivative of the primitives with fragments that run, in the order of before
	full    bool     // these primitives and their instances are too many
	stopped *Message // the first derivative that is not counted; nil for none
	partial bool     // events of the primitives with fragments that run are lost: they have no reports
}

// primitiveOf identifies a primitive.
type primitiveOf struct {
	program *ir.Program
	number  uint32
}

// instanceOf identifies a dynamic instance of a derivative.
type instanceOf struct {
	primitiveOf
	message, path uint32
}

// instance is a dynamic instance of a derivative.
type instance struct {
	count uint32
	pixel uint64 // the first value of the invocation with the least y and x: the order of the events depends on the threads
}

// maxInstances bounds the primitives and the dynamic instances together. The number of both is that of all events until the primitives
// end, so that the bound and the end of the check depend on no order.
const maxInstances = 1 << 20

// add adds an event of invocations, with its values by lane. Neighbors are mostly of one primitive.
func (g *derivativeGroups) add(p *ir.Program, message uint32, lanes Lanes, x, y []uint64) {
	if g.stopped != nil {
		return
	}
	if g.size == nil {
		g.size, g.reached = map[primitiveOf]uint32{}, map[instanceOf]*instance{}
	}
	starts := p.Messages[message].Event.Kind == ir.PrimitiveEvent
	var last instanceOf
	var of *instance
	for lane := range lanes.All {
		if !starts {
			g.meet(p, message, x[lane], y[lane])
		}
		if g.full {
			continue
		}
		_, _, number := ir.PixelOf(x[lane])
		primitive := primitiveOf{p, number}
		if starts {
			g.size[primitive]++
			g.bound()
			continue
		}
		at := instanceOf{primitive, message, uint32(y[lane])}
		if of == nil || at != last {
			if last, of = at, g.reached[at]; of == nil {
				of = &instance{pixel: x[lane]}
				g.reached[at] = of
				g.bound()
			}
		}
		if of.count++; uint32(x[lane]) < uint32(of.pixel) {
			of.pixel = x[lane]
		}
	}
}

// bound drops the counts if they are too many. The primitives with fragments that run have no reports: some of their derivatives are not
// counted.
func (g *derivativeGroups) bound() {
	if len(g.size)+len(g.reached) > maxInstances {
		g.full, g.size, g.reached = true, nil, nil
	}
}

// meet keeps the first derivative.
func (g *derivativeGroups) meet(p *ir.Program, message uint32, x, y uint64) {
	if m := g.least; m == nil {
		g.least = &Message{Program: p, Number: message, Args: []uint64{x, y}}
	} else if before(p, message, x, y, m) {
		m.Program, m.Number, m.Args[0], m.Args[1] = p, message, x, y
	}
}

// before reports whether a derivative comes before another one: by its place in the shader, by the pixel, and then by all else that does not
// depend on the threads.
func before(p *ir.Program, message uint32, x, y uint64, m *Message) bool {
	if p != m.Program || message != m.Number {
		a, b := &p.Messages[message], m.Of()
		if c := cmp.Or(cmp.Compare(a.Instruction, b.Instruction), cmp.Compare(message, m.Number)); c != 0 {
			return c < 0
		}
	}
	return cmp.Or(cmp.Compare(uint32(x), uint32(m.Args[0])), cmp.Compare(x, m.Args[0]), cmp.Compare(y, m.Args[1])) < 0
}

// judge ends the primitives. Instances with the same hash have a multiple of the invocations.
func (g *derivativeGroups) judge() {
	if g.full && g.least != nil {
		g.stopped = g.least
	}
	g.full, g.least = false, nil
	found := map[siteOf]*Derivative{} // by this call
	for at, x := range g.reached {
		size := g.size[at.primitiveOf]
		if g.partial || size == 0 || x.count%size == 0 {
			continue
		}
		d := &Derivative{&Message{Program: at.program, Number: at.message, Args: []uint64{x.pixel, uint64(at.path)}}, x.count % size, size, 1}
		site := siteOf{at.program, at.message}
		if other := found[site]; other != nil {
			if d.Times += other.Times; other.order(d) < 0 {
				other.Times = d.Times
				continue
			}
		}
		found[site] = d
	}
	for site, d := range found {
		switch was := g.missed[site]; {
		case was != nil:
			was.Times += d.Times
		case g.missed == nil:
			g.missed = map[siteOf]*Derivative{site: d}
		default:
			g.missed[site] = d
		}
	}
	clear(g.size)
	clear(g.reached)
	g.partial = false
}

// order compares the derivatives of an instruction by the pixel, and then by all else that does not depend on the threads.
func (d *Derivative) order(o *Derivative) int {
	a, b := d.First.Args, o.First.Args
	return cmp.Or(cmp.Compare(uint32(a[0]), uint32(b[0])), cmp.Compare(d.Size, o.Size), cmp.Compare(d.Count, o.Count), cmp.Compare(a[1], b[1]))
}

// results returns the findings without the counts of the primitives with fragments that run.
func (g *derivativeGroups) results() derivativeGroups {
	return derivativeGroups{missed: copies(g.missed), stopped: g.stopped, partial: g.partial || len(g.size) > 0 || g.full}
}
