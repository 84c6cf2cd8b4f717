package exec

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Derivative groups: without QuadDerivativesKHR the invocations of a primitive, with its helper invocations, form one (Vulkan, "Derivative
// Operations"). Each of them logs its start and its derivatives. A derivative is in uniform control flow if as many invocations
// execute its dynamic instance as the primitive has. The counts need no order: tiles run a primitive in parts.

// Derivative is a derivative of which not all invocations of the primitive execute the same dynamic instance.
type Derivative struct {
	First       *Message // of the first invocation that did, in the first such primitive, with the values of the event
	Count, Size uint32   // the invocations that did, and all of the primitive
	Times       uint64   // primitives and instances
}

// derivativeGroups are the primitives with fragments that run.
type derivativeGroups struct {
	size    map[primitiveOf]uint32 // invocations
	reached map[instanceOf]*instance
	missed  map[siteOf]*Derivative
	stopped *Message // the first derivative that is not counted; nil for none
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
	order, count uint32
	lane         uint32
	pixel        uint64 // the first value of the first invocation
}

// maxInstances bounds the primitives and the dynamic instances together.
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
		_, _, number := ir.PixelOf(x[lane])
		primitive := primitiveOf{p, number}
		if starts {
			g.size[primitive]++
			continue
		}
		at := instanceOf{primitive, message, uint32(y[lane])}
		if of == nil || at != last {
			if last, of = at, g.reached[at]; of == nil {
				if len(g.size)+len(g.reached) >= maxInstances {
					g.stop(&Message{Program: p, Number: message, Args: []uint64{x[lane], y[lane]}})
					return
				}
				of = &instance{order: uint32(len(g.reached)), lane: uint32(lane), pixel: x[lane]}
				g.reached[at] = of
			}
		}
		of.count++
	}
}

// stop ends the search at a derivative. The primitives with fragments that run have no reports: some of their derivatives are not counted.
func (g *derivativeGroups) stop(at *Message) {
	g.stopped, g.size, g.reached = at, nil, nil
}

// judge ends the primitives. Instances with the same hash have a multiple of the invocations.
func (g *derivativeGroups) judge() {
	orders := map[siteOf]uint32{} // of the first instance of this call
	for at, x := range g.reached {
		size := g.size[at.primitiveOf]
		if size == 0 || x.count%size == 0 {
			continue
		}
		site := siteOf{at.program, at.message}
		if g.missed == nil {
			g.missed = map[siteOf]*Derivative{}
		}
		d, known := g.missed[site]
		if !known {
			d = &Derivative{}
			g.missed[site] = d
		}
		if d.Times++; !known || hasLater(orders, site, x.order) {
			orders[site] = x.order
			d.First = &Message{Program: at.program, Lane: x.lane, Number: at.message, Args: []uint64{x.pixel, uint64(at.path)}}
			d.Count, d.Size = x.count%size, size
		}
	}
	clear(g.size)
	clear(g.reached)
}

// hasLater reports whether the map has a later order for the site.
func hasLater(orders map[siteOf]uint32, site siteOf, order uint32) bool {
	have, ok := orders[site]
	return ok && order < have
}

// results returns the findings without the primitives with fragments that run.
func (g *derivativeGroups) results() derivativeGroups {
	return derivativeGroups{missed: copies(g.missed), stopped: g.stopped}
}
