package ray

import "math"

// An Instance places a bottom level in a top level.
type Instance struct {
	// Transform is the matrix object to world of 3 rows and 4 columns; the one of time 0 if the instance moves.
	Transform [12]float32
	// Custom and RecordOffset have 24 bits.
	Custom, RecordOffset uint32
	Mask                 uint8
	Flags                InstanceFlags
	// Reference is the number of the bottom level in tables and in the serialized form; 0 makes the instance
	// inactive.
	Reference uint64
	// Bottom is the bottom level. A nil Bottom makes the instance inactive.
	Bottom *Structure
	// Motion is nil for an instance that does not move.
	Motion *InstanceMotion
}

// placed is an instance in a top level, with the fields of Instance. It has no pointers, so that the garbage collector does not read the
// instances of a structure.
type placed struct {
	// inverse has the columns of the matrix world to object; it is 0 if the instance moves. The machine code reads it.
	inverse              [4][3]float64
	Transform            [12]float32
	Custom, RecordOffset uint32
	Reference            uint64
	Mask                 uint8
	Flags                InstanceFlags
	// active instances are in the tree. Those that move have a motion in the structure.
	active, moves bool
}

// placement is the padded box of an instance at all times, with a fourth component without a meaning, the reach of this box, and the spread of
// the instance. An instance that is not bounded may be anywhere. The machine code writes it.
type placement struct {
	lo, hi        [4]float32
	scale, offset float64
	reach         float32
	bounded       bool
}

// pad pads the box of a bounded instance, which is exact before, and sets its reach. An instance of a large spread is not bounded.
//
// For a ray from an origin with coordinates up to o, the padding of boxes in object space, in world space, and the roundings of the box
// itself are slack roundoffs of spread·o, beside the growth of the bounds here.
func (x *placement) pad() {
	reach := float64(reachOf(vec(x.lo[:3]), vec(x.hi[:3])))
	if x.bounded = x.bounded && x.scale <= maxSpread && x.offset <= maxSpread*reach; !x.bounded {
		return
	}
	scale := max(topSlack*x.scale, 1)
	// 2 roundoffs are for the sums in 32 bits.
	grow := float32(float64(slack*unit*(float64(scale*reach)+float64(topSlack*x.offset))) + float64(2*unit*reach))
	const most = math.MaxFloat32
	for k := range 3 {
		x.lo[k], x.hi[k] = max32(x.lo[k]-grow, -most), min32(x.hi[k]+grow, most)
	}
	x.reach = reachOf(vec(x.lo[:3]), vec(x.hi[:3]))
}

// put sets p to the instance in, and x to its placement if it is active. An instance with a transform that is not
// finite or has no inverse is inactive.
func (p *placed) put(in *Instance, x *placement) {
	const low = 1<<24 - 1
	p.Custom, p.RecordOffset, p.Reference = in.Custom&low, in.RecordOffset&low, in.Reference
	p.Mask, p.Flags, p.active, p.moves = in.Mask, in.Flags, false, in.Motion != nil
	p.inverse = [4][3]float64{}
	b := in.Bottom
	if b == nil || b.top || b.root == emptyRef {
		p.Transform = in.Transform
		return
	}
	if in.Motion == nil {
		p.Transform = in.Transform
		p.active = p.set(b, x)
		return
	}
	end := in.transformAt(1) // it may have no inverse at some times
	in.Transform = in.transformAt(0)
	p.Transform = in.Transform
	if p.active = isFiniteMatrix(&p.Transform) && isFiniteMatrix(&end); !p.active {
		return
	}
	var lo, hi vec
	lo, hi, x.scale, x.offset, x.bounded = in.movingBounds()
	copy(x.lo[:], lo[:])
	copy(x.hi[:], hi[:])
	x.pad()
}

// set sets the inverse of an instance of b that does not move, and its placement. It reports whether the instance is active.
func (p *placed) set(b *Structure, x *placement) bool {
	if !hasKernel {
		return p.setPortable(b, x)
	}
	return placeAVX2(&p.inverse, &p.Transform, b, x)
}

// setPortable is set without machine code.
func (p *placed) setPortable(b *Structure, x *placement) (ok bool) {
	if !isFiniteMatrix(&p.Transform) {
		return false
	}
	if p.inverse, ok = invert(&p.Transform); !ok {
		return false
	}
	lo, hi := b.boundsIn(&p.Transform)
	copy(x.lo[:], lo[:])
	copy(x.hi[:], hi[:])
	x.scale, x.offset = p.spread(float64(b.reach))
	x.bounded = true
	x.pad()
	return true
}

// invert returns the columns of the inverse of m, computed by cofactors. It is not ok if an element of the inverse
// has no finite value.
func invert(m *[12]float32) (r [4][3]float64, ok bool) {
	var a [3][3]float64
	for i := range a {
		for j := range a[i] {
			a[i][j] = float64(m[4*i+j])
		}
	}
	var c [3][3]float64 // cofactors, transposed
	for i := range a {
		for j := range a[i] {
			i1, i2, j1, j2 := (i+1)%3, (i+2)%3, (j+1)%3, (j+2)%3
			c[j][i] = float64(a[i1][j1]*a[i2][j2]) - float64(a[i1][j2]*a[i2][j1])
		}
	}
	det := float64(a[0][0]*c[0][0]) + float64(a[0][1]*c[1][0]) + float64(a[0][2]*c[2][0])
	ok = true
	for i := range 3 {
		var sum float64
		for j := range 3 {
			r[j][i] = c[i][j] / det
			sum += float64(r[j][i] * float64(m[4*j+3]))
			ok = ok && math.Abs(r[j][i]) <= math.MaxFloat32
		}
		r[3][i] = -sum
		ok = ok && math.Abs(sum) <= math.MaxFloat32
	}
	return r, ok
}

// objectRay returns the ray in the object space of p, rounded once to 32 bits.
func (p *placed) objectRay(origin, direction vec) (o, d vec) {
	m := &p.inverse
	for k := range 3 {
		x := float64(m[0][k]*float64(origin[0])) + float64(m[1][k]*float64(origin[1]))
		o[k] = float32(x + float64(m[2][k]*float64(origin[2])) + m[3][k])
		x = float64(m[0][k]*float64(direction[0])) + float64(m[1][k]*float64(direction[1]))
		d[k] = float32(x + float64(m[2][k]*float64(direction[2])))
	}
	return o, d
}

// spread returns by how much the padding of boxes in object space grows in world space. The padding is a multiple of the distances in
// object space, which are at most N·o+D for a ray whose origin has coordinates up to o: N is the norm of the inverse, and D its
// translation and the reach of the bottom level. In world space it grows by the norm of the matrix: scale·o+offset.
func (p *placed) spread(reach float64) (scale, offset float64) {
	var matrix, inverse, distance float64 // largest sums of rows, largest translation
	for i := range 3 {
		var m, n float64
		for j := range 3 {
			m += math.Abs(float64(p.Transform[4*i+j]))
			n += math.Abs(p.inverse[j][i])
		}
		matrix, inverse = max(matrix, m), max(inverse, n)
		distance = max(distance, math.Abs(p.inverse[3][i]))
	}
	return matrix * inverse, matrix * (distance + reach)
}

// boundsIn returns the box of a bottom level in the space that m transforms into, rounded outwards.
func (s *Structure) boundsIn(m *[12]float32) (lo, hi vec) {
	for k := range lo {
		row := m[4*k:][:4]
		l, h := float64(row[3]), float64(row[3])
		for j := range 3 {
			x, y := float64(row[j])*float64(s.lo[j]), float64(row[j])*float64(s.hi[j])
			if y < x {
				x, y = y, x
			}
			l, h = l+x, h+y
		}
		lo[k], hi[k] = down32(l), up32(h)
	}
	return lo, hi
}

// down32 returns the greatest finite 32-bit float that is not greater than x, or the least one.
func down32(x float64) float32 {
	r := float32(x)
	if float64(r) > x { // the float before r
		switch bits := math.Float32bits(r); {
		case r > 0:
			r = math.Float32frombits(bits - 1)
		case r < 0:
			r = math.Float32frombits(bits + 1)
		default:
			r = -math.SmallestNonzeroFloat32
		}
	}
	return max(r, -math.MaxFloat32)
}

// up32 returns the least finite 32-bit float that is not less than x, or the greatest one.
func up32(x float64) float32 { return -down32(-x) }
