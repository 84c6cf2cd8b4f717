package ray

import (
	"math"
	"strings"
	"unsafe"
)

// width is the number of children of a node.
const width = 8

// ref is a reference to a child: a node, a leaf or nothing.
//
//	node                   its index
//	leaf of triangles      leafBit | (blocks−1)<<28 | index of the first block
//	leaf of boxes          leafBit | index of the box
//	leaf of spheres        leafBit | index of the round
//	leaf of a top level    leafBit | index of the instance
type ref uint32

const (
	leafBit  ref = 1 << 31
	emptyRef ref = math.MaxUint32
	// maxLeafBlocks is the largest number of blocks of a leaf.
	maxLeafBlocks = 8
	// maxBlocks is the largest number of blocks.
	maxBlocks = 1 << 28
)

// leafOf returns the reference to a leaf of triangles.
func leafOf(first, blocks int) ref { return leafBit | ref(blocks-1)<<28 | ref(first) }

// blockRange returns the first block and the number of blocks of a leaf of triangles.
func (r ref) blockRange() (first, blocks int) {
	return int(r & (maxBlocks - 1)), int(r>>28&(maxLeafBlocks-1)) + 1
}

// node is an inner node: the boxes of its children, by component, and references to them. The box of a child that
// does not exist is inverted and infinite: no ray hits it. The machine code reads nodes.
type node struct {
	// bounds holds the least x, the greatest x, the least y, … of the children.
	bounds [6][width]float32
	child  [width]ref
}

// nodeSize is the size of a node in bytes.
const nodeSize = 224

// set makes r child i, with its box.
func (n *node) set(i int, lo, hi vec, r ref) {
	for k := range 3 {
		n.bounds[2*k][i], n.bounds[2*k+1][i] = lo[k], hi[k]
	}
	n.child[i] = r
}

// inf32 is positive infinity.
var inf32 = float32(math.Inf(1))

// noLo and noHi are the corners of the box that no ray hits.
var noLo, noHi = vec{inf32, inf32, inf32}, vec{-inf32, -inf32, -inf32}

// block is four triangles by component, so that one vector operation handles a coordinate of all. The lanes with triangles come
// first: a traversal and an update stop at the first one without. Such a lane has a number that no primitive has, and the positions
// of the last triangle, so that it causes no further work. The machine code reads blocks.
type block struct {
	// vertices holds vertex, component, lane.
	vertices            [3][3][4]float32
	geometry, primitive [4]uint32
}

// blockSize is the size of a block in bytes.
const blockSize = 176

// triangle returns the positions of the triangle of a lane.
func (b *block) triangle(lane int) (t triangle) {
	for v := range t {
		for k := range t[v] {
			t[v][k] = b.vertices[v][k][lane]
		}
	}
	return t
}

// used reports whether a lane has a triangle.
func (b *block) used(lane int) bool { return b.primitive[lane] != math.MaxUint32 }

// fresh returns n elements with any values: a caller that sets all of them saves the time to clear them. T has no pointers, and its size is
// a multiple of 8.
func fresh[T any](n int) []T {
	if n == 0 {
		return []T{}
	}
	var b strings.Builder
	b.Grow(n * int(unsafe.Sizeof(*new(T))))
	b.WriteByte(0) // a string without bytes may have no address
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.StringData(b.String()))), n)
}

// large returns n elements with any values, as fresh does, in memory for random accesses: with huge pages, if the system has them, a processor keeps the
// addresses of all pages.
func large[T any](n int) []T {
	list := fresh[T](n)
	adviseHuge(unsafe.Pointer(unsafe.SliceData(list)), uintptr(n)*unsafe.Sizeof(*new(T)))
	return list
}
