package lower

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

var fragmentMaskRules = rules{
	spirv.OpFragmentMaskFetchAMD: fragmentMaskFetch,
	spirv.OpFragmentFetchAMD:     fragmentFetch,
}

// eachByItself is a mask of fragments: for sample i, in its four bits from 4·i
// on, the fragment is number i. Every sample is stored.
const eachByItself = 0x76543210

// fragmentMaskFetch lowers OpFragmentMaskFetchAMD: which fragment has the color of which
// sample.
func fragmentMaskFetch(f *function, in spirv.Inst) {
	v := inst.FragmentMaskFetchAMD(in)
	f.samplesOf(v.Image())
	f.scalars(v.Coordinate())
	f.defineInts(in, f.b.I32(eachByItself))
}

// fragmentFetch lowers OpFragmentFetchAMD: the color of a fragment is the sample's color.
func fragmentFetch(f *function, in spirv.Inst) {
	v := inst.FragmentFetchAMD(in)
	x := f.samplesOf(v.Image())
	op := ir.TextureFetch
	if x.typ.Image.Sampled != 1 { // of input attachments, too
		op = ir.TextureRead
	}
	o := imageOperands{sample: v.FragmentIndex()}
	f.texelResult(in, f.texel(op, v.Image(), v.Coordinate(), &o))
}

// samplesOf is an image that has several samples.
func (f *function) samplesOf(id spirv.ID) image {
	x := f.image(id)
	if !x.typ.Image.MS {
		f.malformed("the image has one sample per texel; must have several")
	}
	return x
}
