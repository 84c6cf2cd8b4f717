package codemem

// trap fills the space after code: four zero bytes are an undefined instruction.
const trap = 0

// flush makes new code visible to instruction fetches: it cleans the data cache at the address of the writable view, and invalidates the
// instruction cache at the executable one. Other threads also need an instruction barrier before they run the code (package
// trampoline).
func flush(write, run, size uintptr)
