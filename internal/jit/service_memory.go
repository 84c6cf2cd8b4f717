package jit

import "encoding/binary"

// slice returns size bytes at off + imm of a handle, or nil out of range. The comparisons are
// arranged so that no sum can wrap: off and imm come from the shader.
func (h *handle) slice(off, imm, size uint64) []byte {
	n := uint64(len(h.bytes))
	if imm > n || off > n-imm || size > n-imm-off {
		return nil
	}
	return h.bytes[off+imm:][:size]
}

// accessed returns the memory that operands 0 and 1, handle and offset, address in a lane. The
// handle is an index of the table, in machine code and here. The code has bounded it; index 0 is the
// null descriptor, with length 0.
func (c *serviceCall) accessed(lane int) (b []byte, h *handle) {
	h = c.handle(c.use(0, lane))
	return h.slice(c.use(1, lane), c.site.Key.Aux, uint64(c.site.Key.Type.Size())), h
}

// loadLittleEndian returns the bytes of b as a number, low byte first.
func loadLittleEndian(b []byte) uint64 {
	var x [8]byte
	copy(x[:], b)
	return binary.LittleEndian.Uint64(x[:])
}

// storeLittleEndian writes the low bytes of x, low byte first.
func storeLittleEndian(b []byte, x uint64) {
	var all [8]byte
	binary.LittleEndian.PutUint64(all[:], x)
	copy(b, all[:])
}

func (c *serviceCall) load() {
	for lane := range c.active.All {
		b, _ := c.accessed(lane)
		// nil, out of range, loads 0 (robustBufferAccess2).
		c.define(lane, loadLittleEndian(b))
	}
}

func (c *serviceCall) store() {
	for lane := range c.active.All {
		if b, h := c.accessed(lane); b != nil && !h.readOnly && !c.isHelper(lane) {
			storeLittleEndian(b, c.use(2, lane))
		}
	}
}

// private returns the private memory of the subgroup, [slot][lane]. A slot has 32 bits. A value of
// 64 bits occupies two slots, the low word first.
func (c *serviceCall) private() []uint32 {
	return c.recordOf(c.subgroupIndex())[c.variant.code.Record.Private/4:]
}

// variable returns the first slot and the number of slots of the accessed variable. A variable's
// slots are adjacent, and its base is the sum of the slots of all earlier variables.
func (c *serviceCall) variable() (base, slots uint64) {
	i := int(c.site.Key.Aux)
	return uint64(c.variant.source.VarBase(i)), uint64(c.variant.source.Vars[i].Slots)
}

func (c *serviceCall) loadSlots(base, slots uint64) {
	memory, lanes := c.private(), uint64(c.variant.code.Record.Lanes)
	need := uint64(c.site.Key.Type.Slots())
	for lane := range c.active.All {
		bits, slot := uint64(0), c.use(0, lane)
		for i := range need {
			// Out of the variable's range the load returns 0. slot is 32 bits of the shader, so that
			// the sum cannot wrap in 64.
			if slot+need <= slots {
				bits |= uint64(memory[(base+slot+i)*lanes+uint64(lane)]) << (32 * i)
			}
		}
		c.define(lane, bits&c.site.Key.Type.Mask())
	}
}

func (c *serviceCall) storeSlots(base, slots uint64) {
	memory, lanes := c.private(), uint64(c.variant.code.Record.Lanes)
	need := uint64(c.site.Key.Type.Slots())
	for lane := range c.active.All {
		slot, bits := c.use(0, lane), c.use(1, lane)
		for i := range need {
			if slot+need <= slots {
				memory[(base+slot+i)*lanes+uint64(lane)] = uint32(bits >> (32 * i))
			}
		}
	}
}

func (c *serviceCall) variableLoad()  { c.loadSlots(c.variable()) }
func (c *serviceCall) variableStore() { c.storeSlots(c.variable()) }
func (c *serviceCall) indirectLoad()  { c.loadSlots(0, uint64(c.variant.source.PrivateSlots())) }
func (c *serviceCall) indirectStore() { c.storeSlots(0, uint64(c.variant.source.PrivateSlots())) }

func (c *serviceCall) variableClear() {
	memory, lanes := c.private(), uint64(c.variant.code.Record.Lanes)
	base, slots := c.variable()
	for slot := range slots {
		// An inactive lane is on another path and can still read its value.
		for lane := range c.active.All {
			memory[(base+slot)*lanes+uint64(lane)] = 0
		}
	}
}

func (c *serviceCall) variableAddress() {
	base, _ := c.variable()
	c.defineAll(base)
}
