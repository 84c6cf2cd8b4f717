package vectorize

// kind says how a value differs between the active lanes of a strip. Kinds are
// ordered: what is known of a value only ever gets less.
type kind uint8

const (
	uniform kind = iota // the same in all lanes
	strided             // base + step·lane modulo 2³² within each part
	address             // an offset: min(U + (row)·stride, 2³²−1), U the same within each part
	varying
)

// shape is the kind of a value and what belongs to it.
type shape struct {
	kind   kind
	step   uint32 // of a row, of the row in an address
	stride uint64 // stride of an address

	regular  bool   // of a row, of the row in an address: each part is across more than the one before
	partStep uint32 // modulo 2³²; 0 where it is not regular
}

// uniformPartOp reports whether a value is the same within each part.
func (x shape) uniformInPart() bool { return x.kind == uniform || x.kind == strided && x.step == 0 }

// maxStep bounds the steps and strides of addresses, so that no sum of 64 bits
// overflows.
const maxStep = 1 << 20

// combineParts is what is known of a value that has one of two shapes of a kind.
func (x shape) join(y shape) shape {
	if x.step != y.step || x.stride != y.stride {
		return shape{kind: varying}
	}
	if x.partStep != y.partStep || !y.regular {
		x.regular, x.partStep = false, 0
	}
	return x
}

// plus is the row x + y·k, where x and y are rows or uniform.
func (x shape) plus(y shape, k uint32) shape {
	out := shape{kind: strided, step: x.step + y.step*k}
	if (x.regular || x.kind == uniform) && (y.regular || y.kind == uniform) {
		out.regular, out.partStep = true, x.partStep+y.partStep*k
	}
	return out
}

// ascending reports whether a value is a row that nowhere falls, unless it wraps.
func (x shape) ascending() bool {
	return x.kind == strided && x.step <= maxStep && x.partStep <= maxStep
}
