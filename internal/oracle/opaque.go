package oracle

import (
	"strings"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// opaque executes an instruction without an effect that a verdict is on, whose result is any but for texels of pictures: accesses of images.
// It returns false if the instruction is none.
func (x *frame) opaque(in spirv.Inst, i int) bool {
	op := in.Op()
	t := x.m.Type(in.Type())
	switch {
	case isObject(t) || t != nil && t.IsPointer() && (t.Storage == spirv.StorageClassUniformConstant || t.Storage == spirv.StorageClassTileAttachmentQCOM):
		return x.object(in)
	case op == spirv.OpImageWrite:
		// The texels of a buffer may be in a buffer with a verdict.
		of := x.m.TypeOf(spirv.ID(in[1]))
		return of != nil && of.Image != nil && of.Image.Dim != spirv.DimBuffer
	case !readsImage(op):
		return false
	}
	v, ok := anyOf(t, i+1)
	if list := x.texel(in, t); ok && len(list) == len(v.leaves) {
		for k := range list {
			list[k].At = i + 1
		}
		v.leaves = list
	}
	if ok {
		x.vals[in.Result()] = v
	}
	return ok
}

// isObject reports whether values of a type are descriptors of images and samplers.
func isObject(t *facts.Type) bool {
	return t != nil && (t.Op == spirv.OpTypeImage || t.Op == spirv.OpTypeSampler || t.Op == spirv.OpTypeSampledImage)
}

// readsImage reports whether the instruction reads texels of an image, or a property of it.
func readsImage(op spirv.Op) bool {
	name := op.String()
	for _, prefix := range [...]string{"OpImageSample", "OpImageSparseSample", "OpImageFetch", "OpImageSparseFetch", "OpImageGather", "OpImageSparseGather", "OpImageDrefGather", "OpImageSparseDrefGather", "OpImageRead", "OpImageSparseRead", "OpImageQuery"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
