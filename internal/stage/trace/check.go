package trace

import "github.com/chiaro-gpu/chiaro/internal/ir"

// Checks are rules on the records of shader binding tables that a launch checks.
type Checks uint8

// The rules. The record of a shader that is executed has a handle that is not zero.
const (
	MissNotNull Checks = 1 << iota
	AnyHitNotNull
	ClosestHitNotNull
	IntersectionNotNull
	HitTypes // the group of a hit is for the type of the geometry: triangles, or boxes
)

// The faults of records, after those of depths.
const (
	faultMiss = faultRays + 1 + iota
	faultAnyHit
	faultClosestHit
	faultIntersection
	faultTriangles
	faultBoxes
)

// nullChecks are the rules of the faults of zero handles.
var nullChecks = map[uint32]Checks{
	faultMiss: MissNotNull, faultAnyHit: AnyHitNotNull, faultClosestHit: ClosestHitNotNull, faultIntersection: IntersectionNotNull,
}

// RecordError reports a record that breaks a rule.
type RecordError struct {
	Check Checks // one rule
	Boxes bool   // the geometry, of HitTypes
}

// Error names the record.
func (e *RecordError) Error() string {
	switch e.Check {
	case MissNotNull:
		return "a ray ends at a miss record with a zero handle; must not be zero"
	case AnyHitNotNull:
		return "the record of an any-hit shader has a zero handle; must not be zero"
	case ClosestHitNotNull:
		return "the record of a closest hit shader has a zero handle; must not be zero"
	case IntersectionNotNull:
		return "the record of an intersection shader has a zero handle; must not be zero"
	}
	if e.Boxes {
		return "a ray meets a box, and the record has no procedural hit group; must have one"
	}
	return "a ray hits a triangle, and the record has no triangles hit group; must have one"
}

// faultError returns the error of a fault; nil if there is none.
func (p *Pipeline) faultError(fault uint32) error {
	switch fault {
	case 0:
		return nil
	case faultRays:
		return &DepthError{Rays: true, Depth: p.Depth}
	case faultCallables:
		return &DepthError{Depth: p.CallableDepth}
	case faultTriangles, faultBoxes:
		return &RecordError{HitTypes, fault == faultBoxes}
	}
	return &RecordError{Check: nullChecks[fault]}
}

// checkRecord emits the checks of a record whose shader is executed. null is the fault of a zero handle; kind is the kind of the hit,
// 0 for a record of no hit.
func (c *composer) checkRecord(record ir.V, null uint32, kind ir.V) {
	zero, types := c.from.Checks&nullChecks[null] != 0, kind != 0 && c.from.Checks&HitTypes != 0
	if !zero && !types {
		return
	}
	b := c.w.B
	if zero { // a record outside of the table breaks other rules
		h := b.OpAux(ir.Region, ir.H, HandleSize, record)
		first := c.w.Load(ir.I32, h, b.Op(ir.RegionOff, ir.I32, h, record), 0)
		b.If(b.Op(ir.And, ir.B1, b.Cmp(ir.Eq, first, b.I32(0)), c.w.Not(b.Cmp(ir.Eq, record, b.Const(ir.I64, 0)))))
		c.fault(null)
		b.End()
	}
	if types && c.spend(len(c.from.Groups)) {
		c.checkType(record, kind)
	}
}

// checkType emits the check of the type of a hit group.
func (c *composer) checkType(record, kind ir.V) {
	var triangles, boxes []ir.Case // the groups for them
	for i, g := range c.from.Groups {
		switch x := (ir.Case{Value: uint64(i) + 1}); {
		case g.General != Unused:
		case g.Intersection != Unused:
			boxes = append(boxes, x)
		default:
			triangles = append(triangles, x)
		}
	}
	b := c.w.B
	for _, x := range [...]struct {
		kind, fault uint32
		groups      []ir.Case
	}{{ir.HitTriangle, faultTriangles, boxes}, {ir.HitBox, faultBoxes, triangles}} {
		if len(x.groups) == 0 {
			continue
		}
		b.If(b.Cmp(ir.Eq, kind, b.I32(x.kind)))
		end := b.Block()
		wrong := b.Block()
		for i := range x.groups {
			x.groups[i].Label = wrong
		}
		b.Switch(c.handle(record), end, x.groups)
		b.End()
		c.fault(x.fault)
		b.Br(end)
		b.End()
		b.End()
	}
}
