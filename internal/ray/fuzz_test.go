package ray

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// pick reads values from the data of a fuzz test; it continues with zeros.
type pick struct{ b []byte }

// byte returns the next byte.
func (p *pick) byte() (x byte) {
	if len(p.b) > 0 {
		x, p.b = p.b[0], p.b[1:]
	}
	return x
}

// float returns a small value in 1/16, or any float.
func (p *pick) float() float32 {
	x := p.byte()
	if x != 0x80 {
		return float32(int8(x)) / 16
	}
	var bits [4]byte
	for i := range bits {
		bits[i] = p.byte()
	}
	return math.Float32frombits(binary.LittleEndian.Uint32(bits[:]))
}

// vec returns a vector.
func (p *pick) vec() vec { return vec{p.float(), p.float(), p.float()} }

// pickScene returns a top level with up to 4 instances of 2 bottom levels.
func pickScene(t *testing.T, p *pick) *Structure {
	var bottoms [2]*Structure
	for i := range bottoms {
		bottoms[i] = build(t, Input{Geometries: []Geometry{pickGeometry(p)}, Flags: BuildFlags(p.byte())})
	}
	return build(t, pickInstances(p, bottoms))
}

// pickGeometry returns a geometry of up to 23 primitives.
func pickGeometry(p *pick) Geometry {
	g := Geometry{Kind: Boxes, Flags: GeometryFlags(p.byte() & 1), BoxStride: 24}
	n := int(p.byte() % 24)
	switch p.byte() & 3 {
	case 0, 2:
		list := make([]triangle, n)
		for j := range list {
			list[j] = triangle{p.vec(), p.vec(), p.vec()}
		}
		g = mesh(list, g.Flags)
		g.Opacity = pickOpacity(p)
		if p.byte()&1 == 0 {
			for j := range list {
				list[j] = triangle{p.vec(), p.vec(), p.vec()}
			}
			g.Moves, g.Moved = true, mesh(list, 0).Vertices
		}
	case 3:
		g = pickRounds(p, n, g.Flags)
	default:
		g.Primitives = uint32(n)
		for range n {
			a, b := p.vec(), p.vec()
			for k := range a {
				g.BoxData = append(g.BoxData, floats(a[k])...)
			}
			for k := range a {
				g.BoxData = append(g.BoxData, floats(a[k]+abs32(b[k]))...)
			}
		}
	}
	return g
}

// pickInstances returns up to 4 instances of two bottom levels.
func pickInstances(p *pick, bottoms [2]*Structure) Input {
	in := Input{Top: true}
	for range 1 + p.byte()%4 {
		i := Instance{Transform: identity, Mask: 0xFF, Flags: InstanceFlags(p.byte() % 16), Bottom: bottoms[p.byte()&1]}
		if p.byte()&1 != 0 {
			for k := range i.Transform {
				i.Transform[k] = p.float()
			}
		}
		if x := p.byte(); x&3 == 0 {
			i.Motion = &InstanceMotion{SRT: x&4 == 0, Matrix: identity}
			for _, list := range [][]float32{i.Motion.Matrix[:], i.Motion.From[:], i.Motion.To[:]} {
				for k := range list {
					list[k] = p.float()
				}
			}
		}
		in.Instances = append(in.Instances, i)
	}
	return in
}

// pickRounds returns a geometry of n spheres or swept spheres.
func pickRounds(p *pick, n int, flags GeometryFlags) Geometry {
	kind := Spheres + Kind(p.byte()&1)
	g := swept(nil, flags)
	g.Kind, g.Primitives = kind, uint32(n)
	for range 2 * n {
		c := p.vec()
		g.Vertices = append(g.Vertices, floats(c[:]...)...)
		g.Rounds.Radii = append(g.Rounds.Radii, floats(p.float())...)
	}
	g.Rounds.Chained = p.byte()&1 == 0
	if p.byte()&1 == 0 {
		g.IndexSize, g.Rounds.IndexStride, g.Rounds.Successive = 2, 2, p.byte()&1 == 0
		for range 2 * n {
			g.Indices = append(g.Indices, p.byte()%32, 0)
		}
	}
	return g
}

// pickOpacity returns the opacity of triangles, or nil.
func pickOpacity(p *pick) *Opacity {
	if p.byte()&1 == 0 {
		return nil
	}
	in := MicromapInput{Count: uint32(p.byte() % 16), Stride: microRecord, Data: make([]byte, 64), Most: 1 << 20}
	for range in.Count {
		in.Triangles = append(in.Triangles, p.byte()%64, 0, 0, 0, p.byte()%5, 0, 1+p.byte()%2, 0)
	}
	for i := range in.Data {
		in.Data[i] = p.byte()
	}
	m, _ := BuildMicromap(&in)
	o := &Opacity{Map: m, IndexSize: 1, IndexStride: 1}
	for range 24 {
		o.Indices = append(o.Indices, p.byte()%20-4)
	}
	return o
}

// all returns the closest candidate of a new query by tests of all primitives of all instances.
func all(s *Structure, q *Query) (best key, found bool) {
	w := Walker{portable: true, q: q, top: s, low: max(q.TMin, 0), high: q.TMax, time: clampTime(q.Time), moving: noInstance}
	for i := range s.instances {
		p := &s.instances[i]
		b := s.bottoms[i]
		if !p.active || !q.valid() || b.kind != Boxes && q.Flags&RaySkipTriangles != 0 ||
			b.kind == Boxes && q.Flags&RaySkipBoxes != 0 || !w.enterInstance(uint32(i)) {
			continue
		}
		for j := range b.blocks {
			w.visitBlock(b, j)
		}
		for j := range b.boxes {
			w.visitBox(leafBit|ref(j), 0)
		}
		for j := range b.rounds {
			w.visitRound(leafBit|ref(j), 0)
		}
	}
	return w.best, w.found
}

// checkScene compares the traversals of a scene with tests of all primitives.
func checkScene(t *testing.T, data []byte) {
	p := &pick{data}
	s := pickScene(t, p)
	fast, slow := NewWalker(), NewWalker()
	slow.portable = true
	for range 4 {
		q := Query{Origin: p.vec(), Direction: p.vec(), TMin: p.float(), TMax: p.float(), Mask: 1}
		q.Flags = RayFlags(p.byte()) | RayFlags(p.byte()&3)<<8
		if p.byte()&1 == 0 {
			q.TMin, q.TMax = 0, inf32
		}
		q.Time = p.float()
		want, found := all(s, &q)
		a, b := q, q
		for n := 0; ; n++ {
			x, y := fast.Next(s, &a), slow.Next(s, &b)
			b.Origin, b.Direction, b.TMin, b.TMax, b.Time = a.Origin, a.Direction, a.TMin, a.TMax, a.Time // a NaN differs from itself
			if x != y || fmt.Sprint(a) != fmt.Sprint(b) {
				t.Fatalf("ray %+v: %v %+v, portable %v %+v", q, x, a, y, b)
			}
			got := a.Committed
			if x {
				got = a.Candidate
			}
			if n == 0 && (found != (got.Kind != None) || found && want != (key{got.T, got.Instance, got.Geometry, got.Primitive})) {
				t.Fatalf("ray %+v: %+v, want %+v %v", q, got, want, found)
			}
			if !x {
				break
			}
		}
	}
}

// FuzzScene checks scenes and rays with any positions, matrices and flags.
func FuzzScene(f *testing.F) {
	f.Add([]byte("a seed without meaning"))
	f.Fuzz(checkScene)
}

// TestScenes checks random scenes as FuzzScene does.
func TestScenes(t *testing.T) {
	n := 200
	if long() {
		n = 100_000
	}
	r := rand.New(rand.NewPCG(29, 30))
	for range n {
		data := make([]byte, 1500)
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		checkScene(t, data)
	}
}
