package ptx

// Qualifiers of memory accesses (PTX ISA, "ld", "st", "atom", "red"): the syntax has one qualifier of each of these classes at most.
// The checker does not look at their order, because assemblers take several orders of scope and space.
var qualifierClasses = []map[string]bool{
	setOf(".weak .relaxed .acquire .release .acq_rel .volatile"),
	setOf(".cta .cluster .gpu .sys"),
	setOf(".const .global .local .param .param::entry .param::func .shared .shared::cta .shared::cluster"),
}

// atomicOperations are the qualifiers of atom and red that name the operation. An instruction has one of them.
var atomicOperations = setOf(".exch .cas .add .inc .dec .min .max .and .or .xor")

// notAtomic are qualifiers of ld and st that no form of atom has.
var notAtomic = setOf(".weak .volatile .sc .const .local .param .param::entry .param::func")

// qualifiers checks the qualifiers of a memory access.
func (c *checker) qualifiers(i *Instr) {
	atomic := i.Op == "atom" || i.Op == "red"
	if !atomic && i.Op != "ld" && i.Op != "st" {
		return
	}
	for _, class := range qualifierClasses {
		if first, second := c.twoOf(i, class); second != "" {
			c.find(CodeInstruction, i.Pos, "%s has %s and %s; must have one of them", i.Name(), first, second)
			return
		}
	}
	if !atomic {
		return
	}
	switch first, second := c.twoOf(i, atomicOperations); {
	case first == "":
		c.find(CodeInstruction, i.Pos, "%s has no operation; must have one", i.Name())
		return
	case second != "":
		c.find(CodeInstruction, i.Pos, "%s has %s and %s; must have one of them", i.Name(), first, second)
		return
	}
	for _, m := range i.Mods {
		if notAtomic[m] {
			c.find(CodeInstruction, i.Pos, "%s has %s; must not have it", i.Name(), m)
			return
		}
	}
	if wide := i.Has(".b128"); wide && (i.Op == "red" || !i.Has(".exch") && !i.Has(".cas")) {
		c.find(CodeType, i.Pos, "%s has the type .b128; must not have it without atom.exch or atom.cas", i.Name())
	}
}

// twoOf returns the first two qualifiers of an instruction that are of a class; "" for one that is not there.
func (*checker) twoOf(i *Instr, class map[string]bool) (first, second string) {
	for _, m := range i.Mods {
		switch {
		case !class[m]:
		case first == "":
			first = m
		default:
			return first, m
		}
	}
	return first, ""
}
