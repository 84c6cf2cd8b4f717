package jit

import (
	"encoding/binary"

	"github.com/chiaro-gpu/chiaro/internal/jit/amd64"
)

// window returns the size bytes at off + imm of a handle, or nil out of range.
func (h *handle) window(off, imm, size uint64) []byte {
	n := uint64(len(h.bytes))
	if imm > n || off > n-imm || size > n-imm-off {
		return nil
	}
	return h.bytes[off+imm:][:size]
}

// window is where the instruction's operands 0 and 1, handle and offset, point
// in a lane.
func (v *visit) window(lane int) (b []byte, h *handle) {
	h = &v.handles[v.use(0, lane)]
	return h.window(v.use(1, lane), v.site.Key.Aux, uint64(v.site.Key.Type.Size())), h
}

// little returns the bytes of b as a number, low byte first.
func little(b []byte) uint64 {
	var x [8]byte
	copy(x[:], b)
	return binary.LittleEndian.Uint64(x[:])
}

// putLittle writes the low bytes of x, low byte first.
func putLittle(b []byte, x uint64) {
	var all [8]byte
	binary.LittleEndian.PutUint64(all[:], x)
	copy(b, all[:])
}

func (v *visit) load() {
	for lane := range v.set.All {
		b, _ := v.window(lane)
		v.define(lane, little(b))
	}
}

func (v *visit) store() {
	for lane := range v.set.All {
		if b, h := v.window(lane); b != nil && !h.readOnly && !v.isHelper(lane) {
			putLittle(b, v.use(2, lane))
		}
	}
}

// region is the allocation that holds the bytes from an address on, or null.
func (v *visit) region() {
	for lane := range v.set.All {
		address, found := v.use(0, lane), uint64(amd64.HandleNull)
		for i := v.regions; i < len(v.handles) && found == amd64.HandleNull; i++ {
			h := &v.handles[i]
			if address >= h.address && h.window(address-h.address, 0, v.site.Key.Aux) != nil {
				found = uint64(i)
			}
		}
		v.define(lane, found)
	}
}

func (v *visit) regionOffset() {
	for lane := range v.set.All {
		off := uint64(0)
		if n := v.use(0, lane); n != amd64.HandleNull {
			off = uint64(uint32(v.use(1, lane) - v.handles[n].address))
		}
		v.define(lane, off)
	}
}

// private is the private memory of the subgroup, [slot][lane].
func (v *visit) private() []uint32 {
	return v.record(v.current())[v.p.code.Record.Private/4:]
}

// variable returns the first slot and the number of slots of the variable that
// the instruction names.
func (v *visit) variable() (base, slots uint64) {
	i := int(v.site.Key.Aux)
	return uint64(v.p.p.VarBase(i)), uint64(v.p.p.Vars[i].Slots)
}

func (v *visit) loadSlots(base, slots uint64) {
	memory, lanes := v.private(), uint64(v.p.code.Record.Lanes)
	need := uint64(v.site.Key.Type.Slots())
	for lane := range v.set.All {
		bits, slot := uint64(0), v.use(0, lane)
		for i := range need {
			if slot+need <= slots {
				bits |= uint64(memory[(base+slot+i)*lanes+uint64(lane)]) << (32 * i)
			}
		}
		v.define(lane, bits&v.site.Key.Type.Mask())
	}
}

func (v *visit) storeSlots(base, slots uint64) {
	memory, lanes := v.private(), uint64(v.p.code.Record.Lanes)
	need := uint64(v.site.Key.Type.Slots())
	for lane := range v.set.All {
		slot, bits := v.use(0, lane), v.use(1, lane)
		for i := range need {
			if slot+need <= slots {
				memory[(base+slot+i)*lanes+uint64(lane)] = uint32(bits >> (32 * i))
			}
		}
	}
}

func (v *visit) variableLoad()  { v.loadSlots(v.variable()) }
func (v *visit) variableStore() { v.storeSlots(v.variable()) }
func (v *visit) placeLoad()     { v.loadSlots(0, uint64(v.p.p.PrivateSlots())) }
func (v *visit) placeStore()    { v.storeSlots(0, uint64(v.p.p.PrivateSlots())) }

func (v *visit) variableClear() {
	memory, lanes := v.private(), uint64(v.p.code.Record.Lanes)
	base, slots := v.variable()
	for slot := range slots {
		for lane := range v.set.All {
			memory[(base+slot)*lanes+uint64(lane)] = 0
		}
	}
}

func (v *visit) variablePlace() {
	base, _ := v.variable()
	v.defineAll(base)
}
