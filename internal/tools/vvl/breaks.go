package main

import (
	"math/rand/v2"
	"slices"
)

// fault is a way to break a pipeline in one place.
type fault struct {
	name  string
	apply func(r *rand.Rand, p *pipeline) bool // false if the pipeline has no position for it
}

// breaks are all ways.
var breaks = slices.Concat(interfaceBreaks, vertexBreaks, layoutBreaks, stageBreaks, stateBreaks)

// follows returns two stages that follow on each other, neither of them the
// first of a pipeline that has one alone.
func follows(r *rand.Rand, p *pipeline) (before, after *shader) {
	if len(p.shaders) < 2 {
		return nil, nil
	}
	i := r.IntN(len(p.shaders) - 1)
	return p.shaders[i], p.shaders[i+1]
}

// shared returns an input with a location and the output that it reads.
func shared(r *rand.Rand, p *pipeline) (out, in *variable) {
	before, after := follows(r, p)
	if before == nil {
		return nil, nil
	}
	for _, i := range r.Perm(len(after.inputs)) {
		in = &after.inputs[i]
		for k := range before.outputs {
			if out = &before.outputs[k]; in.builtIn == "" && out.builtIn == "" && out.location == in.location {
				return out, in
			}
		}
	}
	return nil, nil
}

// interfaceBreaks break the interfaces between stages.
var interfaceBreaks = []fault{
	{"input without output", func(r *rand.Rand, p *pipeline) bool {
		_, after := follows(r, p)
		if after == nil {
			return false
		}
		after.inputs = append(after.inputs, variable{location: 25, of: numeric{'f', 1 + r.IntN(4)}})
		return true
	}},
	{"input of another type", func(r *rand.Rand, p *pipeline) bool {
		out, in := shared(r, p)
		if in == nil || in.of.kind == 'd' {
			return false
		}
		before, to := in.of.kind, map[byte]byte{'f': 'u', 'u': 'f', 'i': 'f'}[in.of.kind]
		in.of.kind = to
		in.flat = in.flat || p.shader(fragmentBit) != nil && before == 'f' && in == lastInput(p, in)
		return out.of.kind != to
	}},
	{"signed input of an unsigned output", func(r *rand.Rand, p *pipeline) bool {
		out, in := shared(r, p)
		if in == nil || out.of.kind != 'u' {
			return false
		}
		in.of.kind = 'i'
		return true
	}},
	{"input wider than its output", func(r *rand.Rand, p *pipeline) bool {
		_, in := shared(r, p)
		if in == nil || in.of.rows == 4 || in.component > 0 || in.of.kind == 'd' {
			return false
		}
		in.of.rows++
		return true
	}},
	{"input at another component", func(r *rand.Rand, p *pipeline) bool {
		_, in := shared(r, p)
		if in == nil || in.of.rows > 2 || in.of.kind == 'd' {
			return false
		}
		in.component = 2 - in.component
		return in.component != 1
	}},
	{"patch input of an output that is none", func(_ *rand.Rand, p *pipeline) bool {
		e := p.shader(evaluationBit)
		if e == nil {
			return false
		}
		c := p.shader(controlBit)
		c.outputs[len(c.outputs)-1].patch = false
		return true
	}},
	{"output beyond all locations", func(_ *rand.Rand, p *pipeline) bool {
		if p.Compute {
			return false
		}
		v := p.shader(vertexBit)
		v.outputs = append(v.outputs, variable{location: 200, of: numeric{'f', 4}})
		return true
	}},
	{"two outputs at one location", func(_ *rand.Rand, p *pipeline) bool {
		if p.Compute || len(p.shader(vertexBit).outputs) < 2 {
			return false
		}
		v := p.shader(vertexBit)
		v.outputs = append(v.outputs, v.outputs[0])
		return v.outputs[0].builtIn == ""
	}},
	{"integers that are not flat", func(_ *rand.Rand, p *pipeline) bool {
		f := p.shader(fragmentBit)
		if f == nil {
			return false
		}
		for i := range f.inputs {
			if in := &f.inputs[i]; in.of.kind != 'f' {
				f.inputs = slices.Clone(f.inputs)
				f.inputs[i].flat = false
				return true
			}
		}
		return false
	}},
}

// lastInput returns v if it is an input of the fragment stage.
func lastInput(p *pipeline, v *variable) *variable {
	f := p.shader(fragmentBit)
	for i := range f.inputs {
		if &f.inputs[i] == v {
			return v
		}
	}
	return nil
}

// vertexBreaks break vertex input.
var vertexBreaks = []fault{
	attributes("attribute missing", func(r *rand.Rand, v *vertexInput) bool {
		i := r.IntN(len(v.Attributes))
		v.Attributes = slices.Delete(v.Attributes, i, i+1)
		return true
	}),
	attributes("attribute of another type", func(r *rand.Rand, v *vertexInput) bool {
		a := &v.Attributes[r.IntN(len(v.Attributes))]
		for k, list := range map[byte][]uint32{'f': formats['u'], 'u': formats['f'], 'i': formats['f']} {
			if i := slices.Index(formats[k], a.Format); i >= 0 {
				a.Format = list[i]
				return true
			}
		}
		return false
	}),
	attributes("signed attribute of an unsigned input", func(_ *rand.Rand, v *vertexInput) bool {
		for i := range v.Attributes {
			if k := slices.Index(formats['u'], v.Attributes[i].Format); k >= 0 {
				v.Attributes[i].Format = formats['i'][k]
				return true
			}
		}
		return false
	}),
	attributes("attribute without buffer", func(_ *rand.Rand, v *vertexInput) bool { v.Attributes[0].Binding = 5; return true }),
	attributes("two attributes at one location", func(_ *rand.Rand, v *vertexInput) bool {
		v.Attributes = append(v.Attributes, v.Attributes[0])
		return true
	}),
	attributes("two buffers of one number", func(_ *rand.Rand, v *vertexInput) bool {
		v.Bindings, v.Divisors = append(v.Bindings, v.Bindings[0]), nil
		return true
	}),
	attributes("buffer above the limit", func(_ *rand.Rand, v *vertexInput) bool {
		v.Bindings = append(v.Bindings, vertexBinding{32, 16, 0})
		return true
	}),
	attributes("stride above the limit", func(_ *rand.Rand, v *vertexInput) bool { v.Bindings[0].Stride = 4096; return true }),
	attributes("location above the limit", func(_ *rand.Rand, v *vertexInput) bool {
		v.Attributes = append(v.Attributes, attribute{32, 0, 109, 0})
		return true
	}),
	attributes("offset above the limit", func(_ *rand.Rand, v *vertexInput) bool { v.Attributes[0].Offset = 1 << 20; return true }),
	attributes("divisor of vertices", func(_ *rand.Rand, v *vertexInput) bool { v.Divisors = []divisor{{0, 1}}; return true }),
	attributes("divisor of a buffer above the limit", func(_ *rand.Rand, v *vertexInput) bool { v.Divisors = []divisor{{40, 1}}; return true }),
	attributes("too many buffers", func(_ *rand.Rand, v *vertexInput) bool {
		for i := range 33 {
			v.Bindings = append(v.Bindings, vertexBinding{uint32(2 + i), 16, 0})
		}
		return true
	}),
	attributes("attribute of 64 bits", func(_ *rand.Rand, v *vertexInput) bool {
		for i := range v.Attributes {
			if slices.Contains(formats['f'], v.Attributes[i].Format) {
				v.Attributes[i].Format = formats['d'][3]
				return true
			}
		}
		return false
	}),
}

// attributes breaks vertex input that has attributes.
func attributes(name string, f func(*rand.Rand, *vertexInput) bool) fault {
	return fault{name, func(r *rand.Rand, p *pipeline) bool {
		return !p.Compute && len(p.State.Vertex.Attributes) > 0 && f(r, p.State.Vertex)
	}}
}
