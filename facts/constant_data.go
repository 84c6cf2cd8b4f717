package facts

// data sets c, an array of integers, to the values packed in words, low byte
// first (SPV_KHR_constant_data). A specialization supplies 64 bits at most: the
// value of a longer array is then not known.
func (g *gatherer) data(c *Const, words []uint32) {
	c.Known, c.Elems = false, nil
	if !c.Type.IsArray() || !c.Type.Elem.IsInt() || c.Type.Elem.Width%8 != 0 {
		return
	}
	w := uint64(c.Type.Elem.Width) / 8
	if w == 0 || w > 8 || c.Type.Count == 0 || c.Type.Count > uint64(len(words))*4/w {
		return
	}
	parts := make([]Const, c.Type.Count)
	c.Elems = make([]*Const, c.Type.Count)
	for i := range parts {
		bits := uint64(0)
		for k := range w {
			at := uint64(i)*w + k
			bits |= uint64(words[at/4]>>(at%4*8)&0xff) << (8 * k)
		}
		parts[i] = Const{Op: c.Op, Index: c.Index, Type: c.Type.Elem, Known: true, Bits: bits, Spec: c.Spec}
		c.Elems[i] = &parts[i]
	}
	c.Known = true
}
