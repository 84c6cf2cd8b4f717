package ray

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// motionTimes are times at which tests trace rays.
var motionTimes = []float32{0, 0.25, 0.5, 0.7, 1}

// sameHits compares the closest hits of random rays at a time with those in a scene without motion, on both paths.
func sameHits(t *testing.T, name string, moving, still *Structure, time float32) {
	t.Helper()
	r := rand.New(rand.NewPCG(61, 62))
	hits := 0
	for range 150 {
		q := randomRay(r)
		want := trace(t, still, q)
		if want.Kind != None {
			hits++
		}
		positions := still.Positions(&want, 0)
		want.Place = 0
		for _, portable := range []bool{false, true} {
			w := NewWalker()
			w.portable = portable
			x := q
			x.Time = time
			if w.Next(moving, &x) {
				t.Fatalf("%s: a candidate", name)
			}
			got := x.Committed
			if moving.Positions(&got, time) != positions {
				t.Fatalf("%s at %v: other positions", name, time)
			}
			if got.Place = 0; got != want {
				t.Fatalf("%s at %v, ray %v %v: %+v, want %+v", name, time, q.Origin, q.Direction, got, want)
			}
		}
	}
	if hits == 0 {
		t.Errorf("%s at %v: no ray hits", name, time)
	}
}

// moved returns the linear interpolation of positions.
func moved(from, to []triangle, time float32) []triangle {
	list := make([]triangle, len(from))
	for i := range list {
		for v := range 3 {
			for k := range 3 {
				list[i][v][k] = float32(float64(from[i][v][k])*(1-float64(time)) + float64(to[i][v][k])*float64(time))
			}
		}
	}
	return list
}

// movingMesh returns a geometry that moves.
func movingMesh(from, to []triangle) Geometry {
	g := mesh(from, GeometryOpaque)
	g.Moves, g.Moved = true, mesh(to, 0).Vertices
	return g
}

// TestVertexMotion compares moving triangles with triangles at the positions of a time, after a build, an update, and a
// deserialization.
func TestVertexMotion(t *testing.T) {
	r := rand.New(rand.NewPCG(63, 64))
	from, to, still := soup(r, 60, 0.4), soup(r, 60, 0.4), soup(r, 20, 0.3)
	place := func(s *Structure) *Structure {
		return build(t, Input{Top: true, Flags: BuildMotion, Instances: []Instance{{Transform: identity, Mask: 0xFF, Bottom: s}}})
	}
	in := Input{Flags: BuildAllowUpdate, Geometries: []Geometry{mesh(still, GeometryOpaque), movingMesh(from, to)}}
	first := build(t, in)
	data := make([]byte, first.SerializedSize())
	first.Serialize(data)
	read, err := Deserialize(data, nil)
	if err != nil {
		t.Fatal(err)
	}
	if first.Size() > BuildSizes(&in, 0).Structure || read.Size() != first.Size() || first.CompactedSize() > first.Size() {
		t.Errorf("sizes %d, %d, %d", BuildSizes(&in, 0).Structure, first.Size(), read.Size())
	}
	other := in
	other.Geometries = []Geometry{in.Geometries[0], movingMesh(to, from)}
	updated, err := Update(&other, first)
	if err != nil {
		t.Fatal(err)
	}
	for _, time := range motionTimes {
		want := scene(t, mesh(still, GeometryOpaque), mesh(moved(from, to, time), GeometryOpaque))
		sameHits(t, "a build", place(first), want, time)
		sameHits(t, "a deserialized one", place(read), want, time)
		sameHits(t, "an update", place(updated), scene(t, mesh(still, GeometryOpaque), mesh(moved(to, from, time), GeometryOpaque)), time)
	}
	other.Geometries = []Geometry{in.Geometries[0], mesh(from, 0)}
	if _, err := Update(&other, first); err == nil {
		t.Error("an update ends the motion")
	}
}

// turn returns a decomposition without shear: scales, the rotation by an angle around the axis z, and a translation.
func turn(sx, sy, sz, angle, tx, ty, tz float32) [srtFloats]float32 {
	s, c := math.Sincos(float64(angle) / 2)
	return [srtFloats]float32{sx, 0, 0, 0, sy, 0, 0, sz, 0, 0, 0, float32(s), float32(c), tx, ty, tz}
}

// TestInstanceMotion compares moving instances with instances that have the matrix of a time.
func TestInstanceMotion(t *testing.T) {
	r := rand.New(rand.NewPCG(65, 66))
	bottom := build(t, Input{Geometries: []Geometry{mesh(soup(r, 80, 0.4), GeometryOpaque)}})
	place := func(i Instance) *Structure {
		i.Mask, i.Bottom, i.Reference = 0xFF, bottom, 7
		return build(t, Input{Top: true, Flags: BuildMotion, Instances: []Instance{i}})
	}
	matrix := [12]float32{0.5, 0.25, 0, 0.5, 0, 1.5, 0, -0.25, 0.125, 0, 1, 0.25}
	random := InstanceMotion{SRT: true}
	for i := range srtFloats {
		random.From[i], random.To[i] = r.Float32()-0.5, r.Float32()-0.5
	}
	random.From[0], random.From[4], random.From[7], random.To[0], random.To[4], random.To[7] = 1, 1, 1, 0.5, 1.5, 1
	for name, i := range map[string]Instance{
		"a matrix":       {Transform: identity, Motion: &InstanceMotion{Matrix: matrix}},
		"a turn":         {Motion: &InstanceMotion{SRT: true, From: turn(1, 1, 1, 0, 0, 0, 0), To: turn(1, 1, 1, 2, 0.5, 0, 0)}},
		"scales":         {Motion: &InstanceMotion{SRT: true, From: turn(1, 1, 1, 1, 0, 0, 0), To: turn(0.5, 2, 1, 1, 0, 0.25, 0)}},
		"random numbers": {Motion: &random},
	} {
		moving := place(i)
		data := make([]byte, moving.SerializedSize())
		moving.Serialize(data)
		read, err := Deserialize(data, find(bottom))
		if err != nil {
			t.Fatal(err)
		}
		in := Input{Top: true, Flags: BuildMotion, Instances: []Instance{moving.instance(0)}}
		updated, err := Update(&in, place(Instance{Transform: identity, Motion: &InstanceMotion{Matrix: identity}}))
		if err != nil {
			t.Fatal(err)
		}
		if moving.Size() != BuildSizes(&in, 1).Structure || moving.CompactedSize() > moving.Size() {
			t.Errorf("%s: sizes %d, %d, %d", name, moving.CompactedSize(), moving.Size(), BuildSizes(&in, 1).Structure)
		}
		for _, time := range motionTimes {
			inverse := moving.WorldToObject(0, time)
			want := place(Instance{Transform: moving.ObjectToWorld(0, time)})
			if same := want.WorldToObject(0, 0); same != inverse {
				t.Errorf("%s at %v: inverse %v, want %v", name, time, inverse, same)
			}
			sameHits(t, name, moving, want, time)
			sameHits(t, name, read, want, time)
			sameHits(t, name, updated, want, time)
		}
	}
}

// TestTransformAt checks matrices of moving instances: linear interpolation of the elements, or of the parts of a
// decomposition, which are a translation times a rotation times a matrix of scale, shear and pivot.
func TestTransformAt(t *testing.T) {
	matrix := identity
	matrix[0], matrix[3] = 3, 8
	half := identity
	half[0], half[3] = 2, 4
	shear := turn(2, 3, 4, 0, 10, 20, 30)
	shear[1], shear[2], shear[3], shear[5], shear[6], shear[8] = 0.5, 0.25, 1, 0.125, 2, 3
	const root = math.Sqrt2 / 2
	for _, c := range []struct {
		name string
		i    Instance
		time float32
		want [12]float32
	}{
		{"a matrix at 0", Instance{Transform: identity, Motion: &InstanceMotion{Matrix: matrix}}, 0, identity},
		{"a matrix at 0.5", Instance{Transform: identity, Motion: &InstanceMotion{Matrix: matrix}}, 0.5, half},
		{"a matrix at 1", Instance{Transform: identity, Motion: &InstanceMotion{Matrix: matrix}}, 1, matrix},
		{"shear", Instance{Motion: &InstanceMotion{SRT: true, From: shear, To: shear}}, 0.3, [12]float32{2, 0.5, 0.25, 11, 0, 3, 0.125, 22, 0, 0, 4, 33}},
		{"a quarter turn", Instance{Motion: &InstanceMotion{SRT: true, From: turn(1, 1, 1, 0, 0, 0, 0), To: turn(1, 1, 1, math.Pi/2, 0, 0, 0)}}, 1, [12]float32{0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0}},
		{"half of it", Instance{Motion: &InstanceMotion{SRT: true, From: turn(1, 1, 1, 0, 0, 0, 0), To: turn(1, 1, 1, math.Pi/2, 2, 0, 0)}}, 0.5, [12]float32{root, -root, 0, 1, root, root, 0, 0, 0, 0, 1, 0}},
		{"scale before rotation", Instance{Motion: &InstanceMotion{SRT: true, From: turn(2, 1, 1, math.Pi/2, 0, 0, 0), To: turn(2, 1, 1, math.Pi/2, 0, 0, 0)}}, 0.5, [12]float32{0, -1, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0}},
	} {
		got := c.i.transformAt(c.time)
		for i := range got {
			if math.Abs(float64(got[i]-c.want[i])) > 1e-6 {
				t.Errorf("%s: %v, want %v", c.name, got, c.want)
				break
			}
		}
	}
}

// TestMotionInput checks times outside of 0 to 1, rotations without an axis, and matrices that are not finite or, at a time,
// have no inverse.
func TestMotionInput(t *testing.T) {
	nan := float32(math.NaN())
	bottom := build(t, Input{Geometries: []Geometry{mesh([]triangle{facing(1)}, GeometryOpaque)}})
	hit := func(m *InstanceMotion, time float32) string {
		s := build(t, Input{Top: true, Flags: BuildMotion, Instances: []Instance{{Transform: identity, Mask: 0xFF, Bottom: bottom, Motion: m}}})
		q := along()
		q.Time = time
		if h := trace(t, s, q); h.Kind != None {
			return fmt.Sprint(h.T)
		}
		return "miss"
	}
	matrix, mirror, broken := identity, identity, identity
	matrix[11] = 4
	mirror[10] = -1
	broken[5] = nan
	none := InstanceMotion{SRT: true, From: turn(1, 1, 1, 0, 0, 0, 0)}
	none.To = none.From
	none.From[12], none.To[12] = 0, 0
	for _, c := range []struct {
		name string
		m    InstanceMotion
		time float32
		want string
	}{
		{"before 0", InstanceMotion{Matrix: matrix}, -1, "1"}, {"0", InstanceMotion{Matrix: matrix}, 0, "1"}, {"a half", InstanceMotion{Matrix: matrix}, 0.5, "3"},
		{"after 1", InstanceMotion{Matrix: matrix}, 9, "5"}, {"infinity", InstanceMotion{Matrix: matrix}, inf32, "5"}, {"a NaN", InstanceMotion{Matrix: matrix}, nan, "1"},
		{"a plane at 0.5", InstanceMotion{Matrix: mirror}, 0.5, "miss"}, {"its begin", InstanceMotion{Matrix: mirror}, 0, "1"},
		{"a NaN at 1", InstanceMotion{Matrix: broken}, 0, "miss"}, {"no quaternion", none, 0, "miss"},
	} {
		if got := hit(&c.m, c.time); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	g := movingMesh([]triangle{facing(1), facing(2)}, []triangle{{{nan, 0, 0}}, facing(4)})
	short := g
	short.Moved = short.Moved[:70]
	for i, x := range []Geometry{g, short} {
		want := []string{"2", "miss"}[i] // a triangle is active if it is so at both times
		if h := trace(t, scene(t, x), along()); (h.Kind == None) != (want == "miss") || h.Kind != None && fmt.Sprint(h.T) != want {
			t.Errorf("geometry %d: %+v, want %s", i, h, want)
		}
	}
}
