package oracle

import (
	"math"

	"github.com/chiaro-gpu/chiaro/spirv"
)

// Clip and cull distances (Vulkan, "Primitive Clipping" and "Primitive Culling"): a primitive is discarded if all its vertices have a negative distance of one
// number. Of another one with a negative clip distance the part with interpolated distances of zero and above remains.

// maxDistances bounds the distances of a vertex: the least maxCombinedClipAndCullDistances of an implementation with them.
const maxDistances = 8

// setDistance sets ClipDistance or CullDistance number i of a vertex; false if the built-in is another one.
func (c *corner) setDistance(b spirv.BuiltIn, i uint32, n Number) bool {
	list := &c.clips
	switch b {
	case spirv.BuiltInClipDistance:
	case spirv.BuiltInCullDistance:
		list = &c.culls
	default:
		return false
	}
	if i >= maxDistances {
		panic(stop{why: "more than 8 distances of a built-in"})
	}
	for int(i) >= len(*list) {
		*list = append(*list, Number{Any: true})
	}
	(*list)[i] = n
	return true
}

// leastNormal is the least normal float of 32 bits: a distance nearer to zero may count as zero.
const leastNormal = 0x1p-126

// distances is the effect of the distances of the vertices of a primitive.
type distances struct {
	gone  bool        // it is discarded
	open  bool        // it may be discarded, or a clip distance is not known
	clips [][3]Number // the distances of its open planes
}

// distancesOf determines the effect of the distances of the vertices of a primitive. Points and lines have a vertex several times.
func distancesOf(v [3]*corner) (out distances) {
	for k := range v[0].culls {
		all, some := true, true // negative for certain, or perhaps
		for _, c := range v {
			n := c.culls[k]
			all, some = all && !n.Any && n.High <= -leastNormal, some && (n.Any || n.Low < 0)
		}
		out.gone, out.open = out.gone || all, out.open || some
	}
	for k := range v[0].clips {
		plane := [3]Number{v[0].clips[k], v[1].clips[k], v[2].clips[k]}
		all, some := true, false
		for _, n := range plane {
			out.open = out.open || n.Any || n.infinite()
			all, some = all && !n.Any && n.High <= -leastNormal, some || n.Low < 0
		}
		if out.gone = out.gone || all; some {
			out.clips = append(out.clips, plane)
		}
	}
	return out
}

// distances returns the effect of the distances on a line or a point.
func (s *surface) distances() distances {
	if s.outlines {
		return distances{}
	}
	return distancesOf(s.corners)
}

// kept returns whether a place of a triangle is in the part inside of the planes. Vertices from clipping are rounded, as the poses are. The
// numerator of the formula, which is linear on the screen, has the sign of an interpolated distance.
func (s *surface) kept(px, py float64) coverage {
	c := inside1
	for _, plane := range s.clips {
		low, high := math.Inf(1), math.Inf(-1)
		for i := range s.poses {
			p := &s.poses[i]
			for _, w := range s.weights {
				least, most, sum := 0.0, 0.0, 0.0
				for k, n := range plane {
					m := float64((p.base[k] + float64(p.dx[k]*px) + float64(p.dy[k]*py)) * w[k])
					a, b := ordered(float64(m*n.Low), float64(m*n.High))
					least, most, sum = least+a, most+b, sum+max(math.Abs(a), math.Abs(b))
				}
				e := float64(sum * interpolationError)
				low, high = min(low, least-e), max(high, most+e)
			}
		}
		switch {
		case high < 0:
			return outside1
		case low <= 0:
			c = open1
		}
	}
	return c
}
