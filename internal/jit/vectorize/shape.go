package vectorize

// Shapes: the lattice of the divergence analysis
//
// A shape is the statically known relation between the lanes of a value. The Region Vectorizer (RV) has the
// same idea, as VectorShape; here saturated addresses have a kind of their own, because the offsets of the
// IR saturate instead of wrapping around.
//
//	vx = in.i32 #0                strided, step 1         (global.x)
//	vi = add.i32 vx, vn           strided, step 1         (vn is uniform)
//	vo = at 0:i32, vi, #4         address, step 1, stride 4: consecutive words
//	va = ld.i32 vA, vo, #0        varying
//	vc = ult.i32 5:i32, vn        uniform

// kind is how a value varies over the active lanes of a strip. Kinds are ordered from the most to the least
// information; the analysis moves a value only upwards.
type kind uint8

const (
	uniform kind = iota // the same in all lanes
	strided             // base + step·lane modulo 2³², within each part
	address             // byte offset min(U + i·stride, 2³²−1): U uniform, i strided within each part
	varying             // no known relation between the lanes
)

// shape is an element of the lattice: a kind and its parameters.
type shape struct {
	kind   kind
	step   uint32 // of a strided value, or of the index of an address: the increment from lane to lane
	stride uint64 // of an address: bytes per unit of the index

	regular  bool   // the parts form one sequence too: each base is partStep more than the last
	partStep uint32 // modulo 2³²; 0 unless regular

	// align is the number of low bits that are known to be 0 in a uniform value, in lane 0 of the strip
	// (regular), or in lane 0 of each part. It is 0 for addresses and varying values.
	align uint8
}

// uniformInPart reports whether all lanes of each part hold the same value.
func (x shape) uniformInPart() bool { return x.kind == uniform || x.kind == strided && x.step == 0 }

// maxStep bounds the steps and strides of addresses, so that no 64-bit sum overflows.
const maxStep = 1 << 20

// join returns the least shape that includes x and y, which are of the same kind.
func (x shape) join(y shape) shape {
	if x.step != y.step || x.stride != y.stride {
		return shape{kind: varying}
	}
	if x.partStep != y.partStep || x.regular != y.regular {
		x.align, y.align = x.partAlign(), y.partAlign()
		x.regular, x.partStep = false, 0
	}
	x.align = min(x.align, y.align)
	return x
}

// plus returns the shape of x + y·k for strided or uniform x and y.
func (x shape) plus(y shape, k uint32) shape {
	out := shape{kind: strided, step: x.step + y.step*k}
	if (x.regular || x.kind == uniform) && (y.regular || y.kind == uniform) {
		out.regular, out.partStep = true, x.partStep+y.partStep*k
	}
	return out
}

// ascending reports whether a strided value grows, or is constant, from lane to lane and from part to part,
// unless it wraps around.
func (x shape) ascending() bool {
	return x.kind == strided && x.step <= maxStep && x.partStep <= maxStep
}
