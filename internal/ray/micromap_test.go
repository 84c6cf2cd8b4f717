package ray

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// part is a part of a triangle: the barycentric coordinates of its vertices.
type part [3][2]float64

func between(a, b [2]float64) [2]float64 { return [2]float64{(a[0] + b[0]) / 2, (a[1] + b[1]) / 2} }

// divide returns the parts of a triangle after a number of subdivisions, in the order of the curve: the one at vertex 0, the
// one in the middle with the ordering flipped, the one at vertex 1, the one at vertex 2 with the ordering flipped.
func divide(list []part, level int) []part {
	for range level {
		var next []part
		for _, p := range list {
			a, b, c := p[0], p[1], p[2]
			ab, bc, ac := between(a, b), between(b, c), between(a, c)
			next = append(next, part{a, ab, ac}, part{ac, bc, ab}, part{ab, b, bc}, part{bc, ac, c})
		}
		list = next
	}
	return list
}

// TestMicroIndex compares the numbers of parts with a subdivision, at points inside of each part.
func TestMicroIndex(t *testing.T) {
	for level := range 8 {
		for i, p := range divide([]part{{{0, 0}, {1, 0}, {0, 1}}}, level) {
			for _, w := range [][3]float64{{1. / 3, 1. / 3, 1. / 3}, {.8, .1, .1}, {.1, .8, .1}, {.1, .1, .8}} {
				u, v := 0.0, 0.0
				for k := range p {
					u, v = u+w[k]*p[k][0], v+w[k]*p[k][1]
				}
				if got := microIndex(float32(u), float32(v), uint32(level)); got != uint32(i) {
					t.Fatalf("level %d: %v, %v is in part %d; must be in %d", level, u, v, got, i)
				}
			}
		}
	}
	for _, x := range [...]float32{-1, 0, 1, 2, inf32, -inf32, float32(math.NaN())} {
		for _, y := range [...]float32{-1, 0, 1, 2, inf32, float32(math.NaN())} {
			for level := range uint32(MaxMicromapLevel + 1) {
				if got := microIndex(x, y, level); got >= 1<<(2*level) {
					t.Errorf("level %d: %v, %v is in part %d", level, x, y, got)
				}
			}
		}
	}
}

// microTriangles returns the records of triangles: offset, level, format.
func microTriangles(list ...[3]uint32) (b []byte) {
	for _, x := range list {
		b = binary.LittleEndian.AppendUint32(b, x[0])
		b = binary.LittleEndian.AppendUint16(b, uint16(x[1]))
		b = binary.LittleEndian.AppendUint16(b, uint16(x[2]))
	}
	return b
}

// fourPart returns a micromap of a triangle of level 1 with four states, one for each part: 0, 1, 2, 3. Its second triangle
// has two states: 0, 1, 0, 1.
func fourPart(t testing.TB) *Micromap {
	t.Helper()
	m, err := BuildMicromap(&MicromapInput{Most: 9, Count: 2, Stride: microRecord, Triangles: microTriangles([3]uint32{0, 1, FourStates}, [3]uint32{1, 1, TwoStates}), Data: []byte{0b11100100, 0b1010}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// outcome describes how a ray meets a triangle: it is ignored, a candidate, or committed as opaque.
func outcome(w *Walker, s *Structure, q Query) string {
	switch {
	case w.Next(s, &q):
		return "non-opaque"
	case q.Committed.Kind == Triangles:
		return "opaque"
	}
	return "ignored"
}

// TestMicromapStates checks the result of each state, with and without the flags of rays and instances, on both paths.
func TestMicromapStates(t *testing.T) {
	list := []triangle{{{0, 0, 1}, {1, 0, 1}, {0, 1, 1}}}
	// Points in the parts at vertex 0, in the middle, at vertex 1, at vertex 2.
	points := [4][2]float32{{.1, .1}, {.4, .4}, {.8, .1}, {.1, .8}}
	four, two := [4]string{"ignored", "opaque", "non-opaque", "non-opaque"}, [4]string{"ignored", "opaque", "ignored", "opaque"}
	non := [4]string{"non-opaque", "non-opaque", "non-opaque", "non-opaque"}
	for _, c := range []struct {
		name     string
		triangle uint32
		ray      RayFlags
		instance InstanceFlags
		geometry GeometryFlags
		want     [4]string
	}{
		{"4 states", 0, 0, 0, 0, four},
		{"4 states of an opaque geometry", 0, 0, 0, GeometryOpaque, four},
		{"4 states as 2, by the ray", 0, RayForceMicromap2State, 0, 0, two},
		{"4 states as 2, by the instance", 0, 0, InstanceForceMicromap2State, 0, two},
		{"2 states", 1, 0, 0, 0, two},
		{"2 states as 2", 1, RayForceMicromap2State, 0, 0, two},
		{"disabled", 0, 0, InstanceDisableMicromaps, 0, non},
		{"disabled, of an opaque geometry", 0, 0, InstanceDisableMicromaps, GeometryOpaque, [4]string{"opaque", "opaque", "opaque", "opaque"}},
		{"an opaque ray", 0, RayOpaque, 0, 0, [4]string{"ignored", "opaque", "opaque", "opaque"}},
		{"a non-opaque ray", 0, RayNoOpaque, 0, 0, [4]string{"ignored", "non-opaque", "non-opaque", "non-opaque"}},
		{"an opaque instance", 0, 0, InstanceForceOpaque, 0, [4]string{"ignored", "opaque", "opaque", "opaque"}},
		{"a non-opaque instance", 0, 0, InstanceForceNoOpaque, 0, [4]string{"ignored", "non-opaque", "non-opaque", "non-opaque"}},
		{"a ray that culls opaque", 0, RayCullOpaque, 0, 0, [4]string{"ignored", "ignored", "non-opaque", "non-opaque"}},
		{"a ray that culls non-opaque", 0, RayCullNoOpaque, 0, 0, [4]string{"ignored", "opaque", "ignored", "ignored"}},
	} {
		g := mesh(list, c.geometry)
		g.Opacity = &Opacity{Map: fourPart(t), Base: c.triangle}
		bottom := build(t, Input{Geometries: []Geometry{g}})
		s := build(t, Input{Top: true, Instances: []Instance{{Transform: identity, Mask: 255, Bottom: bottom, Flags: c.instance}}})
		for _, portable := range []bool{false, true} {
			w := NewWalker()
			w.portable = portable
			var got [4]string
			for i, p := range points {
				got[i] = outcome(w, s, Query{Origin: [3]float32{p[0], p[1], 0}, Direction: [3]float32{0, 0, 1}, TMax: inf32, Mask: 255, Flags: c.ray})
			}
			if got != c.want {
				t.Errorf("%s: %v, want %v", c.name, got, c.want)
			}
		}
	}
}

// TestMicromapIndices checks indices of each size, special ones, ones without a triangle, and triangles without data.
func TestMicromapIndices(t *testing.T) {
	m, err := BuildMicromap(&MicromapInput{Most: 9, Count: 4, Stride: 12, Data: []byte{1}, Triangles: slices.Concat(
		microTriangles([3]uint32{0, 0, TwoStates}), make([]byte, 4), microTriangles([3]uint32{0, 13, TwoStates}), make([]byte, 4),
		microTriangles([3]uint32{0, 0, 3}), make([]byte, 4), microTriangles([3]uint32{1, 0, TwoStates}))})
	if err != nil {
		t.Fatal(err)
	}
	special := []string{"ignored", "opaque", "non-opaque", "non-opaque"}
	for size := range 5 {
		if size == 3 {
			continue
		}
		for _, c := range []struct {
			index int64
			base  uint32
			want  string
		}{
			{-1, 0, special[0]}, {-2, 5, special[1]}, {-3, 0, special[2]}, {-4, 0, special[3]},
			{0, 0, "opaque"}, {1, 0, "non-opaque"}, {2, 0, "non-opaque"}, {3, 0, "non-opaque"}, {4, 0, "non-opaque"}, {100, 0, "non-opaque"},
			{-5, 5, "non-opaque"}, {0, 1 << 31, "non-opaque"}, {0, math.MaxUint32, "non-opaque"},
		} {
			if size == 0 && c.index != 0 {
				continue
			}
			o := &Opacity{Map: m, Base: c.base, IndexSize: size, IndexStride: uint64(size)}
			o.Indices = binary.LittleEndian.AppendUint64(nil, uint64(c.index))[:size]
			g := mesh([]triangle{facing(1)}, 0)
			g.Opacity = o
			if got := outcome(NewWalker(), scene(t, g), along()); got != c.want {
				t.Errorf("%d bytes, index %d + %d: %s, want %s", size, c.index, c.base, got, c.want)
			}
		}
	}
	for name, o := range map[string]*Opacity{"no micromap": {}, "no memory": {Map: m, IndexSize: 2}} {
		g := mesh([]triangle{facing(1)}, GeometryOpaque)
		g.Opacity = o
		if got := outcome(NewWalker(), scene(t, g), along()); got != "non-opaque" {
			t.Errorf("%s: %s", name, got)
		}
	}
	if _, err := BuildMicromap(&MicromapInput{Count: MaxMicromapTriangles + 1}); err == nil {
		t.Error("a micromap of too many triangles")
	}
	many := MicromapInput{Count: 3, Data: make([]byte, 1<<24), Triangles: microTriangles([3]uint32{0, MaxMicromapLevel, FourStates}), Most: 1 << 23}
	if _, err := BuildMicromap(&many); !errors.Is(err, ErrMicromapUsage) {
		t.Errorf("three triangles with the bytes of two: %v", err)
	}
}

// TestMicromapCopies checks that a serialized and an updated structure have the hits of the first one, and that changed data
// end in an error or in a structure that can be traced.
func TestMicromapCopies(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 52))
	in := MicromapInput{Most: 1 << 10, Count: 8, Stride: microRecord, Data: make([]byte, 67)}
	for i := range in.Data {
		in.Data[i] = byte(r.Uint32())
	}
	for range in.Count {
		in.Triangles = append(in.Triangles, microTriangles([3]uint32{r.Uint32N(3), 2 + r.Uint32N(2), 1 + r.Uint32N(2)})...)
	}
	m, err := BuildMicromap(&in)
	if err != nil {
		t.Fatal(err)
	}
	built := BuiltMicromap{Map: m, Flags: 5}
	form := make([]byte, built.SerializedSize())
	built.Serialize(form)
	if x, err := DeserializeMicromap(form); err != nil || x.Flags != 5 || !slices.Equal(x.Map.data, m.data) || !slices.Equal(x.Map.triangles, m.triangles) {
		t.Errorf("%v: %+v, want %+v", err, x, built)
	}
	for n := range form {
		if _, err := DeserializeMicromap(form[:n]); err == nil {
			t.Fatalf("%d of %d bytes are a micromap", n, len(form))
		}
	}
	list := soup(r, 60, 0.5)
	g, plain := mesh(list, 0), mesh(list, 0)
	g.Opacity = &Opacity{Map: m, IndexSize: 1, IndexStride: 1}
	for range list {
		g.Opacity.Indices = append(g.Opacity.Indices, byte(r.IntN(14)-4))
	}
	input := Input{Flags: BuildAllowUpdate, Geometries: []Geometry{plain, g}}
	place := func(s *Structure) *Structure {
		return build(t, Input{Top: true, Instances: []Instance{{Transform: identity, Mask: 0xFF, Bottom: s}}})
	}
	bottom := build(t, input)
	top := place(bottom)
	same := func(name string, s *Structure) {
		t.Helper()
		r := rand.New(rand.NewPCG(53, 54))
		for range 200 {
			a, b, v, w := randomRay(r), Query{}, NewWalker(), NewWalker()
			for b = a; ; {
				x, y := v.Next(top, &a), w.Next(s, &b)
				if x != y || fmt.Sprint(a) != fmt.Sprint(b) {
					t.Fatalf("%s: %+v and %+v", name, a, b)
				}
				if !x {
					break
				}
			}
		}
	}
	updated, err := Update(&input, bottom)
	if err != nil {
		t.Fatal(err)
	}
	same("an update", place(updated))
	data := make([]byte, bottom.SerializedSize())
	bottom.Serialize(data)
	read, err := Deserialize(data, nil)
	if err != nil {
		t.Fatal(err)
	}
	same("a deserialized one", place(read))
	if n := binary.LittleEndian.Uint64(data[8:]); n != read.Size() || n != bottom.Size()+m.Size() {
		t.Errorf("the deserialized size is %d, and the structure has %d", n, read.Size())
	}
	again := make([]byte, read.SerializedSize())
	if read.Serialize(again); !slices.Equal(again, data) {
		t.Error("the deserialized structure has another serialized form")
	}
	if bottom.Size() > BuildSizes(&input, 0).Structure || bottom.CompactedSize() > bottom.Size() {
		t.Errorf("sizes %d, %d, %d", bottom.CompactedSize(), bottom.Size(), BuildSizes(&input, 0).Structure)
	}
	for n := 0; n < len(data); n += 1 + len(data)/100 {
		if _, err := Deserialize(data[:n], nil); err == nil {
			t.Fatalf("%d of %d bytes are a structure", n, len(data))
		}
	}
	tail := len(data) - 400 // the opacity is at the end
	for range 2000 {
		c := slices.Clone(data)
		for range 1 + r.IntN(4) {
			c[tail+r.IntN(400)] = byte(r.Uint32())
		}
		if s, err := Deserialize(c, nil); err == nil && !s.Top() {
			outcome(NewWalker(), place(s), randomRay(r))
		}
	}
}

// TestManyMicromaps checks that each of many geometries has its own micromap, one of another geometry or none after a
// deserialization. So many show a search of a list for each: its time grows with the square of their number.
func TestManyMicromaps(t *testing.T) {
	list := make([]Geometry, 200_000)
	for i := range list {
		o := Opacity{Map: &Micromap{triangles: []microTriangle{{format: TwoStates}}, data: []byte{byte(i)}}}
		switch i % 4 {
		case 2:
			o.Map = list[i/2].Opacity.Map
		case 3:
			o.Map = nil
		}
		list[i] = Geometry{Kind: Triangles, Primitives: 1, Opacity: &o}
	}
	s := build(t, Input{Geometries: list})
	data := make([]byte, s.SerializedSize())
	s.Serialize(data)
	read, err := Deserialize(data, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range list {
		m, got := list[i].Opacity.Map, read.opacity[i].of
		if (m == nil) != (got == nil) || m != nil && got.data[0] != m.data[0] || i%4 == 2 && got != read.opacity[i/2].of {
			t.Fatalf("geometry %d has another micromap", i)
		}
	}
}

// TestStructureMicromapSerial writes and reads a micromap that is an acceleration structure. Each part of its data, and each change of a
// byte, is an error or a micromap.
func TestStructureMicromapSerial(t *testing.T) {
	m, err := BuildMicromap(&MicromapInput{Count: 2, Triangles: []byte{0, 0, 0, 0, 1, 0, 2, 0, 1, 0, 0, 0, 0, 0, 1, 0}, Stride: 8, Data: []byte{0b11100100, 1}, Most: 2})
	if err != nil {
		t.Fatal(err)
	}
	was := StructureMicromap{Map: m, Flags: 2, Bytes: 128}
	data := make([]byte, was.SerializedSize())
	was.Serialize(data)
	now, ok, err := DeserializeStructureMicromap(data)
	if !ok || err != nil || now.Flags != was.Flags || !reflect.DeepEqual(now.Map, was.Map) {
		t.Errorf("%+v, %v, %v; must be %+v", now, ok, err, was)
	}
	if _, err := Deserialize(data, nil); err == nil {
		t.Error("a micromap is read as another structure; must be an error")
	}
	for n := range data {
		if _, ok, err := DeserializeStructureMicromap(data[:n]); ok && err == nil {
			t.Errorf("%d of %d bytes are a micromap; must be an error", n, len(data))
		}
		for _, x := range []byte{0, 0x7f, 0xff} {
			changed := bytes.Clone(data)
			changed[n] = x
			if now, ok, err := DeserializeStructureMicromap(changed); ok && err == nil {
				for i := range uint32(3) {
					now.Map.state(i, .3, .3)
				}
			}
		}
	}
}

// TestThinMicromaps compares the opacity of structures that name few triangles of a micromap with the micromap itself. Two
// geometries share a micromap; a third one has its own, and special indices.
func TestThinMicromaps(t *testing.T) {
	r := rand.New(rand.NewPCG(55, 56))
	thinned := 0
	for range 100 {
		micromap := func() *Micromap {
			in := MicromapInput{Most: 1 << 20, Count: 1 + r.Uint32N(40), Stride: microRecord, Data: make([]byte, 1024)}
			for i := range in.Data {
				in.Data[i] = byte(r.Uint32())
			}
			for range in.Count {
				in.Triangles = append(in.Triangles, microTriangles([3]uint32{r.Uint32N(512), r.Uint32N(5), r.Uint32N(3)})...)
			}
			m, err := BuildMicromap(&in)
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		shared := micromap()
		var list []Geometry
		for _, m := range []*Micromap{shared, micromap(), shared} {
			o := &Opacity{Map: m, IndexSize: 1, IndexStride: 1}
			for range 1 + r.IntN(20) {
				o.Indices = append(o.Indices, byte(r.IntN(50)-5))
			}
			list = append(list, Geometry{Kind: Triangles, Primitives: uint32(len(o.Indices)), Opacity: o})
		}
		s := &Structure{}
		s.setOpacity(list)
		for i, g := range list {
			for p := range g.Primitives {
				want, got := g.Opacity.number(uint64(p)), s.opacity[i].numbers[p]
				if special := ^want < microStates; special != (^got < microStates) || special && got != want {
					t.Fatalf("geometry %d, triangle %d has the number %#x; must be %#x", i, p, got, want)
				} else if special {
					continue
				}
				for range 10 {
					u := r.Float32()
					v := r.Float32() * (1 - u)
					if got, want := s.opacity[i].of.state(got, u, v), g.Opacity.Map.state(want, u, v); got != want {
						t.Fatalf("geometry %d, triangle %d at %v, %v has the state %d; must have %d", i, p, u, v, got, want)
					}
				}
			}
			if s.opacity[i].of != g.Opacity.Map {
				thinned++
				if 2*s.opacity[i].of.Size() > g.Opacity.Map.Size() {
					t.Errorf("geometry %d has %d bytes of a micromap of %d; must have less than half", i, s.opacity[i].of.Size(), g.Opacity.Map.Size())
				}
			}
		}
		if s.opacity[0].of != s.opacity[2].of || len(s.Micromaps()) != 2 {
			t.Errorf("%d micromaps; must be 2", len(s.Micromaps()))
		}
	}
	if thinned < 50 {
		t.Errorf("%d geometries had few triangles of their micromap; must be some", thinned)
	}
}
