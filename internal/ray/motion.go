package ray

import (
	"fmt"
	"math"
)

// InstanceMotion is the motion of an instance from time 0 to time 1: of its matrix, or of the decomposition of its matrix.
type InstanceMotion struct {
	// Matrix is the matrix object to world at time 1; that at time 0 is the instance's Transform.
	Matrix [12]float32
	// SRT: the instance has the decompositions From and To (VkSRTDataNV) in place of matrices.
	SRT      bool
	From, To [srtFloats]float32
}

// srtFloats is the number of floats of a decomposition: sx, a, b, pvx, sy, c, pvy, sz, pvz, qx, qy, qz, qw, tx, ty, tz.
const srtFloats = 16

// clampTime returns the time of a ray, from 0 to 1. A NaN is 0.
func clampTime(t float32) float32 { return min32(max32(t, 0), 1) }

// interpolated returns x at time 0, y at time 1, and values between them at other times. The conversions forbid that a compiler
// fuses a product with the sum.
func interpolated(x, y, time float32) float64 {
	t := float64(time)
	return float64(float64(x)*(1-t)) + float64(float64(y)*t)
}

// blend is interpolated, rounded to 32 bits: it never leaves the interval of x and y.
func blend(x, y, time float32) float32 { return float32(interpolated(x, y, time)) }

// transformAt returns the matrix of a moving instance at a time. It is not finite if the rotation has no axis.
func (i *Instance) transformAt(time float32) [12]float32 {
	return i.Motion.transformAt(&i.Transform, time)
}

// transformAt returns the matrix at a time of an instance with a matrix at time 0.
func (k *InstanceMotion) transformAt(start *[12]float32, time float32) (m [12]float32) {
	if !k.SRT {
		for j := range m {
			m[j] = blend(start[j], k.Matrix[j], time)
		}
		return m
	}
	var s [srtFloats]float64
	for j := range s {
		s[j] = interpolated(k.From[j], k.To[j], time)
	}
	return composed(&s)
}

// composed returns the matrix of a decomposition: the translation times the rotation times the matrix of scale, shear and
// pivot. Interpolated quaternions have no unit length, and are normalized.
func composed(s *[srtFloats]float64) (m [12]float32) {
	length := math.Sqrt(float64(s[9]*s[9]) + float64(s[10]*s[10]) + float64(s[11]*s[11]) + float64(s[12]*s[12]))
	x, y, z, w := s[9]/length, s[10]/length, s[11]/length, s[12]/length
	rotation := [3][3]float64{
		{1 - 2*(float64(y*y)+float64(z*z)), 2 * (float64(x*y) - float64(w*z)), 2 * (float64(x*z) + float64(w*y))},
		{2 * (float64(x*y) + float64(w*z)), 1 - 2*(float64(x*x)+float64(z*z)), 2 * (float64(y*z) - float64(w*x))},
		{2 * (float64(x*z) - float64(w*y)), 2 * (float64(y*z) + float64(w*x)), 1 - 2*(float64(x*x)+float64(y*y))},
	}
	scale := [3][4]float64{{s[0], s[1], s[2], s[3]}, {0, s[4], s[5], s[6]}, {0, 0, s[7], s[8]}}
	for i := range 3 {
		for j := range 4 {
			sum := float64(rotation[i][0]*scale[0][j]) + float64(rotation[i][1]*scale[1][j]) + float64(rotation[i][2]*scale[2][j])
			if j == 3 {
				sum += s[13+i]
			}
			m[4*i+j] = float32(sum)
		}
	}
	return m
}

// at returns instance i of s at a time. It uses the memory of now if the instance moves.
func (s *Structure) at(i uint32, time float32, now *placed) *placed {
	p := &s.instances[i]
	if !p.moves {
		return p
	}
	*now = *p
	now.moves = false
	now.Transform = s.motions[i].transformAt(&p.Transform, time)
	now.inverse, now.active = invert(&now.Transform)
	now.active = now.active && isFiniteMatrix(&now.Transform)
	return now
}

// isFiniteMatrix reports whether all elements of m are finite.
func isFiniteMatrix(m *[12]float32) bool {
	for _, x := range m {
		if !isFinite(x) {
			return false
		}
	}
	return true
}

// movingBounds returns the box of a moving instance at all times, and bounds of its spread. It is not ok if the matrix is, or may
// be, singular at some time.
func (i *Instance) movingBounds() (lo, hi vec, scale, offset float64, ok bool) {
	k := i.Motion
	box := nothing()
	// Without a turn, the matrix is between the ones at both ends, and each point is between its positions there.
	ends, turn := [2][12]float32{i.transformAt(0), i.transformAt(1)}, 1.0
	if k.SRT && [4]float32(k.From[9:13]) != [4]float32(k.To[9:13]) {
		// The rows of a rotation have sums of at most √3: it and its inverse enlarge the spread three times at most.
		ends, turn = [2][12]float32{stretch(&k.From), stretch(&k.To)}, 3
		box = i.turningBounds()
	} else {
		for e := range ends {
			l, h := i.Bottom.boundsIn(&ends[e])
			box.add(&l, &h)
		}
	}
	if scale, offset, ok = spreadBetween(&ends[0], &ends[1], float64(i.Bottom.reach)); !ok {
		return lo, hi, 0, 0, false
	}
	scale, offset = float64(turn*scale), float64(turn*offset)
	// The matrices of intermediate times are rounded.
	grow := 4 * unit * (float64(reachOf(box.lo, box.hi)) + offset)
	for k := range lo {
		lo[k], hi[k] = down32(float64(box.lo[k])-grow), up32(float64(box.hi[k])+grow)
	}
	return lo, hi, scale, offset, true
}

// stretch returns the matrix of scale, shear and pivot of a decomposition. Each pivot has the largest coordinate of the
// translation added to its absolute value, because a rotation moves the translation to any component.
func stretch(s *[srtFloats]float32) [12]float32 {
	t := float32(float32(math.Sqrt(3)) * max(abs32(s[13]), abs32(s[14]), abs32(s[15])))
	return [12]float32{s[0], s[1], s[2], abs32(s[3]) + t, 0, s[4], s[5], abs32(s[6]) + t, 0, 0, s[7], abs32(s[8]) + t}
}

const (
	// mostPieces bounds the parts of a motion whose inverses have bounds of their own, and the trials to find them.
	mostPieces = 64
	// mostChange is how much the matrix changes at most from the middle to the ends of a part, relative to the one in the middle.
	// roundings is more than the roundings of the matrices add to it if the spread is at most maxSpread.
	mostChange = 3.0 / 8
	roundings  = 1.0 / 8
)

// spreadBetween returns bounds of the spreads of all matrices between two ones. It is not ok if one of them is, or may be,
// singular.
//
// It divides the motion into parts. A matrix of a part is M·(I+E), where M is the one in its middle and E is small: its inverse
// has a norm of at most that of the inverse of M, divided by 1 minus the norm of E (Golub and Van Loan 2013, "Matrix
// Computations", lemma 2.3.3). The norm of the matrices themselves is largest at an end of the part.
func spreadBetween(from, to *[12]float32, reach float64) (scale, offset float64, ok bool) {
	var change [12]float64
	var shift float64
	for i := range change {
		change[i] = float64(to[i]) - float64(from[i])
		if i%4 == 3 {
			shift = max(shift, math.Abs(float64(from[i])), math.Abs(float64(to[i])))
		}
	}
	at, size := 0.0, 1.0
	for range mostPieces {
		var middle [12]float32
		for i := range middle {
			middle[i] = float32(float64(from[i]) + float64((at+size/2)*change[i]))
		}
		r, invertible := invert(&middle)
		var matrix, inverse, moved float64 // largest sums of rows: of the matrix, the inverse, and the change times the inverse
		for i := range 3 {
			var m, n, e float64
			for j := range 3 {
				x := float64(from[4*i+j])
				m += max(math.Abs(x+float64(at*change[4*i+j])), math.Abs(x+float64((at+size)*change[4*i+j])))
				n += math.Abs(r[j][i])
				e += math.Abs(float64(r[0][i]*change[j]) + float64(r[1][i]*change[4+j]) + float64(r[2][i]*change[8+j]))
			}
			matrix, inverse, moved = max(matrix, m), max(inverse, n), max(moved, e*size/2)
		}
		if !invertible || !(moved <= mostChange) {
			size /= 2
			continue
		}
		inverse /= 1 - roundings - moved
		scale, offset = max(scale, matrix*inverse), max(offset, matrix*(float64(inverse*shift)+reach))
		if at += size; at >= 1 {
			return scale, offset, true
		}
		size = min(2*size, 1-at)
	}
	return 0, 0, false
}

// turningBounds returns the box of an instance that turns: its points are in balls around the translations between those of
// both ends. No point is farther from the translation than the farthest one at an end, because the matrices of scale,
// shear and pivot, and so the positions before the rotation, are between the ones at the ends.
func (i *Instance) turningBounds() bounds {
	box := nothing()
	var radius float64
	for _, s := range [2]*[srtFloats]float32{&i.Motion.From, &i.Motion.To} {
		var far double // largest absolute coordinates
		for k := range 3 {
			far[k] = max(math.Abs(float64(i.Bottom.lo[k])), math.Abs(float64(i.Bottom.hi[k])))
		}
		abs := func(j int) float64 { return math.Abs(float64(s[j])) }
		part := func(j, axis int) float64 { return float64(math.Abs(float64(s[j])) * far[axis]) }
		at := double{part(0, 0) + part(1, 1) + part(2, 2) + abs(3), part(4, 1) + part(5, 2) + abs(6), part(7, 2) + abs(8)}
		radius = max(radius, math.Sqrt(at.dot(at)))
	}
	radius = float64(radius * (1 + 4*unit))
	for _, s := range [2]*[srtFloats]float32{&i.Motion.From, &i.Motion.To} {
		var lo, hi vec
		for k := range lo {
			lo[k], hi[k] = down32(float64(s[13+k])-radius), up32(float64(s[13+k])+radius)
		}
		box.add(&lo, &hi)
	}
	return box
}

// triangleAt returns the positions of the triangle at a place of a bottom level at a time.
func (s *Structure) triangleAt(place uint32, time float32) triangle {
	t := s.blocks[place/4].triangle(int(place % 4))
	if s.moved == nil || time == 0 {
		return t
	}
	to := s.moved[place/4].triangle(int(place % 4))
	for v := range t {
		for k := range t[v] {
			t[v][k] = blend(t[v][k], to[v][k], time)
		}
	}
	return t
}

// movedReaders returns readers of the positions at time 1; nil if no geometry moves.
func movedReaders(geometries []Geometry, readers []reader) []reader {
	var moved []reader
	for i := range geometries {
		if !geometries[i].Moves || geometries[i].Kind != Triangles {
			continue
		}
		if moved == nil {
			moved = append(moved, readers...)
		}
		g := geometries[i]
		g.Vertices = g.Moved
		moved[i] = newReader(&g)
		readers[i].moved = &moved[i]
	}
	return moved
}

// The kinds of motion in the serialized form.
const (
	noMotion = iota
	matrixMotion
	srtMotion
)

// words returns the number of words of the serialized motion, without its kind.
func (k *InstanceMotion) words() int {
	switch {
	case k == nil:
		return 0
	case k.SRT:
		return 2 * srtFloats
	}
	return 12
}

// append appends the kind and the words of the motion.
func (k *InstanceMotion) append(b []byte) []byte {
	floats := func(list []float32) {
		for _, x := range list {
			b = appendWords(b, math.Float32bits(x))
		}
	}
	switch {
	case k == nil:
		b = appendWords(b, noMotion)
	case k.SRT:
		b = appendWords(b, srtMotion)
		floats(k.From[:])
		floats(k.To[:])
	default:
		b = appendWords(b, matrixMotion)
		floats(k.Matrix[:])
	}
	return b
}

// readMotion reads the motion of an instance.
func readMotion(r *source) (*InstanceMotion, error) {
	var k *InstanceMotion
	floats := func(list []float32) {
		for i := range list {
			list[i] = math.Float32frombits(r.word())
		}
	}
	switch kind := r.word(); kind {
	case noMotion:
		return nil, nil
	case matrixMotion:
		k = &InstanceMotion{}
		floats(k.Matrix[:])
	case srtMotion:
		k = &InstanceMotion{SRT: true}
		floats(k.From[:])
		floats(k.To[:])
	default:
		return nil, fmt.Errorf("%w: motion of the kind %d", ErrCorrupt, kind)
	}
	return k, nil
}
