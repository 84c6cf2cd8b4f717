package debug

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/trace"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// launchBuiltins are the built-in values of the invocations of a launch of rays, under the names of SPIR-V.
var launchBuiltins = []builtinWords{
	{"LaunchIdKHR", "uvec3", 3, func(x *view, i int) uint32 { return x.launchID(x.at, x.lane)[i] }},
	{"LaunchSizeKHR", "uvec3", 3, func(x *view, i int) uint32 { return trace.LaunchSize(x.params())[i] }},
	{"SubgroupLocalInvocationId", "uint", 1, func(x *view, _ int) uint32 { return x.lane }},
}

// params returns the parameters of the launch.
func (h *hook) params() []byte {
	for i := range h.program.Res {
		if trace.IsParams(&h.program.Res[i]) && i < len(h.job.Resources) && len(h.job.Resources[i]) > 0 {
			return h.job.Resources[i][0].Bytes
		}
	}
	return nil
}

// launchID returns the id in the launch of the invocation in a lane.
func (h *hook) launchID(s *exec.Step, lane uint32) [3]uint32 {
	return trace.LaunchID(h.params(), h.program.SubgroupSize, s.Group, lane)
}

// inLaunch reports whether a lane of the subgroup of the stop has an invocation of the launch.
func (h *hook) inLaunch(lane uint32) bool {
	id, size := h.launchID(h.step, lane), trace.LaunchSize(h.params())
	return id[0] < size[0] && id[1] < size[1] && id[2] < size[2]
}

// launches reports whether a workgroup has the invocation of a launch that the pick asks for.
func (h *hook) launches(g *exec.Group) bool {
	want := h.session.config.Pick.Launch
	for lane := range h.program.SubgroupSize {
		if trace.LaunchID(h.params(), h.program.SubgroupSize, g.ID, lane) == *want {
			return true
		}
	}
	return false
}

// context returns a word of the inputs of the shader that runs in a frame.
func (x *view) context(slot uint64) uint32 {
	of := x.own()
	if of.stage == nil || of.Context >= uint64(len(x.at.Bases)) {
		return 0
	}
	return x.at.ReadPrivate(uint64(x.at.Bases[of.Context])+slot, x.lane)
}

// record returns the device address of the data of the shader record.
func (x *view) record() uint64 {
	return uint64(x.context(trace.ContextRecord)) | uint64(x.context(trace.ContextRecord+1))<<32 + trace.HandleSize
}

// addressed returns the bytes from a device address to the end of its allocation; nil if there is none.
func (x *view) addressed(address uint64) []byte {
	list := x.job.Regions
	i := sort.Search(len(list), func(i int) bool { return list[i].Address > address }) - 1
	if i < 0 || address-list[i].Address > uint64(len(list[i].Bytes)) {
		return nil
	}
	return list[i].Bytes[address-list[i].Address:]
}

// isRay reports whether the values of a type have the parts of a ray.
func isRay(t *facts.Type) bool {
	switch {
	case t == nil:
	case t.Op == spirv.OpTypeRayQueryKHR, t.Op == spirv.OpTypeHitObjectNV, t.Op == spirv.OpTypeHitObjectEXT:
		return true
	}
	return false
}

// rayPart is a part of a ray query or of a hit object, as its slots have it.
type rayPart struct {
	name string
	slot int
	n    int
	kind kind
}

var rayParts = []rayPart{
	{"origin", ir.RayOrigin, 3, float}, {"direction", ir.RayDirection, 3, float}, {"tMin", ir.RayTMin, 1, float}, {"tMax", ir.RayTMax, 1, float},
	{"flags", ir.RayFlags, 1, unsigned}, {"mask", ir.RayMask, 1, unsigned},
}

// hitParts are the parts of a hit, relative to its first slot.
var hitParts = []rayPart{
	{"t", ir.HitT, 1, float}, {"barycentrics", ir.HitU, 2, float}, {"instance", ir.HitInstance, 1, unsigned}, {"customIndex", ir.HitCustomIndex, 1, unsigned},
	{"geometry", ir.HitGeometry, 1, unsigned}, {"primitive", ir.HitPrimitive, 1, unsigned}, {"hitKind", ir.HitShaderKind, 1, unsigned},
}

// rayHits are the hits of a ray: the committed one, and the candidate.
var rayHits = []struct {
	name string
	slot int
}{{"committed", ir.RayCommitted}, {"candidate", ir.RayCandidate}}

// hitNames are the texts of the kinds of hits.
var hitNames = []string{ir.HitNone: "none", ir.HitTriangle: "triangle", ir.HitBox: "box", ir.HitSphere: "sphere", ir.HitSweptSphere: "swept sphere"}

// words returns the slots of a ray.
func (v *Variable) words() ([]uint32, error) {
	_, list, err := v.of.placesOf(v.id, v.path)
	if err != nil {
		return nil, err
	}
	words := make([]uint32, len(list))
	for i, p := range list {
		bits, err := v.of.read(p)
		if err != nil {
			return nil, err
		}
		words[i] = uint32(bits)
	}
	if len(words) < ir.RaySlots {
		return nil, fmt.Errorf("%d slots", len(words))
	}
	return words, nil
}

// fillRay is fill for a ray: its text is the committed hit.
func (v *Variable) fillRay() {
	words, err := v.words()
	if err != nil {
		v.Value = "<" + err.Error() + ">"
		return
	}
	switch {
	case words[ir.RayStarted] == 0:
		v.Value = "not started"
	case words[ir.RayEnded] == 0:
		v.Value = "in traversal, committed: " + hitText(words[ir.RayCommitted:])
	default:
		v.Value = "ended, committed: " + hitText(words[ir.RayCommitted:])
	}
	for _, p := range rayParts {
		v.fixed = append(v.fixed, p.variable(words))
	}
	for _, h := range rayHits {
		of := words[h.slot:]
		hit := &Variable{Name: h.name, Value: hitText(of), ofRay: true}
		if of[ir.HitKind] != ir.HitNone {
			for _, p := range hitParts {
				hit.fixed = append(hit.fixed, p.variable(of))
			}
		}
		hit.Parts = uint64(len(hit.fixed))
		v.fixed = append(v.fixed, hit)
	}
	v.Parts = uint64(len(v.fixed))
}

// hitText returns the text of a hit.
func hitText(words []uint32) string {
	n := words[ir.HitKind]
	if n == ir.HitNone || int(n) >= len(hitNames) {
		return hitNames[ir.HitNone]
	}
	return hitNames[n] + " at " + floatText(words[ir.HitT])
}

// floatText returns the shortest text of the float with some bits.
func floatText(word uint32) string {
	return strconv.FormatFloat(float64(math.Float32frombits(word)), 'g', -1, 32)
}

// variable returns the part of a ray with these words in its slots.
func (p rayPart) variable(words []uint32) *Variable {
	v := &Variable{Name: p.name, Type: "uint", kind: p.kind, ofRay: true}
	var parts []string
	for _, w := range words[p.slot : p.slot+p.n] {
		n, text := number{i: int64(w)}, strconv.FormatUint(uint64(w), 10)
		if p.kind == float {
			n, text = number{f: float64(math.Float32frombits(w))}, floatText(w)
		}
		v.numbers, parts = append(v.numbers, n), append(parts, text)
	}
	if v.Value = strings.Join(parts, ", "); p.n > 1 {
		v.Value = "(" + v.Value + ")"
	}
	if p.kind == float {
		if v.Type = "float"; p.n > 1 {
			v.Type = fmt.Sprintf("vec%d", p.n)
		}
	}
	return v
}
