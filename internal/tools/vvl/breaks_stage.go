package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// dropping drops a stage that there is.
func dropping(name string, bit uint32) fault {
	return fault{name, func(_ *rand.Rand, p *pipeline) bool {
		i := slices.IndexFunc(p.Stages, func(s *stage) bool { return s.Stage == bit })
		if i >= 0 {
			p.shaders, p.Stages = slices.Delete(p.shaders, i, i+1), slices.Delete(p.Stages, i, i+1)
		}
		return i >= 0
	}}
}

// mode changes an execution mode of a stage that begins with a word.
func mode(name string, bit uint32, word, to string) fault {
	return fault{name, func(_ *rand.Rand, p *pipeline) bool {
		s := p.shader(bit)
		if s == nil || s.width {
			return false
		}
		i := slices.IndexFunc(s.modes, func(m string) bool { return strings.HasPrefix(m, word) })
		if i >= 0 && s.modes[i] != to {
			s.modes[i] = to
			return true
		}
		return false
	}}
}

// specialized breaks the values of specialization constants.
func specialized(name string, f func(s *specialization) bool) fault {
	return fault{name, func(r *rand.Rand, p *pipeline) bool {
		for _, i := range r.Perm(len(p.Stages)) {
			if s := p.Stages[i].Spec; s != nil && !p.shaders[i].width {
				return f(s)
			}
		}
		return false
	}}
}

// grouped breaks a compute stage without a specialized workgroup size.
func grouped(name string, f func(s *shader, st *stage)) fault {
	return fault{name, func(_ *rand.Rand, p *pipeline) bool {
		if !p.Compute || p.shaders[0].width {
			return false
		}
		f(p.shaders[0], p.Stages[0])
		return true
	}}
}

// built adds a built-in output to the vertex stage.
func built(name string, v variable, capability string) fault {
	return fault{name, func(_ *rand.Rand, p *pipeline) bool {
		s := p.shader(vertexBit)
		if s == nil || len(p.shaders) > 2 {
			return false
		}
		s.outputs, s.capabilities = append(s.outputs, v), append(s.capabilities, capability)
		return true
	}}
}

// needing declares a capability that the device does not have.
func needing(capability string) fault {
	return fault{"capability " + capability, func(r *rand.Rand, p *pipeline) bool {
		s := p.shaders[r.IntN(len(p.shaders))]
		s.capabilities = append(s.capabilities, capability)
		return true
	}}
}

// stageBreaks break stages.
var stageBreaks = []fault{
	dropping("no vertex stage", vertexBit),
	dropping("no control stage", controlBit),
	dropping("no evaluation stage", evaluationBit),
	{"two stages of one kind", func(r *rand.Rand, p *pipeline) bool {
		if p.Compute {
			return false
		}
		i := r.IntN(len(p.Stages))
		p.shaders, p.Stages = append(p.shaders, p.shaders[i]), append(p.Stages, p.Stages[i])
		return true
	}},
	{"no entry point of the name", func(r *rand.Rand, p *pipeline) bool { p.Stages[r.IntN(len(p.Stages))].Name = "mine"; return true }},
	mode("too many vertices", geometryBit, "OutputVertices", "OutputVertices 5000"),
	mode("no vertices", geometryBit, "OutputVertices", "OutputVertices 0"),
	mode("too many invocations of a geometry stage", geometryBit, "Invocations", "Invocations 64"),
	{"points without size", func(_ *rand.Rand, p *pipeline) bool {
		if p.Compute || p.State.Assembly.Topology != 0 || p.shader(geometryBit) != nil {
			return false
		}
		v := p.shader(vertexBit)
		v.outputs = v.outputs[:len(v.outputs)-1]
		return true
	}},
	specialized("value of another size", func(s *specialization) bool { s.Entries[0].Size = 2; return true }),
	specialized("value begins behind the data", func(s *specialization) bool { s.Entries[0].Offset = uint32(len(s.Data)); return true }),
	specialized("value ends behind the data", func(s *specialization) bool {
		s.Data = s.Data[:len(s.Data)-1]
		return true
	}),
	specialized("two values of a constant", func(s *specialization) bool { s.Entries = append(s.Entries, s.Entries[0]); return true }),
	grouped("workgroup too wide", func(s *shader, _ *stage) { s.modes = []string{"LocalSize 2048 1 1"} }),
	grouped("workgroup too high", func(s *shader, _ *stage) { s.modes = []string{"LocalSize 1 2048 1"} }),
	grouped("workgroup too deep", func(s *shader, _ *stage) { s.modes = []string{"LocalSize 1 1 2048"} }),
	grouped("too many invocations", func(s *shader, _ *stage) { s.modes = []string{"LocalSize 64 64 2"} }),
	grouped("too much shared memory", func(s *shader, _ *stage) { s.shared = 1 << 20 }),
	grouped("subgroup size no power of two", func(_ *shader, st *stage) { st.Size = 6 }),
	grouped("subgroup size too small", func(_ *shader, st *stage) { st.Size = 1 }),
	grouped("subgroup size too large", func(_ *shader, st *stage) { st.Size = 1 << 10 }),
	grouped("subgroup size varies and is required", func(_ *shader, st *stage) { st.Size, st.Flags = 8, 1 }),
	grouped("subgroups not full", func(s *shader, st *stage) { st.Size, st.Flags, s.modes = 0, 2, []string{"LocalSize 7 1 1"} }),
	{"specialized workgroup too wide", func(_ *rand.Rand, p *pipeline) bool {
		if !p.Compute || !p.shaders[0].width || p.Stages[0].Spec == nil {
			return false
		}
		p.Stages[0].Spec.Data[1] = 8
		return true
	}},
	needing("ShaderNonUniform"), needing("SparseResidency"), needing("MinLod"), needing("StorageImageReadWithoutFormat"), needing("Int16"),
	needing("SampledImageArrayDynamicIndexing"), needing("RuntimeDescriptorArray"), needing("RayQueryKHR"), needing("Kernel"),
	{"tessellation points of a patch", func(r *rand.Rand, p *pipeline) bool {
		if p.Compute || p.State.Tess == nil {
			return false
		}
		p.State.Tess.Points = pick(r, uint32(0), 100)
		return true
	}},
	{"no tessellation state", func(_ *rand.Rand, p *pipeline) bool {
		if p.Compute || p.State.Tess == nil {
			return false
		}
		p.State.Tess = nil
		return true
	}},
}

// oursBreaks break rules that the layers do not check (docs/differences.md):
// they run only on request.
var oursBreaks = []fault{
	mode("geometry takes other primitives", geometryBit, "Triangles", "InputLinesAdjacency"),
	mode("geometry takes points", geometryBit, "InputLines", "InputPoints"),
	{"no subdivision", func(_ *rand.Rand, p *pipeline) bool {
		e := p.shader(evaluationBit)
		if e == nil || p.shader(geometryBit) != nil {
			return false
		}
		e.modes = e.modes[1:]
		return true
	}},
	{"no output vertices", func(_ *rand.Rand, p *pipeline) bool {
		c := p.shader(controlBit)
		if c == nil {
			return false
		}
		c.modes = nil
		return true
	}},
	built("too many clip distances", variable{builtIn: "ClipDistance", of: numeric{'f', 1}, array: 9}, "ClipDistance"),
	built("too many cull distances", variable{builtIn: "CullDistance", of: numeric{'f', 1}, array: 9}, "CullDistance"),
	{"control patch too large", func(_ *rand.Rand, p *pipeline) bool {
		c := p.shader(controlBit)
		if c == nil {
			return false
		}
		c.sizeOut, c.modes = 100, []string{fmt.Sprintf("OutputVertices %d", 100)}
		return true
	}},
	state("layer in several views", func(s *states, p *pipeline) bool {
		g := p.shader(geometryBit)
		if g == nil || p.Pass == nil || len(p.Pass.Subpasses[0].Input) > 0 {
			return false
		}
		g.outputs = append(g.outputs, variable{builtIn: "Layer", of: numeric{'i', 1}})
		p.Pass.Views = 3
		return true
	}),
	{"layer of several views in a fragment stage", func(_ *rand.Rand, p *pipeline) bool {
		f := p.shader(fragmentBit)
		if f == nil || p.Pass == nil || len(p.Pass.Subpasses[0].Input) > 0 {
			return false
		}
		f.inputs = append(f.inputs, variable{builtIn: "Layer", of: numeric{'i', 1}, flat: true})
		f.capabilities = append(f.capabilities, "Geometry")
		p.Pass.Views = 3
		return true
	}},
}
