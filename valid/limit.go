package valid

// Limits are the universal limits (SPIR-V §2.17). Zero selects the limit of the
// specification; a negative value allows none at all.
type Limits struct {
	StructMembers      int // of one struct
	StructDepth        int // how deep structs nest
	LocalVariables     int // of one function
	GlobalVariables    int
	SwitchBranches     int // literal and label pairs of one OpSwitch
	FunctionArgs       int
	ControlFlowDepth   int // how deep structured constructs nest
	AccessChainIndexes int // also of OpCompositeExtract and OpCompositeInsert
	IDBound            int
}

// fill replaces zeros by the limits of the specification.
func (l *Limits) fill() {
	for _, p := range [...]struct {
		at *int
		by int
	}{
		{&l.StructMembers, 16383}, {&l.StructDepth, 255}, {&l.LocalVariables, 524287}, {&l.GlobalVariables, 65535},
		{&l.SwitchBranches, 16383}, {&l.FunctionArgs, 255}, {&l.ControlFlowDepth, 1023}, {&l.AccessChainIndexes, 255},
		{&l.IDBound, 0x3fffff},
	} {
		switch {
		case *p.at == 0:
			*p.at = p.by
		case *p.at < 0:
			*p.at = 0
		}
	}
}
