package ir

import (
	"math/bits"
	"slices"
	"strings"
)

// Sanitizers is a set of the checks that a program can have of its own execution.
type Sanitizers uint8

// The sanitizers.
const (
	SanitizeBounds    Sanitizers = 1 << iota // accesses outside of a range
	SanitizeUninit                           // uses of values that no store wrote
	SanitizeRace                             // accesses of a location that are not ordered
	SanitizeFloat                            // NaNs, infinities and zeros that an operation makes
	SanitizeUniform                          // values and control flow that must be uniform
	SanitizeInterface                        // outputs and inputs that do not match
	SanitizeUndefined                        // operands for which an instruction has no result

	numSanitizers = iota

	// SanitizeFaults are those whose reports the specification leaves undefined (the results of SanitizeFloat are defined), except
	// for SanitizeRace, which costs many times as much.
	SanitizeFaults = SanitizeBounds | SanitizeUninit | SanitizeUniform | SanitizeInterface | SanitizeUndefined
	// SanitizeAll are all.
	SanitizeAll = SanitizeFaults | SanitizeRace | SanitizeFloat
)

var sanitizerNames = [numSanitizers]string{"bounds", "uninit", "race", "float", "uniform", "interface", "undefined"}

// SanitizerNames returns the names of all sanitizers.
func SanitizerNames() []string { return slices.Clone(sanitizerNames[:]) }

// String returns the names, such as "bounds,float".
func (s Sanitizers) String() string {
	var list []string
	for ; s != 0; s &= s - 1 {
		if i := bits.TrailingZeros8(uint8(s)); i < numSanitizers {
			list = append(list, sanitizerNames[i])
		}
	}
	return strings.Join(list, ",")
}

// ParseSanitizers returns the set of a list of names with commas, which may have "all" and "faults". If a name is unknown, it
// returns the name and false.
func ParseSanitizers(list string) (s Sanitizers, bad string, ok bool) {
	for name := range strings.SplitSeq(list, ",") {
		switch i := slices.Index(sanitizerNames[:], name); {
		case name == "all":
			s |= SanitizeAll
		case name == "faults":
			s |= SanitizeFaults
		case i >= 0:
			s |= 1 << i
		default:
			return 0, name, false
		}
	}
	return s, "", true
}

// Site is the place of a report of a sanitizer.
type Site struct {
	Sanitizer   Sanitizers // one
	Stage       Stage      // of the shader: the program may be a compute program that contains it
	Rule        string     // a VUID, or the case of a row of docs/undefined.md
	File        string     // of the source; "" if the module has no position
	Line        uint32     // in File
	Instruction uint32     // its number in the module, from 1; 0 if there is none
	Name        string     // of the instruction, with its result, such as "OpUDiv %7"
	Where       uint32     // the last values of the message are those of the stage that identify the invocation
	Column      uint32     // in Line, from 1; 0 if it is not known
}

// Checked reports whether a program has one of the sanitizers, for the stages that add reports of their own: the program has a
// message of kind Checked.
func (p *Program) Checked(s Sanitizers) bool {
	return slices.ContainsFunc(p.Messages, func(m Message) bool { return m.Kind == Checked && m.Sanitizer&s != 0 })
}

// usedBuiltIns are the built-in outputs that fixed functions may use whenever the shader has them: "If [...] there is an execution path through
// the shader that does not set FragDepth, then the fragment’s depth value is undefined for executions of the shader that take that path".
var usedBuiltIns = map[Semantic]string{Position: "Position", FragDepth: "FragDepth", FragStencilRef: "FragStencilRefEXT", SampleMask: "SampleMask"}

// WithoutValue returns the text of reports of a built-in output without a value; "" if such an output has none.
func WithoutValue(of Semantic) string {
	if name := usedBuiltIns[of]; name != "" {
		return name + " has no value"
	}
	return ""
}

// EventKind is the kind of an event for the detector of data races.
type EventKind uint8

// The kinds of events.
const (
	NoEvent         EventKind = iota
	AccessEvent               // a load, a store or an atomic: its values are the offset and the descriptor's index, or the address; see Event.Texel and EventOutputs
	FenceEvent                // a memory barrier
	BarrierEvent              // a control barrier, before the wait
	ArriveEvent               // the first half of a split barrier
	WaitEvent                 // the second half, before the wait
	LeaveEvent                // the end of an invocation that control barriers do not wait for
	LostEvent                 // never logged: the program has too many events, and does not log all
	PrimitiveEvent            // the start of a fragment, also of a helper: its values are its pixel and its PrimitiveNumber (see PixelOf), and 0
	DerivativeEvent           // a derivative of a fragment, also of a helper: the same value, and a number of the dynamic instance
	numEventKinds
)

// OfQuads reports whether helper invocations have the event, too.
func (k EventKind) OfQuads() bool { return k == PrimitiveEvent || k == DerivativeEvent }

// PixelOf returns the pixel and the number of the primitive in the first value of an event of a fragment: x and y have 16 bits each, from
// the lowest one on, and the number has the high 32 bits.
func PixelOf(value uint64) (x, y uint16, primitive uint32) {
	return uint16(value), uint16(value >> 16), uint32(value >> 32)
}

// The domains are the kinds of memory that a memory barrier can order by itself: bits of Acquire and Release.
const (
	EventBuffers = iota
	EventWorkgroup
	EventImages
	EventOutputs // outputs of a patch: a control barrier of the stage orders them
	EventDomains
)

// The values of an access of an output of a patch are a place and the bits of the value that it stores. The number of a place is
// OutputPlaces · the number of the scalar in Program.Out + the vertex; a place has OutputBytes bytes.
const (
	OutputPlaces = 32 // maxTessellationPatchSize
	OutputBytes  = 8
)

// The scopes of events, from the greatest.
const (
	EventDevice = iota
	EventGroup
	EventSubgroup
	EventInvocation
)

// Event is what a message of kind Traced tells the detector of data races.
type Event struct {
	Kind             EventKind
	Memory           string // of an access: its name, which identifies it
	Bound            bool   // of an access: to the resource at Set and Binding, of the kind Resource
	Set, Binding     uint32
	Resource         ResourceKind
	Axes             uint8  // of a texel: the axes of the image without layers
	Texel            uint8  // coordinates of a texel: the values of the access are they, the level, the sample, and the descriptor's index; 0 for bytes
	Size             uint32 // in bytes
	Domain           uint8
	Read, Write      bool
	Atomic           bool
	Private          bool  // in a module with the Vulkan memory model: without NonPrivatePointer
	Uninit           bool  // of an access of memory without an initializer
	Scope, Execution uint8 // of an access that is not atomic: the invocations to which its store is available, or whose stores are visible to it
	Acquire, Release uint8 // sets of domains
	Barrier          uint8 // of a control barrier that several instructions may execute: its number, from 1; 0 if only this one does
}
