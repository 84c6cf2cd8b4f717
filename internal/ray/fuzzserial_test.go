package ray

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// pickRay returns a ray.
func pickRay(p *pick) Query {
	q := Query{Origin: p.vec(), Direction: p.vec(), TMin: p.float(), TMax: p.float(), Mask: 1, Time: p.float()}
	q.Flags = RayFlags(p.byte()) | RayFlags(p.byte()&3)<<8
	if p.byte()&1 == 0 {
		q.TMin, q.TMax = 0, inf32
	}
	return q
}

// candidates returns the candidates of a ray, one more than limit at most, and its committed hit. Places differ between trees.
func candidates(s *Structure, q Query, limit int) (list []string) {
	add := func(h Hit) {
		h.Place = 0
		list = append(list, fmt.Sprint(h))
	}
	w := NewWalker()
	for w.Next(s, &q) && len(list) <= limit {
		if add(q.Candidate); len(list)%2 == 0 {
			q.Confirm()
		}
	}
	add(q.Committed)
	return list
}

// checkSerial compares the hits in bottom levels with those in copies that were serialized, and in copies that two goroutines built and an
// update in place made again. Then it changes words of the serialized data: they are refused, or their rays have no more candidates than
// there are primitives.
func checkSerial(t *testing.T, data []byte) {
	const most = 24 // primitives of a bottom level
	p := &pick{data}
	var bottoms, copies, updated, bad [2]*Structure
	var serial [2][]byte
	for i := range bottoms {
		in := Input{Geometries: []Geometry{pickGeometry(p)}, Flags: BuildFlags(p.byte())}
		bottoms[i] = build(t, in)
		serial[i] = make([]byte, bottoms[i].SerializedSize())
		bottoms[i].Serialize(serial[i])
		var err error
		if copies[i], err = Deserialize(serial[i], nil); err != nil {
			t.Fatal(err)
		}
		in.Threads, in.Reuse = 2, true
		if updated[i], err = Update(&in, build(t, in)); err != nil {
			t.Fatal(err)
		}
		for range p.byte() % 4 {
			at := 24 + int(p.byte())<<2 + int(p.byte())<<10
			if x := p.byte(); at < len(serial[i]) {
				serial[i][at+int(x&3)] ^= p.byte()
			}
		}
		bad[i], _ = Deserialize(serial[i], nil)
	}
	in := pickInstances(p, bottoms)
	top := func(list [2]*Structure) *Structure {
		other := in
		other.Instances = nil
		for _, x := range in.Instances {
			at := 0
			if x.Bottom == bottoms[1] {
				at = 1
			}
			x.Bottom = list[at] // an instance without one, of corrupt data that are refused, is inactive
			other.Instances = append(other.Instances, x)
		}
		return build(t, other)
	}
	first, second, third, fourth := top(bottoms), top(copies), top(updated), top(bad)
	for range 4 {
		q, limit := pickRay(p), most*len(in.Instances)
		want := fmt.Sprint(candidates(first, q, limit))
		if got := fmt.Sprint(candidates(second, q, limit)); got != want {
			t.Fatalf("ray %+v: %s after serialization; must be %s", q, got, want)
		}
		if got := fmt.Sprint(candidates(third, q, limit)); got != want {
			t.Fatalf("ray %+v: %s after an update; must be %s", q, got, want)
		}
		if n := len(candidates(fourth, q, 4*limit)); n > 4*limit {
			t.Fatalf("ray %+v: %d candidates in corrupt data of %d primitives", q, n, limit)
		}
	}
}

// FuzzSerial checks serialized scenes, updates in place and corrupt data.
func FuzzSerial(f *testing.F) {
	f.Add([]byte("a seed without meaning"))
	f.Fuzz(checkSerial)
}

// TestSerialScenes checks random scenes as FuzzSerial does.
func TestSerialScenes(t *testing.T) {
	n := 200
	if long() {
		n = 100_000
	}
	r := rand.New(rand.NewPCG(73, 74))
	for range n {
		data := make([]byte, 1500)
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		checkSerial(t, data)
	}
}
