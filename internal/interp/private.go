package interp

// The private memory of a subgroup is [slot][lane]. A value of 64 bits has
// two slots, low half first; a load of fewer than 32 bits reads the low bits.

// pld.T #var, slot: 0 if slot (+1 for 64 bits) ≥ Slots of var.
func (s *subgroup) pld(in *inst) {
	v := in.key.Aux
	s.loadSlots(in, s.w.bases[v], s.w.p.p.Vars[v].Slots)
}

// pst.T #var, slot, v: no effect if out of range.
func (s *subgroup) pst(in *inst) {
	v := in.key.Aux
	s.storeSlots(in, s.w.bases[v], s.w.p.p.Vars[v].Slots)
}

// pldi.T addr: checked against the whole private memory of the lane.
func (s *subgroup) pldi(in *inst) { s.loadSlots(in, 0, s.slots()) }

// psti.T addr, v.
func (s *subgroup) psti(in *inst) { s.storeSlots(in, 0, s.slots()) }

func (s *subgroup) slots() uint32 { return uint32(len(s.private) / s.w.lanes) }

func (s *subgroup) loadSlots(in *inst, base, slots uint32) {
	dst, slot := s.reg(in.dst), s.reg(in.x)
	need := uint64(in.key.Type.Slots())
	for _, lane := range s.active() {
		dst[lane] = 0
		if slot[lane]+need > uint64(slots) {
			continue
		}
		at := (int(base)+int(slot[lane]))*s.w.lanes + lane
		bits := uint64(s.private[at])
		if need == 2 {
			bits |= uint64(s.private[at+s.w.lanes]) << 32
		}
		dst[lane] = bits & in.key.Type.Mask()
	}
}

func (s *subgroup) storeSlots(in *inst, base, slots uint32) {
	slot, v := s.reg(in.x), s.reg(in.y)
	need := uint64(in.key.Type.Slots())
	for _, lane := range s.active() {
		if slot[lane]+need > uint64(slots) {
			continue
		}
		at := (int(base)+int(slot[lane]))*s.w.lanes + lane
		s.private[at] = uint32(v[lane])
		if need == 2 {
			s.private[at+s.w.lanes] = uint32(v[lane] >> 32)
		}
	}
}

// pclr #var: all slots of var become 0 for the active lanes.
func (s *subgroup) pclr(in *inst) {
	base, n := int(s.w.bases[in.key.Aux]), int(s.w.p.p.Vars[in.key.Aux].Slots)
	for slot := base; slot < base+n; slot++ {
		for _, lane := range s.active() {
			s.private[slot*s.w.lanes+lane] = 0
		}
	}
}

// paddr #var: the address of var's first slot.
func (s *subgroup) paddr(in *inst) { s.setAll(in, uint64(s.w.bases[in.key.Aux])) }
