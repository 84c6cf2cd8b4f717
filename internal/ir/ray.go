package ir

import "math"

// A ray is RaySlots consecutive slots of private memory: a ray and the state of its traversal of an acceleration
// structure. A float is the slot's bits. To begin a traversal, a program writes the ray and the structure, and zeros to
// RayStarted, RayEnded, the kinds of both hits and HitGenerated of the committed one. All slots are 0 at first: such a ray
// finds nothing.
const (
	RayOrigin    = 0  // three floats
	RayTMin      = 3  // float
	RayDirection = 4  // three floats
	RayTMax      = 7  // float
	RayTime      = 8  // float: the time of moving structures, 0 to 1
	RayFlags     = 9  // SPIR-V's ray flags
	RayMask      = 10 // the cull mask, in the low 8 bits

	RayCommitted = 11 // a hit: the closest hit so far
	RayCandidate = RayCommitted + HitSlots
	RayTrail     = RayCandidate + HitSlots // four slots: the state of the traversal, of which programs know nothing
	RayStarted   = RayTrail + 4            // 1 after the first RayProceed
	RayEnded     = RayStarted + 1          // 1 if RayProceed finds no further candidate; programs may set it
	RayStructure = RayEnded + 1            // two slots, low half first: the number of the top-level structure; 0 is the null structure
	RayAnswer    = RayStructure + 2        // the answer to the last request other than RayProceed

	RayAnswerSlots = 12
	RaySlots       = RayAnswer + RayAnswerSlots
)

// A frame is FrameSlots consecutive slots of private memory: a ray, from slot 0 on, and the operands of trace. The shaders
// that a ray runs (any-hit, intersection, closest-hit, miss) have the address of its frame as the input RayFrame.
const (
	FrameOffset     = RaySlots + iota // the offset of trace in the records of hits
	FrameStride                       // the records from one geometry to the next
	FrameMiss                         // the record of the miss shader
	FramePayload                      // the address of the payload
	FrameDecision                     // the decision of the any-hit shader about the candidate, one of the decisions below
	FrameAttributes                   // MaxAttributeSlots slots: the hit attributes of the candidate

	// MaxAttributeSlots is the number of slots of the largest hit attributes, 32 members of one byte (maxRayHitAttributeSize):
	// each member has a slot.
	MaxAttributeSlots = 32

	FrameCommitted = FrameAttributes + MaxAttributeSlots // the hit attributes of the committed hit
	FrameSlots     = FrameCommitted + MaxAttributeSlots
)

// A hit object is ObjectSlots consecutive slots of private memory: a frame, from slot 0 on, and the result of its ray. All
// slots are 0 at first: an empty object.
const (
	ObjectState  = FrameSlots + iota // one of the states below
	ObjectRecord                     // the number of a record: of a hit shader in state ObjectHit, of a miss shader in state ObjectMiss
	ObjectSlots
)

// The states of a hit object.
const (
	ObjectEmpty = iota
	ObjectMiss
	ObjectHit // the committed hit of the frame
)

// The decisions of an any-hit shader.
const (
	AcceptHit       = iota
	IgnoreHit       // OpIgnoreIntersectionKHR: the candidate is no hit
	AcceptAndEndRay // OpTerminateRayKHR: the candidate is the last one
)

// The fields of a hit, relative to its first slot.
const (
	HitKind         = 0  // the kind of primitive, one of the kinds below
	HitGenerated    = 1  // 1 if the program generated the hit in a bounding box
	HitT            = 2  // float: the distance along the ray
	HitU            = 3  // float: the barycentric coordinate of vertex 1 of a triangle, or the place along a swept sphere
	HitV            = 4  // float: the barycentric coordinate of vertex 2
	HitInstance     = 5  // the number of the instance
	HitCustomIndex  = 6  // of the instance
	HitRecordOffset = 7  // of the instance: its offset in the shader binding table
	HitGeometry     = 8  // the number of the geometry in the bottom-level structure
	HitPrimitive    = 9  // the number of the primitive in the geometry
	HitShaderKind   = 10 // the hit kind: HitFrontFacing or HitBackFacing of a triangle, else a number of the program
	HitOpaque       = 11 // 1 if the primitive is opaque
	HitPlace        = 12 // of the primitive in its structure; of no meaning to programs
	HitSlots        = 13
)

// UnknownPlace is HitPlace of a hit that no traversal found.
const UnknownPlace = math.MaxUint32

// The kinds of triangle hits.
const (
	HitFrontFacing = 0xfe
	HitBackFacing  = 0xff
)

// The kinds of primitives.
const (
	HitNone = iota
	HitTriangle
	HitBox
	HitSphere
	HitSweptSphere
)

// The requests of ray and rayi. The answer to all but RayProceed is about the candidate, or with RayOfCommitted about the
// committed hit; it is 0 if there is no such hit. RayInstance depends on HitInstance alone.
const (
	RayProceed       = iota // continues to the next candidate, or to the end of the traversal
	RayObjectToWorld        // 12 floats, the four columns of the matrix
	RayWorldToObject        // its inverse, likewise
	RayObjectRay            // six floats: origin and direction of the ray in the space of the object
	RayVertices             // nine floats: the positions of the triangle's vertices
	RaySphere               // eight floats: the centers of both ends of a sphere or swept sphere, then their radii
	RayInstance             // three words: what the structure knows of the hit's instance: HitCustomIndex, HitRecordOffset, HitKind

	RayOfCommitted = 16 // added to a request
)
