package vcode

// Form is how a kind of machine holds the values of a strip.
type Form struct {
	Lanes   int  // of a register
	Vectors bool // a mask is 32 bits a lane, all ones or all zeros; else one bit

	Room *Room // that functions are made in; nil where they stay

	Fuse func(*Func) // makes operations of the machine's own of several; nil where it has none
}

// Size returns the bytes that a register of class c takes in memory.
func (f Form) Size(c Class) int32 {
	switch {
	case c == Gen, c == Mask && !f.Vectors:
		return 8
	case c == Wide:
		return int32(8 * f.Lanes)
	}
	return int32(4 * f.Lanes)
}

// Parts returns how many registers hold one value of so many lanes.
func (f Form) Parts(lanes uint32) int { return (int(lanes) + f.Lanes - 1) / f.Lanes }
