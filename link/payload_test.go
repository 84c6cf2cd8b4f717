package link

import (
	"math/rand/v2"
	"testing"

	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// structure makes up the members of a struct.
func structure(r *rand.Rand, depth int) []iface.Member {
	var out []iface.Member
	for range 1 + r.IntN(4) {
		m := iface.Member{Name: "m", Type: vec(iface.Kind(int(iface.Int)+r.IntN(3)), 32, 1+r.IntN(4))}
		if depth > 0 && r.IntN(4) == 0 {
			m.Type = iface.Type{Kind: iface.Struct, Rows: 1, Columns: 1}
			m.Members = structure(r, depth-1)
		}
		if r.IntN(4) == 0 {
			m.Type.Arrays = []uint64{uint64(1 + r.IntN(3))}
		}
		out = append(out, m)
	}
	return out
}

// alike copies members under other names: a name is no part of a structure.
func alike(list []iface.Member) []iface.Member {
	out := append([]iface.Member(nil), list...)
	for i := range out {
		out[i].Name = "n"
		out[i].Type.Arrays = append([]uint64(nil), out[i].Type.Arrays...)
		out[i].Members = alike(out[i].Members)
	}
	return out
}

// change changes one property of one member and describes the change.
func change(r *rand.Rand, list []iface.Member) ([]iface.Member, string) {
	i := r.IntN(len(list))
	m := &list[i]
	if len(m.Members) > 0 && r.IntN(2) == 0 {
		var what string
		m.Members, what = change(r, m.Members)
		return list, what
	}
	switch r.IntN(4) {
	case 0:
		return append(list, iface.Member{Type: vec(iface.Float, 32, 1)}), "one member more"
	case 1:
		m.Type.Arrays = append(m.Type.Arrays, 5)
		return list, "one array more"
	case 2:
		m.Type.Width, m.Type.Rows = m.Type.Width+16, m.Type.Rows+1
		return list, "another width"
	}
	m.Type.Kind, m.Members = iface.Bool, nil
	return list, "another kind"
}

// TestPayloadProperty generates payloads that a raygen stage sends and a miss stage
// receives, which must link, and then changes one property of one side, which must be
// found.
func TestPayloadProperty(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := range 1000 {
		whole := iface.Type{Kind: iface.Struct, Rows: 1, Columns: 1}
		given := iface.Payload{Name: "p", Class: spirv.StorageClassRayPayloadKHR, Type: whole, Members: structure(r, 2), Used: true}
		taken := iface.Payload{Name: "q", Class: spirv.StorageClassIncomingRayPayloadKHR, Type: whole, Members: alike(given.Members), Used: true}
		link := func() []Finding {
			return Link(&Description{Kind: RayTracing, Stages: []Shader{
				shader(t, iface.Entry{Model: spirv.ExecutionModelRayGenerationKHR, Payloads: []iface.Payload{given}}),
				shader(t, iface.Entry{Model: spirv.ExecutionModelMissKHR, Payloads: []iface.Payload{taken}}),
			}})
		}
		if found := link(); len(found) != 0 {
			t.Fatalf("%d: payloads that match: found %v", n, found)
		}
		var what string
		taken.Members, what = change(r, taken.Members)
		if found := link(); len(found) != 1 || found[0].Code != vuid.RuntimeSpirv_OpTraceRayKHR_11855 {
			t.Fatalf("%d: %s: found %v; must be found", n, what, found)
		}
	}
}
