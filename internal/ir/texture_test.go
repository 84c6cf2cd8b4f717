package ir

import (
	"reflect"
	"testing"
)

// TestTextureText prints and parses heads of texture functions, and checks their
// signatures against the comment of Texture.
func TestTextureText(t *testing.T) {
	for _, c := range []struct {
		text          string
		x             Texture
		args, results []Type
	}{
		{"texture read 2d f32 image 0", Texture{Dim: Dim2D, Type: F32, Sampler: -1},
			[]Type{I32, I32, I32}, []Type{F32, F32, F32, F32}},
		{"texture read 2d arrayed f32 image 0 subpass", Texture{Dim: Dim2D, Arrayed: true, Subpass: true, Type: F32, Sampler: -1},
			[]Type{I32, I32, I32, I32}, []Type{F32, F32, F32, F32}},
		{"texture texel cube arrayed i64 image 0", Texture{Op: TextureTexel, Dim: DimCube, Arrayed: true, Type: I64, Sampler: -1},
			[]Type{I32, I32, I32, I32}, []Type{I32}},
		{"texture write 2d multisampled i32 image 0 samplei !coh", Texture{Op: TextureWrite, Dim: Dim2D, Multisampled: true, Type: I32, Sampler: -1, Operands: TextureSampleI, Flags: Coherent},
			[]Type{I32, I32, I32, I32, I32, I32, I32, I32}, nil},
		{"texture sample cube arrayed f32 image 0 sampler 2 dref grad sparse", Texture{Op: TextureSample, Dim: DimCube, Arrayed: true, Type: F32, Sampler: 2, Operands: TextureDref | TextureGrad | TextureSparse},
			[]Type{I32, I32, F32, F32, F32, F32, F32, F32, F32, F32, F32, F32, F32}, []Type{I32, F32}},
		{"texture gather 2d f32 image 0 sampler 2 component 3 offset", Texture{Op: TextureGather, Dim: Dim2D, Type: F32, Sampler: 2, Component: 3, Operands: TextureOffset},
			[]Type{I32, I32, F32, F32, I32, I32}, []Type{F32, F32, F32, F32}},
		{"texture gather 2d i32 image 0 sampler 2 component 1 nearest offsets", Texture{Op: TextureGather, Dim: Dim2D, Type: I32, Sampler: 2, Component: 1, Nearest: true, Operands: TextureOffsets},
			[]Type{I32, I32, F32, F32, I32, I32, I32, I32, I32, I32, I32, I32}, []Type{I32, I32, I32, I32}},
		{"texture footprint 3d f32 image 0 sampler 2 coarse lod", Texture{Op: TextureFootprint, Dim: Dim3D, Type: F32, Sampler: 2, Coarse: true, Operands: TextureLod},
			[]Type{I32, I32, F32, F32, F32, F32, I32}, []Type{I32, I32, I32, I32, I32, I32, I32, I32, I32, I32, I32}},
		{"texture box 2d f32 image 0 sampler 2", Texture{Op: TextureBox, Dim: Dim2D, Type: F32, Sampler: 2},
			[]Type{I32, I32, F32, F32, F32, F32}, []Type{F32, F32, F32, F32}},
		{"texture weighted 2d f32 image 0 sampler 2 other 3", Texture{Op: TextureWeighted, Dim: Dim2D, Type: F32, Sampler: 2, Other: 3},
			[]Type{I32, I32, F32, F32, I32}, []Type{F32, F32, F32, F32}},
		{"texture matchgather 2d f32 image 0 sampler 2 other 3 squared", Texture{Op: TextureMatchGather, Dim: Dim2D, Type: F32, Sampler: 2, Other: 3, Squared: true},
			[]Type{I32, I32, I32, I32, I32, I32, I32, I32, I32}, []Type{F32, F32, F32, F32}},
	} {
		p := &Program{SubgroupSize: 16, LocalSize: [3]uint32{1, 1, 1}, Res: []Resource{{Kind: Texels}, {Kind: ImageShape}, {Kind: SamplerState}, {Kind: Texels}, {Kind: ImageShape}}}
		b := NewFunc("main", nil, nil)
		b.Return()
		b.End()
		p.Funcs = []*Func{b.Func, NewTexture("t", c.x)}
		if err := p.Verify(); err != nil {
			t.Errorf("%s: %v", c.text, err)
		}
		if s := c.x.String(); s != c.text {
			t.Errorf("prints %q; must be %q", s, c.text)
		}
		args, results := c.x.Signature()
		if !reflect.DeepEqual(args, c.args) || !reflect.DeepEqual(results, c.results) {
			t.Errorf("%s: signature %v -> %v; must be %v -> %v", c.text, args, results, c.args, c.results)
		}
		q, err := Parse(p.String())
		if err != nil || q.String() != p.String() || !reflect.DeepEqual(q.Funcs[1].Texture, p.Funcs[1].Texture) {
			t.Errorf("%s: read again: %v\n%s", c.text, err, p)
		}
	}
}
