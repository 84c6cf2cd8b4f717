package link

import (
	"fmt"
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// payloadRules are the rules on data that shaders pass to each other besides inputs and
// outputs (Vulkan, Ray Tracing Pipeline Interface).
var payloadRules = []Rule{
	{vuid.RuntimeSpirv_OpTraceRayKHR_11855, "the incoming payload of a stage has the same structure as the payload of a ray of the pipeline"},
	{vuid.VkRayTracingPipelineCreateInfoKHR_pStages_03426, "callable data, and data that the stages of a hit group share, have the same structure in all stages"},
	{"SPV-RayInterface-Size", "payloads and hit attributes have no more bytes than the interface of the pipeline allows"},
}

// payloadOf returns the variable of a storage class that a stage uses, or nil if there is
// none.
func payloadOf(s *Shader, class spirv.StorageClass) *iface.Payload {
	if s == nil || s.Entry == nil {
		return nil
	}
	for i := range s.Entry.Payloads {
		if p := &s.Entry.Payloads[i]; p.Class == class && p.Used {
			return p
		}
	}
	return nil
}

// payloadSide describes a variable that stages share.
func payloadSide(s *Shader, p *iface.Payload) Side {
	side := s.at(p.Inst)
	side.Name, side.Type, side.Slot = p.Name, p.Type.String(), p.Class.String()
	return side
}

// mismatch is the position of a difference between two structures.
type mismatch struct {
	member string // ".hit.t"
	x, y   iface.Type
	counts [2]int // of members, if the counts differ
}

// String describes both sides.
func (m *mismatch) String() string {
	if m.counts != [2]int{} {
		return fmt.Sprintf("has %d members, and %d", m.counts[0], m.counts[1])
	}
	return fmt.Sprintf("is %s, and %s", m.x, m.y)
}

// compare returns the first difference between two structure types, or nil if there is
// none; names do not count. An unknown type is equal to any type.
func compare(x, y iface.Type, a, b []iface.Member) *mismatch {
	same := x.Kind == y.Kind && x.Width == y.Width && x.Rows == y.Rows && x.Columns == y.Columns && slices.Equal(x.Arrays, y.Arrays)
	switch {
	case x.Kind == iface.Other || y.Kind == iface.Other:
		same = x.Name == y.Name || x.Name == "" || y.Name == ""
	case same && x.Kind == iface.Float:
		same = x.Name == y.Name // encodings of their own
	case same && x.Kind == iface.Struct:
		for i := range min(len(a), len(b)) {
			if m := compare(a[i].Type, b[i].Type, a[i].Members, b[i].Members); m != nil {
				m.member = "." + a[i].Name + m.member
				return m
			}
		}
		if len(a) != len(b) {
			return &mismatch{counts: [2]int{len(a), len(b)}}
		}
	}
	if same {
		return nil
	}
	return &mismatch{x: x, y: y}
}

// differ describes the difference between the structures that two stages share.
func differ(x, y *iface.Payload) string {
	m := compare(x.Type, y.Type, x.Members, y.Members)
	if m == nil {
		return x.Name
	}
	return x.Name + m.member + " " + m.String()
}

func samePayload(x, y *iface.Payload) bool {
	return compare(x.Type, y.Type, x.Members, y.Members) == nil
}

// called is the data that one shader passes to another by a call: the storage class in the
// caller and the storage class in the callee.
var called = [...]struct {
	give, take spirv.StorageClass
	what, code string
}{
	{spirv.StorageClassRayPayloadKHR, spirv.StorageClassIncomingRayPayloadKHR, "ray payload", vuid.RuntimeSpirv_OpTraceRayKHR_11855},
	{spirv.StorageClassCallableDataKHR, spirv.StorageClassIncomingCallableDataKHR, "callable data", vuid.VkRayTracingPipelineCreateInfoKHR_pStages_03426},
}

// payloads checks the data that the stages of a ray tracing pipeline share; r is nil if its
// groups are not known.
func (l *linker) payloads(r *Rays) {
	if !l.d.Library && len(l.d.Libraries) == 0 && (r == nil || len(r.Libraries) == 0) && l.d.Flags&enum.PipelineFlagsLibrary == 0 {
		for _, k := range called {
			l.givers(k.give, k.take, k.what, k.code)
		}
	}
	if r == nil {
		return
	}
	for i := range r.Groups {
		g := &r.Groups[i]
		_, closest, _, _ := l.rayStage(g.ClosestHit)
		_, any, _, _ := l.rayStage(g.AnyHit)
		_, hits, _, _ := l.rayStage(g.Intersection)
		if g.Type == enum.GroupTypeGeneral {
			continue
		}
		l.shared(i, closest, any, spirv.StorageClassIncomingRayPayloadKHR, "ray payload")
		if g.Type == enum.GroupTypeProceduralHitGroup {
			l.shared(i, closest, hits, spirv.StorageClassHitAttributeKHR, "hit attribute")
			l.shared(i, any, hits, spirv.StorageClassHitAttributeKHR, "hit attribute")
		}
	}
	if r.Interface != nil {
		l.payloadSizes(r.Interface)
	}
}

// maxGivers bounds how many structures the stages of one pipeline give.
const maxGivers = 256

// givers checks that the data that a shader receives has the type of the data that some
// shader of the pipeline sends: no other stage can call it.
func (l *linker) givers(give, take spirv.StorageClass, what, code string) {
	type giver struct {
		s *Shader
		p *iface.Payload
	}
	var all []giver // one for each structure
	seen := map[*iface.Payload]bool{}
	given := func(p *iface.Payload) bool {
		return slices.ContainsFunc(all, func(g giver) bool { return samePayload(g.p, p) })
	}
	for _, s := range l.stages {
		for i := range s.Entry.Payloads {
			p := &s.Entry.Payloads[i]
			if p.Class != give || !p.Used || seen[p] {
				continue
			}
			if seen[p] = true; len(all) <= maxGivers && !given(p) {
				all = append(all, giver{s, p})
			}
		}
	}
	if len(all) == 0 || len(all) > maxGivers {
		return
	}
	for _, s := range l.stages {
		p := payloadOf(s, take)
		if p == nil || seen[p] {
			continue
		}
		if seen[p] = true; given(p) {
			continue
		}
		l.fail(code, []Side{payloadSide(s, p), payloadSide(all[0].s, all[0].p)},
			"no stage of the pipeline sends the %s that the %s stage receives: %s in the %s stage; must be the same structure in both", what, payloadSide(s, p).Stage, differ(p, all[0].p), payloadSide(all[0].s, all[0].p).Stage)
	}
}

// shared checks the data that two stages of one group share.
func (l *linker) shared(group int, x, y *Shader, class spirv.StorageClass, what string) {
	p, q := payloadOf(x, class), payloadOf(y, class)
	if p == nil || q == nil || samePayload(p, q) {
		return
	}
	l.fail(vuid.VkRayTracingPipelineCreateInfoKHR_pStages_03426, []Side{payloadSide(x, p), payloadSide(y, q)},
		"in group %d the %s stage and the %s stage have a different %s: %s; must be the same structure", group, payloadSide(x, p).Stage, payloadSide(y, q).Stage, what, differ(p, q))
}

// packed returns how many bytes a type has at least: its components without any
// padding.
func packed(t iface.Type, members []iface.Member) uint64 {
	n := uint64(t.Width) / 8 * uint64(t.Rows) * uint64(t.Columns)
	switch t.Kind {
	case iface.Bool:
		n = 4 * uint64(t.Rows)
	case iface.Struct:
		n = 0
		for i := range members {
			n += packed(members[i].Type, members[i].Members)
		}
	case iface.Other, iface.Pointer:
		return 0
	}
	return min(n, 1<<32) * min(t.Elements(), 1<<30)
}

// payloadSizes checks the sizes of payloads and attributes against the interface of the
// pipeline.
func (l *linker) payloadSizes(r *RayInterface) {
	for _, s := range l.stages {
		for i := range s.Entry.Payloads {
			p := &s.Entry.Payloads[i]
			most, what := uint64(r.Payload), "payloads"
			switch p.Class {
			case spirv.StorageClassHitAttributeKHR:
				most, what = uint64(r.HitAttribute), "hit attributes"
			case spirv.StorageClassRayPayloadKHR, spirv.StorageClassIncomingRayPayloadKHR:
			default:
				continue
			}
			if n := packed(p.Type, p.Members); p.Used && n > most {
				l.warn("SPV-RayInterface-Size", []Side{payloadSide(s, p)}, "%s has %d bytes, and the interface of the pipeline allows %d for %s; must be no more", p.Name, n, most, what)
			}
		}
	}
}
