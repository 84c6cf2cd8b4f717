package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Places in Context.Args that compiled programs use.
const (
	ArgHandles      = iota // address of the handles, HandleBytes each
	ArgResources           // address of the resources, ResourceBytes each
	ArgSubgroups           // address of the subgroups of the worker's group, SubgroupBytes each
	ArgShared              // address of the workgroup memory, a multiple of 8 long
	ArgBudget              // steps of a subgroup
	ArgCount               // groups still to run
	ArgGroup               // WorkgroupId, three words
	ArgGroupBase    = ArgGroup + 3
	ArgGroupEnd     = ArgGroupBase + 3 // base plus number of groups modulo 2³², three words
	ArgNumGroups    = ArgGroupEnd + 3  // number of groups, three words
	ArgBaseStack    = ArgNumGroups + 3
	ArgCurrent      = ArgBaseStack + 1    // address of the subgroup that runs
	ArgSubgroupsEnd = ArgCurrent + 1      // address behind the last subgroup
	ArgLive         = ArgSubgroupsEnd + 1 // subgroups that have not ended
	NumArgs         = ArgLive + 1
)

// A handle is the address of its first byte, how many bytes may be read and
// how many written, 64 bits each, and in 32 bits each what stores and atomics
// should know, and its length for those who ask. Handle 0 is null.
const (
	HandleBytes  = 32
	handleShift  = 5 // HandleBytes is 1 << handleShift
	handleLength = 8
	handleWrites = 16
	handlePolicy = 24
	handleRange  = 28
)

// What handleCached holds: 0 where stores had better go past the cache, else 1, or
// HandleOwn where no other worker has the memory either.
const HandlePrivate = 65 // as 1 in the low six bits, those of a place in a line

// The first handles. Tables follow, and what Places says.
const (
	HandleNull = iota
	HandlePush
	HandleShared
	HandleTables
)

// Bounds of what has a fixed place: descriptors of each resource, and bytes of
// push constants.
const (
	maxFixed = 16
	maxPush  = 4096
)

// Places are numbers of handles that are the same in every job.
type HandleLayout struct {
	Resources []int // the first descriptor of each resource
	Counts    []int // how many of its descriptors have a place
	Push      int   // where a copy of the push constants stands instead of handles
	PushBytes int   // its length, a multiple of 4; 0 behind what a job gives
	End       int   // the first handle behind them
}

// PlacesOf lays out the handles of a program.
func HandleLayoutOf(p *ir.Program) HandleLayout {
	l := HandleLayout{End: HandleTables + len(p.Tables)}
	for _, r := range p.Res {
		n := int(min(r.Count, maxFixed))
		l.Resources = append(l.Resources, l.End)
		l.Counts = append(l.Counts, n)
		l.End += n
	}
	l.Push, l.PushBytes = l.End, int(min(p.PushBytes, maxPush))&^3
	l.End += (l.PushBytes + HandleBytes - 1) / HandleBytes
	return l
}

// A resource is its first handle and the number of its descriptors, 32 bits
// each.
const (
	ResourceBytes = 8
	resourceCount = 4
)

// A subgroup is its stack pointer while it waits (0 where it has ended), the
// one it begins with, and the address of its record.
const (
	SubgroupBytes  = 24
	subgroupStart  = 8
	subgroupRecord = 16
)

// Record says where things stand in the memory that belongs to one subgroup
// while its group runs: R14 points to it. Go fills in all that stands before
// Steps; the code clears the private memory when a group begins.
type Record struct {
	Lanes   int32 // of a strip: a multiple of those of a part
	Local   int32 // [index, x, y, z][lane], one word each
	Steps   int32 // a double word for each part: steps that are left to its subgroup
	Helpers int32 // lanes that were demoted: a double word for each part
	Scratch int32 // of one instruction
	Private int32 // [slot][lane], one word each
	Size    int32
}

// What stands in every record.
const (
	RecordID      = 0 // the subgroup's number
	RecordInitial = 8 // lanes that have an invocation: a double word for each part
)

// RecordOf lays out the record of a program's subgroups.
func RecordOf(p *ir.Program, form vcode.Form) Record {
	parts := int32(form.Parts(p.SubgroupSize))
	lanes := parts * int32(form.Lanes)
	words := (8*parts + 63) &^ 63 // a double word for each part
	r := Record{Lanes: lanes, Local: 64 + words}
	r.Steps = r.Local + 4*4*lanes
	r.Helpers = r.Steps + words
	r.Scratch = r.Helpers + words
	r.Private = r.Scratch + scratchBytes
	if parts > 1 && !form.VectorMasks {
		r.Private = r.Scratch + multiScratchBytes
	}
	r.Size = r.Private + (4*lanes*int32(p.PrivateSlots())+63)&^63 // it is cleared by lines
	return r
}

func arg(i int) Mem { return At(R15, int32(OffArgs+8*i)) }
