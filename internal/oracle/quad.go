package oracle

import (
	"math"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// The kinds of derivatives.
const (
	alongX = 1 + iota
	alongY
	alongBoth // the sum of absolute values
)

// derivatives are the instructions of derivatives.
var derivatives = map[spirv.Op]int{
	spirv.OpDPdx: alongX, spirv.OpDPdxFine: alongX, spirv.OpDPdxCoarse: alongX,
	spirv.OpDPdy: alongY, spirv.OpDPdyFine: alongY, spirv.OpDPdyCoarse: alongY,
	spirv.OpFwidth: alongBoth, spirv.OpFwidthFine: alongBoth, spirv.OpFwidthCoarse: alongBoth,
}

// fine are the derivatives in the row or the column of the invocation; the others may have those of either one.
var fine = map[spirv.Op]bool{spirv.OpDPdxFine: true, spirv.OpDPdyFine: true, spirv.OpFwidthFine: true}

// implicit are the instructions that take the level of detail from the coordinates of a quad.
var implicit = map[spirv.Op]bool{
	spirv.OpImageSampleImplicitLod: true, spirv.OpImageSampleProjImplicitLod: true, spirv.OpImageSampleDrefImplicitLod: true,
	spirv.OpImageSampleProjDrefImplicitLod: true, spirv.OpImageQueryLod: true,
}

// derivative executes a derivative in a fragment shader; false if the instruction is none.
func (x *frame) derivative(in spirv.Inst, i int) bool {
	op := in.Op()
	kind := derivatives[op]
	if kind == 0 || x.shading == nil {
		return false
	}
	v := open(value{leaves: x.operand(in[3])})
	if r := x.meet(i, clone(x.operand(in[3]))); r != nil {
		for k := range v.leaves {
			v.leaves[k] = r.derivative(kind, fine[op], k)
		}
	}
	for k := range v.leaves {
		v.leaves[k].At = i + 1
	}
	x.vals[in.Result()] = v
	return true
}

// meet waits for the invocations of the quad. It returns nil if they do not all arrive.
func (x *frame) meet(i int, list []Number) *request {
	if x.wait == nil {
		return nil
	}
	r := &request{frame: x, at: i, path: x.path, args: []value{{leaves: list}}}
	x.request = r
	x.wait()
	x.request = nil
	if len(r.members) != 4 {
		return nil
	}
	return r
}

// derivative returns the difference of component k of the arguments of neighbors (Vulkan, "Derivative Operations").
func (r *request) derivative(kind int, fine bool, k int) Number {
	difference := func(a, b int) Number {
		x, y := r.members[a].args[0].leaves[k], r.members[b].args[0].leaves[k]
		if x.Any || y.Any || x.infinite() || y.infinite() {
			return Number{Any: true}
		}
		return Number{Low: down(sum2(y.Low, -x.High)), High: up(sum2(y.High, -x.Low))}
	}
	choose := func(own, other [2]int) Number {
		n := difference(own[0], own[1])
		if !fine {
			if o := difference(other[0], other[1]); n.Any || o.Any {
				n.Any = true
			} else {
				n.Low, n.High = min(n.Low, o.Low), max(n.High, o.High)
			}
		}
		if !n.Any && (n.Low > -0x1p-126 && n.Low < 0 || n.High > 0 && n.High < 0x1p-126 || n.Low > 0 && n.Low < 0x1p-126 || n.High < 0 && n.High > -0x1p-126) {
			n.Low, n.High = min(n.Low, 0), max(n.High, 0) // a denormal one may be flushed
		}
		return n
	}
	column, row := r.lane&1, r.lane&2
	dx := choose([2]int{row, row + 1}, [2]int{2 - row, 3 - row})
	dy := choose([2]int{column, column + 2}, [2]int{1 - column, 3 - column})
	switch {
	case kind == alongX:
		return dx
	case kind == alongY:
		return dy
	case dx.Any || dy.Any:
		return Number{Any: true}
	}
	dx, dy = absolute(dx), absolute(dy)
	return Number{Low: down(sum2(dx.Low, dy.Low)), High: up(sum2(dx.High, dy.High))}
}

func absolute(n Number) Number {
	switch {
	case n.Any || n.Low >= 0:
		return n
	case n.High <= 0:
		return Number{Low: -n.High, High: -n.Low}
	}
	return Number{Low: 0, High: max(-n.Low, n.High)}
}

// Level is a level of a texture: its texels row by row, in ranges.
type Level struct {
	Width, Height int
	Texels        [][4]Number
}

// Texture is a sampled image of two dimensions. A texture without levels has any texels.
type Texture struct {
	Levels []Level
	// Unit is the distance of two texels: 1 over the greatest integer of a normalized format, the distance at 1 of floats, 0 for floats of 32 bits. It limits the
	// precision of filters (Vulkan, "Numeric Representation and Computation": "the representation and/or precision of operations is
	// implicitly limited by the specified format of vertex or texel data").
	Unit float64
}

// filtered widens the result of a filter by the error of its weighted sum: two steps, each of a product and a sum. most is the greatest
// magnitude of the texels; the distance of floats grows with it.
func (tex *Texture) filtered(n Number, most float64) Number {
	if n.Any {
		return n
	}
	e := float64(2*tex.Unit*max(most, 1)) + float64(most*4*operationError)
	n.Low, n.High = n.Low-e, n.High+e
	return n
}

// magnitude returns the greatest absolute value of a range.
func magnitude(n Number) float64 { return max(math.Abs(n.Low), math.Abs(n.High)) }

// Address is the texel of a coordinate outside of a texture.
type Address uint8

// The kinds.
const (
	Repeat Address = iota
	Mirror
	ClampToEdge
	ClampToBorder
	MirrorClamp
)

// Sampler is the state of a sampler.
type Sampler struct {
	LinearMag, LinearMin, LinearMip bool
	Address                         [2]Address
	Bias, MinLod, MaxLod            float64
	Anisotropy                      float64 // the greatest; 0 or 1 is none
	Unnormalized, Compare           bool
	Border                          [4]float64
}

// textured returns the permitted values of an access of a texture; nil is any.
func (x *frame) textured(in spirv.Inst, t *facts.Type, tex *Texture, s *Sampler) []Number {
	op := in.Op()
	operands, list := spirv.ImageOperandsMaskNone, in[4:]
	if len(in) > 5 {
		operands = spirv.ImageOperands(in[5])
	}
	switch {
	case len(tex.Levels) == 0:
		if implicit[op] {
			x.meet(x.at, nil)
		}
		if compares[op] {
			return x.within(in, t, tex, s)
		}
		return nil
	case op == spirv.OpImageQueryLevels:
		return []Number{{Bits: uint64(len(tex.Levels))}}
	case op == spirv.OpImageQuerySizeLod:
		if n := x.operand(list[0]); len(n) == 1 && !n[0].Any && n[0].Bits < uint64(len(tex.Levels)) && t.IsVector() && t.Count == 2 {
			l := &tex.Levels[n[0].Bits]
			return []Number{{Bits: uint64(l.Width)}, {Bits: uint64(l.Height)}}
		}
		return nil
	case op == spirv.OpImageFetch:
		return x.fetched(in, t, tex, operands)
	case op == spirv.OpImageSampleImplicitLod || op == spirv.OpImageSampleExplicitLod:
	default:
		if implicit[op] {
			x.meet(x.at, nil)
		}
		return x.within(in, t, tex, s)
	}
	at := x.operand(list[0])
	if len(at) < 2 {
		return nil
	}
	var lod, bias Number
	switch {
	case op == spirv.OpImageSampleImplicitLod:
		r := x.meet(x.at, clone(at[:2]))
		if r == nil {
			return nil
		}
		if operands&^spirv.ImageOperandsBiasMask != 0 {
			return x.within(in, t, tex, s)
		}
		lod = tex.detail([2]Number{r.derivative(alongX, false, 0), r.derivative(alongX, false, 1)}, [2]Number{r.derivative(alongY, false, 0), r.derivative(alongY, false, 1)})
		if operands&spirv.ImageOperandsBiasMask != 0 {
			bias = x.operand(in[6])[0]
		}
	case operands == spirv.ImageOperandsLodMask:
		lod = x.operand(in[6])[0]
	case operands == spirv.ImageOperandsGradMask:
		gx, gy := x.operand(in[6]), x.operand(in[7])
		if len(gx) < 2 || len(gy) < 2 {
			return nil
		}
		lod = tex.detail([2]Number{gx[0], gx[1]}, [2]Number{gy[0], gy[1]})
	default:
		return x.within(in, t, tex, s)
	}
	if s != nil && (s.Unnormalized || s.Anisotropy > 1) {
		return x.within(in, t, tex, s)
	}
	if s == nil || s.Compare || !t.Scalar().IsFloat() || t.Scalar().Width != 32 || lod.Any || bias.Any || at[0].Any || at[1].Any || at[0].infinite() || at[1].infinite() {
		return nil
	}
	return tex.sample(s, at[0], at[1], lod, bias)
}

// fetched returns a texel.
func (x *frame) fetched(in spirv.Inst, t *facts.Type, tex *Texture, operands spirv.ImageOperands) []Number {
	level := uint64(0)
	switch operands {
	case spirv.ImageOperandsMaskNone:
	case spirv.ImageOperandsLodMask:
		n := x.operand(in[6])
		if len(n) != 1 || n[0].Any || n[0].Bits >= uint64(len(tex.Levels)) {
			return nil
		}
		level = n[0].Bits
	default:
		return nil
	}
	at := x.operand(in[4])
	l := &tex.Levels[level]
	if len(at) != 2 || at[0].Any || at[1].Any || at[0].Bits >= uint64(l.Width) || at[1].Bits >= uint64(l.Height) {
		return nil
	}
	return clone(l.Texels[int(at[1].Bits)*l.Width+int(at[0].Bits)][:])
}

// detail returns the level of detail of derivatives (Vulkan, "Scale Factor Operation, LOD Operation and Image Level(s) Selection"): an
// implementation may replace the lengths by functions between the greatest component and √2 times the sum of the components.
func (tex *Texture) detail(dx, dy [2]Number) Number {
	size := [2]float64{float64(tex.Levels[0].Width), float64(tex.Levels[0].Height)}
	low, high := 0.0, 0.0
	for _, d := range [...][2]Number{dx, dy} {
		most, sum := 0.0, 0.0
		for k, n := range d {
			if n.Any || n.infinite() {
				return Number{Any: true}
			}
			a := absolute(n)
			most, sum = max(most, a.Low*size[k]), sum+float64(a.High*size[k])
		}
		low, high = max(low, most), max(high, float64(math.Sqrt2*sum))
	}
	// The error of products, sums and the logarithm. sample has the error of mipmapPrecisionBits.
	return Number{Low: math.Log2(low) - 0x1p-8, High: math.Log2(high) + 0x1p-8}
}

// leastBias is the least maxSamplerLodBias.
const leastBias = 2

// biased adds the biases of a sampler and an instruction to a level of detail. Their sum is clamped to maxSamplerLodBias, which may be 2
// or more.
func (s *Sampler) biased(lod, bias Number) (low, high float64) {
	a, b := s.Bias+bias.Low, s.Bias+bias.High
	least, most := min(max(a, -leastBias), leastBias), min(max(b, -leastBias), leastBias)
	return lod.Low + min(a, least), lod.High + max(b, most)
}

// sample returns the filtered texels at coordinates.
func (tex *Texture) sample(s *Sampler, u, v, lod, bias Number) []Number {
	if s.MinLod > s.MaxLod {
		return nil // undefined
	}
	last := float64(len(tex.Levels) - 1)
	low, high := s.biased(lod, bias)
	low, high = min(max(low, s.MinLod), s.MaxLod), min(max(high, s.MinLod), s.MaxLod)
	var out []Number
	add := func(list []Number) bool {
		if list == nil {
			return false
		}
		if out == nil {
			out = clone(list)
			return true
		}
		for k := range out {
			out[k] = hullOf(out[k], list[k])
		}
		return true
	}
	// The level has a fraction of at least mipmapPrecisionBits, 4 bits; so has the decision between the filters.
	const e = 1.0 / 16
	filters := []bool{}
	if low <= e {
		filters = append(filters, s.LinearMag)
	}
	if high >= -e && (len(filters) == 0 || s.LinearMin != s.LinearMag) {
		filters = append(filters, s.LinearMin)
	}
	for _, linear := range filters {
		from, to := max(min(low-e, last), 0), max(min(high+e, last), 0)
		if !s.LinearMip { // the nearest level; halves may go to either side
			for l := int(math.Ceil(from - 0.5)); l <= int(math.Floor(to+0.5)); l++ {
				if !add(tex.Levels[min(l, len(tex.Levels)-1)].sample(tex, s, linear, u, v)) {
					return nil
				}
			}
			continue
		}
		// A mixture of two levels has its extremes at the ends of the range and at levels.
		places := []float64{from, to}
		for k := math.Floor(from) + 1; k < to; k++ {
			places = append(places, k)
		}
		for _, at := range places {
			l := int(math.Floor(at))
			list := tex.Levels[l].sample(tex, s, linear, u, v)
			if d := at - float64(l); d > 0 && list != nil {
				list = tex.mixed(list, tex.Levels[l+1].sample(tex, s, linear, u, v), d)
			}
			if !add(list) {
				return nil
			}
		}
	}
	return out
}

// mixed returns (1 − d)·a + d·b for each component; nil if b is nil.
func (tex *Texture) mixed(a, b []Number, d float64) (out []Number) {
	for k := range b {
		n := Number{Any: a[k].Any || b[k].Any}
		n.Low = float64((1-d)*a[k].Low) + float64(d*b[k].Low)
		n.High = float64((1-d)*a[k].High) + float64(d*b[k].High)
		out = append(out, tex.filtered(n, max(magnitude(a[k]), magnitude(b[k]))))
	}
	return out
}

// hullOf returns the hull of two ranges.
func hullOf(a, b Number) Number {
	if a.Any || b.Any {
		return Number{Any: true, At: a.At}
	}
	a.Low, a.High = min(a.Low, b.Low), max(a.High, b.High)
	return a
}

// sample returns the filtered texels of a level. A linear filter has its extremes at the ends of the ranges of the coordinates and at
// the centers of texels.
func (l *Level) sample(tex *Texture, s *Sampler, linear bool, u, v Number) []Number {
	columns, rows := l.columns(u, l.Width, linear), l.columns(v, l.Height, linear)
	if len(columns) == 0 || len(rows) == 0 || len(columns)*len(rows) > 1<<12 {
		return nil
	}
	out := make([]Number, 4)
	for c := range out {
		n, most := Number{Low: math.Inf(1), High: math.Inf(-1)}, 0.0
		for _, x := range columns {
			for _, y := range rows {
				i, j := math.Floor(x), math.Floor(y)
				a, b := x-i, y-j
				var t [4]Number
				for k := range t {
					if k&1 == 1 && a == 0 || k&2 == 2 && b == 0 {
						t[k] = t[k&^1&^2]
						continue
					}
					if t[k] = l.at(s, int(i)+k&1, int(j)+k>>1, c); t[k].Any {
						n.Any = true
					}
					most = max(most, magnitude(t[k]))
				}
				mix := func(f func(Number) float64) float64 {
					top := f(t[0]) + float64(a*(f(t[1])-f(t[0])))
					bottom := f(t[2]) + float64(a*(f(t[3])-f(t[2])))
					return top + float64(b*(bottom-top))
				}
				n.Low = min(n.Low, mix(func(n Number) float64 { return n.Low }))
				n.High = max(n.High, mix(func(n Number) float64 { return n.High }))
			}
		}
		if linear {
			n = tex.filtered(n, most)
		}
		out[c] = n
	}
	return out
}

// columns returns the places of texels, in units of texels from the center of the first one, that a coordinate selects: for a linear
// filter the ends of the range with the centers between them, else centers.
func (l *Level) columns(n Number, size int, linear bool) (list []float64) {
	ends := [2]float64{float64(n.Low * float64(size)), float64(n.High * float64(size))}
	const e = 1.0 / (1 << leastFraction)
	low := ends[0] - e - float64(math.Abs(ends[0])*operationError)
	high := ends[1] + e + float64(math.Abs(ends[1])*operationError)
	if high-low > 1<<10 || math.Abs(low) > 1<<24 || math.Abs(high) > 1<<24 {
		return nil
	}
	if !linear {
		for k := math.Floor(low); k <= math.Floor(high); k++ {
			list = append(list, k)
		}
		return list
	}
	low, high = low-0.5, high-0.5
	list = append(list, low)
	for k := math.Floor(low) + 1; k < high; k++ {
		list = append(list, k)
	}
	return append(list, high)
}

// at returns a component of a texel, of the border or of the texture.
func (l *Level) at(s *Sampler, i, j, c int) Number {
	x, ok := s.Address[0].wrap(i, l.Width)
	y, ok2 := s.Address[1].wrap(j, l.Height)
	if !ok || !ok2 {
		return point(s.Border[c])
	}
	return l.Texels[y*l.Width+x][c]
}

// wrap returns the texel of a coordinate; false for the border.
func (a Address) wrap(i, n int) (int, bool) {
	mirror := func(i int) int {
		if i < 0 {
			return -1 - i
		}
		return i
	}
	switch a {
	case Repeat:
		return (i%n + n) % n, true
	case Mirror:
		return n - 1 - mirror((i%(2*n)+2*n)%(2*n)-n), true
	case ClampToEdge:
		return min(max(i, 0), n-1), true
	case MirrorClamp:
		return min(mirror(i), n-1), true
	}
	return i, i >= 0 && i < n
}
