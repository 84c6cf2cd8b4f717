package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// allCaches is the register field of PREFETCH for PREFETCHT0, all cache levels. The field is 0 for
// PREFETCHNTA, 2 for T1 and 3 for T2.
const allCaches = 1

// prefetch requests the cache lines that the next workgroup will load, of an access of so many
// bytes. If they directly follow the current ones only the last word's line is new. A prefetch never
// faults, so it needs no bounds check. A hardware prefetcher detects the stride within a workgroup,
// but not the jump to the next one.
func (m *machine) prefetch(in *vcode.Inst, at Mem, bytes int32) {
	if in.Prefetch == 0 || in.Prefetch > maxDisp || int64(at.Disp) > maxDisp {
		return
	}
	first := int32(0)
	if in.Prefetch <= uint32(bytes) {
		// The last word of the next access; the other lines have been loaded by this one.
		first = 60
	}
	for off := first; off < bytes; off += 64 {
		next := at
		next.Disp += int32(in.Prefetch) + off
		m.GRM(PREFETCH, allCaches, next)
	}
}

// stridedLoad loads consecutive words: with vector loads if all are in range, which implies that no
// offset wraps or saturates (package vectorize); else lane by lane, out of line. A stride of 4 is
// plain consecutive words; greater ones load everything between and permute (select_widestride.go, select_recordrun.go).
func (m *machine) stridedLoad(in *vcode.Inst) {
	slow, resume, proven := m.NewLabel(), m.NewLabel(), false
	if in.Step*in.Stride > 4 {
		m.wideStrideLoad(in, slow)
	} else {
		var at Mem
		at, proven = m.boundsCheck(in, 64*int32(len(in.Defs)), target.HandleLength, slow)
		m.prefetch(in, at, 64*int32(len(in.Defs)))
		for part := range in.Defs {
			// The parts are consecutive: part p is at at + 64·p, and one check covers all.
			one := partOf(in, part)
			d, o := m.dest(&one, 0)
			m.RM(VMOVDQU32, V512, d, 0, plusVectors(at, int32(part)), o)
			m.done(&one, d)
		}
	}
	if proven {
		return
	}
	m.Bind(resume)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(slow)
		m.gatherParts(in)
		m.Jmp(resume)
	})
}

// gatherParts is the slow path of a strided load.
func (m *machine) gatherParts(in *vcode.Inst) {
	for part := range in.Defs {
		one := partOf(in, part)
		m.stridedOffsets(in, part)
		m.gatherFrom(&one, 1)
	}
}

// With a partial mask the store is masked, which the check permits: it covers all lanes.
func (m *machine) stridedStore(in *vcode.Inst) {
	slow, resume, proven := m.NewLabel(), m.NewLabel(), false
	if in.Step*in.Stride > 4 {
		m.wideStrideStore(in, slow)
	} else {
		var at Mem
		at, proven = m.boundsCheck(in, 64*int32(len(in.Masks)), target.HandleWrites, slow)
		m.storeParts(in, at)
	}
	if proven {
		return
	}
	m.Bind(resume)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(slow)
		m.scatterParts(in)
		m.Jmp(resume)
	})
}

// scatterParts is the slow path of a strided store.
func (m *machine) scatterParts(in *vcode.Inst) {
	for part := range in.Masks {
		one := partOf(in, part)
		m.stridedOffsets(in, part)
		m.scatterTo(&one, 1, one.Uses[4])
	}
}

// storeOpt returns the mask of the lanes that store, or none if all are known to. It clobbers K1 and
// K2. In a program with demote no mask is known to be full, since any lane may be a helper.
func (m *machine) storeOpt(in *vcode.Inst) Opt {
	if all, ok := m.f.Const(in.Masks[0]); !ok || all == 0 || m.facts.Demotes {
		return K(m.storingLanes(in))
	}
	return 0
}

// partOf returns an instruction on one part of a strided access. Uses are handle, offset, start and
// index, then for stores one value for each part.
func partOf(in *vcode.Inst, part int) vcode.Inst {
	one := *in
	one.Part += uint8(part)
	one.Masks, one.Checked = in.Masks[part:part+1], false
	if len(in.Defs) > 0 {
		one.Defs = in.Defs[part : part+1]
	} else {
		one.Uses = append(in.Uses[:4:4], in.Uses[4+part])
	}
	return one
}

// stridedOffsets puts the offsets of a part of a strided access into Z1: min(u2 + (u3 + Step·lane +
// IndexOffset)·Stride, 2³²−1), with the sum in parentheses modulo 2³². The slow path needs the
// offset of each lane, which exists nowhere on the fast path.
func (m *machine) stridedOffsets(in *vcode.Inst, part int) {
	m.RM(VMOVDQU32, V512, 1, 0, m.iota16(), 0)
	if part > 0 {
		m.RM(VPADDD, V512, 1, 1, m.word32(uint32(part)*zmmLanes), BC)
	}
	// Step · lane, with lane numbers of the whole strip.
	m.RM(VPMULLD, V512, 1, 1, m.word32(in.Step), BC)
	m.RR(VPBROADCASTD_R, V512, 2, 0, m.gen(in.Uses[3], RAX), 0)
	m.RR(VPADDD, V512, 1, 1, 2, 0)
	if in.IndexOffset > 0 {
		m.RM(VPADDD, V512, 1, 1, m.word32(in.IndexOffset), BC)
	}
	start := NoReg
	off, ok := m.f.Const(in.Uses[2])
	if !ok {
		m.RR(VPBROADCASTD_R, V512, 3, 0, m.gen(in.Uses[2], RAX), 0)
		start = 3
	}
	m.moveVec(1, m.offset(1, in.Stride, start, uint32(off)))
}
