package lower

import (
	"math"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// rayBuiltIn is a built-in input of a ray tracing stage.
type rayBuiltIn struct {
	typ   ir.Type
	n     int // scalars
	place rayPlace
	at    uint64 // the first slot, the request, the semantic or the kind
	first uint64 // of ofAnswer: the first float of the answer
}

// rayPlace is the place of the value of a built-in.
type rayPlace uint8

const (
	ofLaunch  rayPlace = iota // an input of the program
	ofRay                     // the ray of the frame
	ofHit                     // a hit of the ray: the committed one of closest-hit, else the candidate
	ofAnswer                  // the answer to a request about this hit
	ofLimit                   // RayTmax: a slot that depends on the stage
	ofMask                    // the cull mask
	ofCluster                 // the cluster of the hit, which no structure has
	ofKind                    // whether the kind of the hit is one
)

// rayBuiltIns are the built-ins of ray tracing stages.
var rayBuiltIns = map[spirv.BuiltIn]rayBuiltIn{
	spirv.BuiltInLaunchIdKHR:   {ir.I32, 3, ofLaunch, uint64(ir.LaunchId), 0},
	spirv.BuiltInLaunchSizeKHR: {ir.I32, 3, ofLaunch, uint64(ir.LaunchSize), 0},

	spirv.BuiltInWorldRayOriginKHR:    {ir.F32, 3, ofRay, ir.RayOrigin, 0},
	spirv.BuiltInWorldRayDirectionKHR: {ir.F32, 3, ofRay, ir.RayDirection, 0},
	spirv.BuiltInRayTminKHR:           {ir.F32, 1, ofRay, ir.RayTMin, 0},
	spirv.BuiltInRayTmaxKHR:           {ir.F32, 1, ofLimit, 0, 0},
	spirv.BuiltInHitTNV:               {ir.F32, 1, ofLimit, 0, 0},
	spirv.BuiltInCurrentRayTimeNV:     {ir.F32, 1, ofRay, ir.RayTime, 0},
	spirv.BuiltInIncomingRayFlagsKHR:  {ir.I32, 1, ofRay, ir.RayFlags, 0},
	spirv.BuiltInCullMaskKHR:          {ir.I32, 1, ofMask, ir.RayMask, 0},

	spirv.BuiltInInstanceId:             {ir.I32, 1, ofHit, ir.HitInstance, 0},
	spirv.BuiltInInstanceCustomIndexKHR: {ir.I32, 1, ofHit, ir.HitCustomIndex, 0},
	spirv.BuiltInRayGeometryIndexKHR:    {ir.I32, 1, ofHit, ir.HitGeometry, 0},
	spirv.BuiltInPrimitiveId:            {ir.I32, 1, ofHit, ir.HitPrimitive, 0},
	spirv.BuiltInHitKindKHR:             {ir.I32, 1, ofHit, ir.HitShaderKind, 0},

	spirv.BuiltInClusterIDNV: {ir.I32, 1, ofCluster, 0, 0},

	spirv.BuiltInObjectToWorldKHR:              {ir.F32, 12, ofAnswer, ir.RayObjectToWorld, 0},
	spirv.BuiltInWorldToObjectKHR:              {ir.F32, 12, ofAnswer, ir.RayWorldToObject, 0},
	spirv.BuiltInObjectRayOriginKHR:            {ir.F32, 3, ofAnswer, ir.RayObjectRay, 0},
	spirv.BuiltInObjectRayDirectionKHR:         {ir.F32, 3, ofAnswer, ir.RayObjectRay, 3},
	spirv.BuiltInHitTriangleVertexPositionsKHR: {ir.F32, 9, ofAnswer, ir.RayVertices, 0},

	spirv.BuiltInHitIsSphereNV:       {ir.B1, 1, ofKind, ir.HitSphere, 0},
	spirv.BuiltInHitIsLSSNV:          {ir.B1, 1, ofKind, ir.HitSweptSphere, 0},
	spirv.BuiltInHitSpherePositionNV: {ir.F32, 3, ofAnswer, ir.RaySphere, 0},
	spirv.BuiltInHitSphereRadiusNV:   {ir.F32, 1, ofAnswer, ir.RaySphere, 6},
	spirv.BuiltInHitLSSPositionsNV:   {ir.F32, 6, ofAnswer, ir.RaySphere, 0},
	spirv.BuiltInHitLSSRadiiNV:       {ir.F32, 2, ofAnswer, ir.RaySphere, 6},
}

// noCluster is the cluster of hits in structures without clusters: −1 (Vulkan, "ClusterIDNV").
const noCluster = math.MaxUint32

// hitCluster lowers OpRayQueryGetIntersectionClusterIdNV and OpHitObjectGetClusterIdNV.
func hitCluster(f *function, in spirv.Inst) { f.define(in, f.b.I32(noCluster)) }

// rayBuiltIn returns the row of a built-in of a ray tracing stage.
func (u *unit) rayBuiltIn(k spirv.BuiltIn) (rayBuiltIn, bool) {
	r, ok := rayBuiltIns[k]
	return r, ok && u.prog.Stage.OfRays() && (r.place == ofLaunch || runsForRay(u.prog.Stage))
}

// assignRayBuiltIn scalarizes a built-in of a ray tracing stage.
func (u *unit) assignRayBuiltIn(x *ioVariable, t *facts.Type, k spirv.BuiltIn, r rayBuiltIn, like ioScalar) {
	like.typ, like.known, like.ofRay = r.typ, k, true
	for i, s := range u.flat(t) {
		if s != r.typ || i >= r.n {
			u.malformed("the type of %s differs from its required type", k)
		}
		like.index = uint32(i)
		x.scalars = append(x.scalars, like)
	}
}

// hitOfStage returns the first slot of the hit that the shader is about.
func (f *function) hitOfStage() uint64 {
	if f.prog.Stage == ir.ClosestHit {
		return ir.RayCommitted
	}
	return ir.RayCandidate
}

// rayLimit returns the slot of RayTmax. The committed distance is the end of the ray as long as there is no hit.
func (f *function) rayLimit() uint64 {
	switch f.prog.Stage {
	case ir.AnyHit:
		return ir.RayCandidate + ir.HitT
	case ir.Miss:
		return ir.RayTMax
	}
	return ir.RayCommitted + ir.HitT
}

// readRay reads a scalar of a built-in of a ray tracing stage.
func (f *function) readRay(l *ioScalar) ir.V {
	r := rayBuiltIns[l.known]
	slot := r.at + uint64(l.index)
	switch r.place {
	case ofLaunch:
		return f.b.OpAux(ir.In, ir.I32, f.inputNumber(ir.Input{Semantic: ir.Semantic(r.at), Type: ir.I32, Index: l.index}))
	case ofAnswer:
		if l.known == spirv.BuiltInHitTriangleVertexPositionsKHR && l.index == 0 {
			f.checkPositions()
		}
		return f.answers[l.known][l.index]
	case ofHit:
		slot += f.hitOfStage()
	case ofLimit:
		slot = f.rayLimit()
	case ofKind:
		kind := f.raySlot(f.frame(), f.hitOfStage()+ir.HitKind)
		return f.b.Cmp(ir.Eq, kind, f.b.I32(uint32(r.at)))
	case ofCluster:
		return f.b.I32(noCluster)
	case ofMask:
		return f.b.Op(ir.And, ir.I32, f.raySlot(f.frame(), slot), f.b.I32(0xff))
	}
	if r.typ == ir.F32 {
		return f.rayFloat(f.frame(), slot)
	}
	return f.raySlot(f.frame(), slot)
}

// requestAnswers makes the requests for the built-ins in a variable, at the start of the function: the hit is the same until
// it ends, and a matrix is one request.
func (f *function) requestAnswers(x *ioVariable) {
	if !runsForRay(f.prog.Stage) {
		return
	}
	for i := range x.scalars {
		l := &x.scalars[i]
		if !l.ofRay || f.answers[l.known] != nil {
			continue
		}
		r := rayBuiltIns[l.known]
		if r.place != ofAnswer {
			continue
		}
		request, ray := uint32(r.at), f.frame()
		if f.prog.Stage == ir.ClosestHit {
			request += ir.RayOfCommitted
		}
		f.requestRay(ray, f.b.I32(request))
		list := make([]ir.V, r.n)
		for i := range list {
			list[i] = f.rayFloat(ray, ir.RayAnswer+r.first+uint64(i))
		}
		if f.answers == nil {
			f.answers = map[spirv.BuiltIn][]ir.V{}
		}
		f.answers[l.known] = list
	}
}
