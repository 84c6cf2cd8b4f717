package main

import "math/rand/v2"

// maker makes legal pipelines.
type maker struct {
	*rand.Rand
	p *pipeline
}

// newPipeline makes a legal pipeline.
func newPipeline(r *rand.Rand) *pipeline {
	m := &maker{r, &pipeline{Compute: r.IntN(5) == 0}}
	if m.p.Compute {
		m.compute()
	} else {
		m.graphics()
	}
	m.resources()
	m.constants()
	return m.p
}

// finish makes the modules and the stages that have them.
func (p *pipeline) finish() error {
	for i, s := range p.shaders {
		words, err := s.words()
		if err != nil {
			return err
		}
		if i < len(p.Stages) {
			p.Stages[i].Code = words
		}
	}
	return nil
}

// add adds a stage.
func (m *maker) add(s *shader) *shader {
	m.p.shaders = append(m.p.shaders, s)
	m.p.Stages = append(m.p.Stages, &stage{Stage: s.stage, Name: "main"})
	return s
}

// shader returns the shader of a stage, or nil if there is none.
func (p *pipeline) shader(bit uint32) *shader {
	for _, s := range p.shaders {
		if s.stage == bit {
			return s
		}
	}
	return nil
}

func (m *maker) compute() {
	s := m.add(&shader{stage: computeBit})
	if m.IntN(3) == 0 {
		s.constants, s.width = []string{"int"}, true
		s.modes = []string{"LocalSize 1 1 1"}
	} else {
		s.modes = []string{pick(m.Rand, "LocalSize 8 8 1", "LocalSize 64 1 1", "LocalSize 4 4 4", "LocalSize 1 1 1")}
	}
	if m.IntN(3) == 0 {
		s.shared = 4 << m.IntN(10)
	}
	if m.IntN(4) == 0 {
		m.p.Stages[0].Size = 8
	}
}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// between makes the variables between two stages, at locations of their own.
func (m *maker) between() []variable {
	var out []variable
	for i := range m.IntN(5) {
		v := variable{location: uint32(2 * i), of: numeric{pick(m.Rand, byte('f'), 'f', 'i', 'u', 'd'), 1 + m.IntN(4)}}
		if v.of.rows <= 3 && v.of.kind != 'd' && m.IntN(6) == 0 {
			v.component = 1
		}
		v.flat = v.of.kind != 'f' || m.IntN(5) == 0
		out = append(out, v)
	}
	return out
}

// plain returns the variables without the decorations of fragment inputs.
func plain(list []variable, more ...variable) []variable {
	var out []variable
	for _, v := range list {
		v.flat = false
		out = append(out, v)
	}
	return append(out, more...)
}

var position = variable{builtIn: "Position", of: numeric{'f', 4}}

// topologies are the topologies of a pipeline without tessellation, with the modes of a
// geometry stage that follows and the size of its inputs.
var topologies = []struct {
	topology uint32
	mode     string
	size     int
}{
	{0, "InputPoints", 1}, {1, "InputLines", 2}, {2, "InputLines", 2}, {3, "Triangles", 3}, {4, "Triangles", 3}, {5, "Triangles", 3},
	{6, "InputLinesAdjacency", 4}, {7, "InputLinesAdjacency", 4}, {8, "InputTrianglesAdjacency", 6}, {9, "InputTrianglesAdjacency", 6},
}

func (m *maker) graphics() {
	p := m.p
	p.State = &states{
		Vertex: &vertexInput{Bindings: []vertexBinding{}, Attributes: []attribute{}}, Assembly: &assembly{}, Viewport: &viewport{1, 1},
		Raster: &raster{Cull: uint32(m.IntN(4)), Front: uint32(m.IntN(2)), LineWidth: 1}, Samples: &multisample{Samples: pick(m.Rand, uint32(1), 4)},
		Depth: &depthStencil{}, Blend: &colorBlend{}, Dynamic: &dynamicState{States: []uint32{}},
	}
	vars := m.between()
	v := m.add(&shader{stage: vertexBit, outputs: plain(vars, position)})
	m.vertexInput(v)
	k := topologies[m.IntN(len(topologies))]
	if m.IntN(3) == 0 {
		m.tessellation(vars)
		k.topology, k.mode, k.size = 10, "Triangles", 3
		if p.shader(evaluationBit).modes[0] == "Isolines" {
			k.mode, k.size = "InputLines", 2
		}
		vars = vars[:len(p.shader(evaluationBit).outputs)-1]
	}
	p.State.Assembly.Topology = k.topology
	if k.topology == 4 || k.topology == 5 {
		p.State.Assembly.Restart = uint32(m.IntN(2))
	}
	if m.IntN(3) == 0 {
		m.add(&shader{
			stage: geometryBit, capabilities: []string{"Geometry"}, inputs: plain(vars), sizeIn: k.size, outputs: plain(vars, position),
			modes: []string{k.mode, "Invocations 1", "OutputTriangleStrip", "OutputVertices 3"},
		})
	} else if k.topology == 0 {
		v.outputs = append(v.outputs, variable{builtIn: "PointSize", of: numeric{'f', 1}})
	}
	m.fragment(vars)
	if m.IntN(3) == 0 {
		p.State.Dynamic.States = append(p.State.Dynamic.States, 0, 1)
	}
}

// formats are of attributes and attachments, by their numeric types.
var formats = map[byte][]uint32{'f': {100, 103, 106, 109}, 'i': {99, 102, 105, 108}, 'u': {98, 101, 104, 107}, 'd': {112, 115, 118, 121}}

// vertexInput adds inputs to a vertex stage, and the attributes and bindings that they
// read.
func (m *maker) vertexInput(v *shader) {
	in := m.p.State.Vertex
	for i := range m.IntN(5) {
		t := numeric{pick(m.Rand, byte('f'), 'f', 'i', 'u'), 1 + m.IntN(4)}
		v.inputs = append(v.inputs, variable{location: uint32(i), of: t})
		b := uint32(m.IntN(2))
		in.Attributes = append(in.Attributes, attribute{uint32(i), b, formats[t.kind][m.IntN(4)], uint32(16 * i)})
	}
	if len(in.Attributes) > 0 {
		in.Bindings = []vertexBinding{{0, 128, 0}, {1, 128, 1}}
		if m.IntN(3) == 0 {
			in.Divisors = []divisor{{1, uint32(m.IntN(3))}}
		}
	}
	if m.IntN(4) == 0 {
		v.inputs = append(v.inputs, variable{builtIn: "VertexIndex", of: numeric{'i', 1}})
	}
}

// tessellation adds the two stages; the variables that the evaluation stage passes on come
// first.
func (m *maker) tessellation(vars []variable) {
	mode, n := pick(m.Rand, "Triangles", "Quads", "Isolines"), 1+m.IntN(4)
	patch := variable{location: 20, of: numeric{'f', 1 + m.IntN(4)}, patch: true}
	m.add(&shader{
		stage: controlBit, capabilities: []string{"Tessellation"}, inputs: plain(vars), sizeIn: 32,
		outputs: append(plain(vars), patch), sizeOut: n, modes: []string{"OutputVertices " + string(rune('0'+n))},
	})
	m.add(&shader{
		stage: evaluationBit, capabilities: []string{"Tessellation"}, inputs: append(plain(vars), patch), sizeIn: 32,
		outputs: plain(vars[:(len(vars)+1)/2], position), modes: []string{mode, "SpacingEqual", "VertexOrderCcw"},
	})
	m.p.State.Tess = &tessellation{1 + uint32(m.IntN(4))}
}

// fragment adds a fragment stage and its attachments.
func (m *maker) fragment(vars []variable) {
	p := m.p
	f := m.add(&shader{stage: fragmentBit, modes: []string{"OriginUpperLeft"}, inputs: vars[:len(vars):len(vars)]})
	n := m.IntN(4)
	var color []uint32
	var same blend
	for i := range n {
		kind := pick(m.Rand, byte('f'), 'f', 'i', 'u')
		color = append(color, map[byte]uint32{'f': 37, 'i': 42, 'u': 41}[kind])
		f.outputs = append(f.outputs, variable{location: uint32(i), of: numeric{kind, 4}})
	}
	blends := true
	for _, c := range color {
		blends = blends && c == 37
	}
	same.Mask = pick(m.Rand, uint32(15), 7)
	if blends && m.IntN(2) == 0 {
		same = blend{1, uint32(m.IntN(15)), uint32(m.IntN(15)), uint32(m.IntN(5)), uint32(m.IntN(15)), uint32(m.IntN(15)), uint32(m.IntN(5)), 15}
	}
	p.State.Blend.Attachments = []blend{}
	for range n {
		p.State.Blend.Attachments = append(p.State.Blend.Attachments, same)
	}
	depth := n == 0 || m.IntN(2) == 0
	if depth {
		*p.State.Depth = depthStencil{uint32(m.IntN(2)), uint32(m.IntN(2)), uint32(m.IntN(8)), 0, 0}
	}
	if m.IntN(3) == 0 {
		p.State.Rendering = &rendering{Color: color}
		if depth {
			p.State.Rendering.Depth = 126
		}
		if p.State.Rendering.Color == nil {
			p.State.Rendering.Color = []uint32{}
		}
		return
	}
	p.Pass = &renderPass{}
	s := subpass{Color: []reference{}}
	for i, c := range color {
		p.Pass.Attachments = append(p.Pass.Attachments, attachment{c, p.State.Samples.Samples})
		s.Color = append(s.Color, reference{uint32(i), 2})
	}
	if depth {
		p.Pass.Attachments = append(p.Pass.Attachments, attachment{126, p.State.Samples.Samples})
		s.Depth = &reference{uint32(n), 3}
	}
	if n > 0 && m.IntN(4) == 0 {
		p.Pass.Attachments = append(p.Pass.Attachments, attachment{37, p.State.Samples.Samples})
		s.Input = []reference{{uint32(len(p.Pass.Attachments) - 1), 1}}
	}
	p.Pass.Subpasses = []subpass{s}
}

// resources adds resources and push constants to the stages and to the layout.
func (m *maker) resources() {
	p := m.p
	all := uint32(0)
	for _, s := range p.shaders {
		all |= s.stage
	}
	for set := range m.IntN(3) {
		p.Sets = append(p.Sets, setLayout{Bindings: []binding{}})
		for b := range m.IntN(4) {
			kind := uint32(m.IntN(10))
			r := resource{uint32(set), uint32(b), kind, 1 + uint32(m.IntN(3)), 0}
			if kind == uniformDynamicType || kind == storageDynamicType {
				r.count = 1
			}
			bits := uint32(0)
			for _, s := range p.shaders {
				if m.IntN(2) == 0 {
					bits |= s.stage
					s.resources = append(s.resources, r)
				}
			}
			if bits == 0 {
				bits = all
			}
			p.Sets[set].Bindings = append(p.Sets[set].Bindings, binding{r.binding, kind, r.count + uint32(m.IntN(2)), bits, 0})
		}
	}
	if f := p.shader(fragmentBit); f != nil && p.Pass != nil && len(p.Pass.Subpasses[0].Input) > 0 && p.State.Samples.Samples == 1 {
		p.Sets = append(p.Sets, setLayout{Bindings: []binding{{0, inputAttachmentType, 1, fragmentBit, 0}}})
		f.resources = append(f.resources, resource{uint32(len(p.Sets) - 1), 0, inputAttachmentType, 1, 0})
	}
	p.Layout.Push = []push{}
	if m.IntN(2) == 0 {
		size, bits := uint32(4*(1+m.IntN(16))), uint32(0)
		for _, s := range p.shaders {
			if m.IntN(2) == 0 {
				s.push = size
				bits |= s.stage
			}
		}
		if bits == 0 {
			bits = all
		}
		p.Layout.Push = []push{{bits, 0, size}}
	}
}

// constants adds specialization constants to the stages.
func (m *maker) constants() {
	for i, s := range m.p.shaders {
		for range m.IntN(3) {
			s.constants = append(s.constants, pick(m.Rand, "int", "bool", "wide"))
		}
		if len(s.constants) == 0 || m.IntN(3) == 0 && !s.width {
			continue
		}
		spec := &specialization{}
		for id, t := range s.constants {
			size := map[string]uint32{"int": 4, "bool": 4, "wide": 8}[t]
			at := uint32(len(spec.Data)+7) &^ 7
			for uint32(len(spec.Data)) < at+size {
				spec.Data = append(spec.Data, 0)
			}
			if t != "wide" {
				spec.Data[at] = 1
			}
			spec.Entries = append(spec.Entries, specEntry{uint32(id), at, size})
		}
		m.p.Stages[i].Spec = spec
	}
}
