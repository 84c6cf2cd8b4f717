package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/texture"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// standIn is the image format and the sampler filter that listings assume: sampling
// has no code before an image and a sampler are bound.
type standIn struct{ texels, filter string }

// standInFilters are the values of --filter; trilinear implies several mip levels.
var standInFilters = []string{"nearest", "linear", "trilinear"}

func (s *standIn) check() error {
	i := format.InfoByName(s.texels)
	switch {
	case i == nil || i.Compressed || i.Planes > 0 || i.Aspects != format.Color:
		return unreadable("--texels %q; want a color format of one texel, such as R8G8B8A8_UNORM", s.texels)
	case !slices.Contains(standInFilters, s.filter):
		return unreadable("--filter %q; want one of %s", s.filter, strings.Join(standInFilters, " "))
	}
	return nil
}

// bind returns p with the texture functions of the assumed images and samplers, and
// comment lines that name them; p itself and "" if p has no such functions.
func (s *standIn) bind(m *facts.Module, p *ir.Program) (*ir.Program, string, error) {
	var said strings.Builder
	bound := make([]texture.Bound, len(p.Res))
	seen := map[declaredShape]bool{}
	for _, f := range p.Funcs {
		t := f.Texture
		if t == nil {
			continue
		}
		if shape := (declaredShape{t.Image, t.Dim, t.Arrayed, t.Multisampled}); !seen[shape] {
			seen[shape] = true
			b := &bound[t.Image]
			name := s.format(m, p, t)
			v, err := s.view(t, name)
			if err != nil {
				return nil, "", err
			}
			b.Views = append(b.Views, v)
			r := &p.Res[t.Image]
			fmt.Fprintf(&said, "; set %d, binding %d: assuming a %s%s view of %s\n", r.Set, r.Binding, t.Dim, arrayedWord[t.Arrayed], name)
		}
		if t.Sampler >= 0 && bound[t.Sampler].Samplers == nil {
			v, err := s.sampler(usesDref(p, t.Sampler))
			if err != nil {
				return nil, "", err
			}
			bound[t.Sampler].Samplers = []*texture.Sampler{v}
			r := &p.Res[t.Sampler]
			fmt.Fprintf(&said, "; set %d, binding %d: assuming a repeating %s sampler\n", r.Set, r.Binding, s.filter)
		}
	}
	if said.Len() == 0 {
		return p, "", nil
	}
	q, err := compute.Link(p, bound, false, nil)
	return q, said.String(), err
}

// declaredShape is the shape of an image that the shader declares at a resource. Several
// variables of one binding may declare images of different shapes.
type declaredShape struct {
	image                 int
	dim                   ir.Dim
	arrayed, multisampled bool
}

var arrayedWord = map[bool]string{true: " arrayed"}

// usesDref reports whether a function compares through a sampler.
func usesDref(p *ir.Program, sampler int) bool {
	return slices.ContainsFunc(p.Funcs, func(f *ir.Func) bool {
		return f.Texture != nil && f.Texture.Sampler == sampler && f.Texture.Has(ir.TextureDref)
	})
}

// format returns the format that the shader declares for t's image, or else one
// that has components of its type.
func (s *standIn) format(m *facts.Module, p *ir.Program, t *ir.Texture) string {
	if name := declaredFormat(m, &p.Res[t.Image]); name != "" {
		return name
	}
	atomic, compared := false, false
	for _, f := range p.Funcs {
		if x := f.Texture; x != nil && x.Image == t.Image {
			atomic = atomic || x.Op == ir.TextureTexel
			compared = compared || x.Has(ir.TextureDref)
		}
	}
	switch {
	case t.Type == ir.I64:
		return "R64_UINT"
	case t.Type == ir.I32 && atomic:
		return "R32_UINT"
	case t.Type == ir.I32:
		return "R32G32B32A32_UINT"
	case atomic:
		return "R32_SFLOAT"
	case compared:
		return "D32_SFLOAT"
	}
	return s.texels
}

// declaredFormat returns the format that the type of the image at a resource has,
// or nothing.
func declaredFormat(m *facts.Module, r *ir.Resource) string {
	for i := range m.Variables {
		v := &m.Variables[i]
		set, _ := m.Decoration(v.ID, spirv.DecorationDescriptorSet)
		binding, ok := m.Decoration(v.ID, spirv.DecorationBinding)
		if !ok || set.Literal() != r.Set || binding.Literal() != r.Binding {
			continue
		}
		t := v.Type
		for t != nil && t.Image == nil {
			t = t.Elem
		}
		if t != nil {
			return format.OfShader(t.Image.Format.String())
		}
	}
	return ""
}

// view makes a view of a small image: its extent is not in the code.
func (s *standIn) view(t *ir.Texture, name string) (*texture.View, error) {
	const size = 4
	if t.Dim == ir.DimBuffer {
		return texture.NewBufferView(make([]byte, size*16), name)
	}
	d := texture.Desc{Format: name, Dim: t.Dim, Width: size, Layers: 1, Samples: 1}
	if t.Dim != ir.Dim1D {
		d.Height = size
	}
	switch {
	case t.Dim == ir.Dim3D:
		d.Depth = size
	case t.Dim == ir.DimCube:
		d.Dim, d.Layers = ir.Dim2D, 6
	}
	if t.Arrayed {
		d.Layers *= 2
	}
	if t.Multisampled {
		d.Samples = 4
	} else if s.filter == "trilinear" && t.Op > ir.TextureTexel {
		d.Levels = 2
	}
	m, err := texture.NewImage(d)
	if err != nil {
		return nil, err
	}
	return texture.NewView(m, texture.ViewDesc{Dim: t.Dim, Arrayed: t.Arrayed})
}

func (s *standIn) sampler(compares bool) (*texture.Sampler, error) {
	d := texture.SamplerDesc{Compare: compares, CompareOp: enum.CompareOpLessOrEqual}
	if s.filter != "nearest" {
		d.Mag, d.Min = enum.FilterLinear, enum.FilterLinear
	}
	if s.filter == "trilinear" {
		d.MipLinear, d.MaxLod = true, ir.MaxLevels
	}
	return texture.NewSampler(d)
}
