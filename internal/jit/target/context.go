package target

// Status is the reason for an exit from machine code to Go.
type Status uint32

// The exit reasons.
const (
	Finished Status = iota // all workgroups of the batch are done
	Called                 // a service of Go is needed; resumes at the stored PC
	Polled                 // the polled word has changed; resumes at the stored PC, or the run is aborted
	Faulted                // a hardware exception: an error of the compiler
)

// Offsets in bytes of the fields of trampoline.Context, which a reserved register of the code points to.
const (
	OffPC           = 0
	OffStack        = 8
	OffExitPC       = 24
	OffPoll         = 32
	OffStatus       = 40
	OffPollExpected = 52
	OffService      = 56
	OffFrame        = 64
	OffArgs         = 96
)

// NoSite is the Service after an exit as Polled between two workgroups.
const NoSite = ^uint64(0)

// Indices in Context.Args, the arguments of a dispatch. Go writes those up to ArgNumGroups; the code
// updates ArgCount and ArgGroup and owns the following ones up to ArgLive.
const (
	ArgHandles      = iota // address of the handles, HandleBytes each
	ArgResources           // address of the resources, ResourceBytes each
	ArgSubgroups           // address of the subgroup table of the worker's workgroup, SubgroupBytes each
	ArgShared              // address of the workgroup memory; its length is a multiple of 8
	ArgBudget              // step budget of a subgroup
	ArgCount               // remaining workgroups
	ArgGroup               // WorkgroupId of the current one, three words
	ArgGroupBase    = ArgGroup + 3
	ArgGroupEnd     = ArgGroupBase + 3 // base plus number of workgroups modulo 2³², three words
	ArgNumGroups    = ArgGroupEnd + 3  // NumWorkgroups, three words
	ArgBaseStack    = ArgNumGroups + 3
	ArgCurrent      = ArgBaseStack + 1    // address of the current subgroup's entry
	ArgSubgroupsEnd = ArgCurrent + 1      // end address of the subgroup table
	ArgLive         = ArgSubgroupsEnd + 1 // number of subgroups that have not ended
	ArgRegions      = ArgLive + 1         // address of the region table; Go writes it and the following ones
	ArgRegionStep   = ArgRegions + 1      // half the entries of the region table
	ArgRegionFirst  = ArgRegionStep + 1   // index of the handle of the first region
	ArgRegionCount  = ArgRegionFirst + 1  // number of regions
	ArgHeeded       = ArgRegionCount + 1  // address of a word for each message of the program: 0 if its events have no effect
	ArgLaunch       = ArgHeeded + 1       // LaunchWords words for values of the launch, the first of which Go sets to 0
	NumArgs         = ArgLaunch + LaunchWords
)

// LaunchWords is the number of words of a worker for the values of a launch.
const LaunchWords = 48
