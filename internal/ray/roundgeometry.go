package ray

import (
	"encoding/binary"
	"math"
)

// Rounds are the data of spheres and linear swept spheres beyond the vertices of a geometry.
type Rounds struct {
	// Radii holds radii at multiples of RadiusStride, of the Vulkan format with the number RadiusFormat.
	Radii        []byte
	RadiusFormat uint32
	RadiusStride uint64
	// IndexStride is the distance of indices in bytes.
	IndexStride uint64
	// Successive: an index i selects the swept sphere from vertex i to vertex i+1; otherwise two indices, or two vertices
	// in their order, are its ends.
	Successive bool
	// Chained: swept spheres have caps. A swept sphere that starts at the end of the one before it, by successive indices,
	// has only the one at its end.
	Chained bool
}

// float1 is the number of VK_FORMAT_R32_SFLOAT.
const float1 = 100

// setRadii prepares the radii of r. It reports whether their format can be read.
func (r *reader) setRadii() bool {
	g := &r.g.Rounds
	size := uint64(4)
	if g.RadiusFormat != float1 {
		if r.radius = codecOf(g.RadiusFormat); r.radius == nil {
			return false
		}
		size = uint64(r.radius.Bytes)
	}
	n := uint64(len(g.Radii))
	switch {
	case n < size:
		r.radii = 0
	case g.RadiusStride > 0:
		r.radii = (n-size)/g.RadiusStride + 1
	default:
		r.radii = math.MaxUint64
	}
	return true
}

// radiusAt returns radius i, which is in the memory.
func (r *reader) radiusAt(i uint64) float32 {
	b := r.g.Rounds.Radii[i*r.g.Rounds.RadiusStride:]
	if r.radius == nil {
		return math.Float32frombits(binary.LittleEndian.Uint32(b))
	}
	c := r.radius.Load(b[:r.radius.Bytes])
	return math.Float32frombits(uint32(c[0]))
}

// index returns index i, or i if the geometry has no indices.
func (r *reader) index(i uint64) (n uint64, ok bool) {
	g := r.g
	if g.IndexSize == 0 {
		return i, true
	}
	x, ok := indexAt(g.Indices, g.IndexSize, g.Rounds.IndexStride, i)
	return uint64(x), ok
}

// round returns the sphere or the swept sphere p. Inactive ones, those outside the memory, with components that are not
// finite or with a negative radius are not ok.
func (r *reader) round(p uint32) (x round, ok bool) {
	g := &r.g.Rounds
	ends := [2]uint64{uint64(p), uint64(p)}
	x.caps = bothCaps
	if r.g.Kind == SweptSpheres {
		if !g.Chained {
			x.caps = 0
		}
		if !g.Successive {
			ends = [2]uint64{2 * uint64(p), 2*uint64(p) + 1}
		}
	}
	for i := range ends {
		if ends[i], ok = r.index(ends[i]); !ok {
			return x, false
		}
	}
	if r.g.Kind == SweptSpheres && g.Successive {
		ends[1]++
		if before, ok := r.index(uint64(p) - 1); p > 0 && ok && before+1 == ends[0] {
			x.caps &^= 1
		}
	}
	for i, n := range ends {
		n += uint64(r.g.FirstVertex)
		if n >= r.vertices || n >= r.radii {
			return x, false
		}
		x.centers[i], x.radii[i] = r.position(n), r.radiusAt(n)
		if !x.centers[i].isFinite() || !isFinite(x.radii[i]) || x.radii[i] < 0 {
			return x, false
		}
	}
	return x, true
}

// position returns the position of vertex i.
func (r *reader) position(i uint64) (v vec) {
	if r.codec != nil {
		return r.decoded(i)
	}
	v[0], v[1], v[2] = r.vertex(i)
	return v
}

// roundsOf returns the rounds of items.
func roundsOf(items []item, readers []reader) []round {
	rounds := make([]round, len(items))
	for i := range items {
		it := &items[i]
		// The application may write its memory during the build.
		x, ok := readers[it.geometry].round(it.primitive)
		rounds[i] = numbered(x, ok, it.geometry, it.primitive)
	}
	return rounds
}

// numbered returns the round x of a primitive, or one that no ray hits.
func numbered(x round, active bool, geometry, primitive uint32) round {
	if !active {
		x = round{radii: [2]float32{inactiveRadius, inactiveRadius}}
	}
	x.geometry, x.primitive = geometry, primitive
	return x
}
