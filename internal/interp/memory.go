package interp

import (
	"encoding/binary"
	"math"
	"sync/atomic"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// handle is an entry of a worker's list of handles. The bits of a value of type h
// are its index.
type handle struct {
	bytes    []byte
	beyond   int // of bytes, those at the end that len does not count
	readOnly bool
	address  uint64 // of a region
}

// The handles that every worker has; tables, descriptors and regions follow.
const (
	nullHandle = iota
	pushHandle
	wgHandle // the worker's own
	firstHandle
)

// handles are the handles of a job, in order.
type handles struct {
	list    []handle
	tables  int      // number of the first table
	res     []uint64 // of each resource: number of its first descriptor
	regions int      // number of the first region
}

// fill numbers the handles of a job.
func (h *handles) fill(p *ir.Program, job *exec.Job) {
	h.list, h.res, h.tables = append(h.list[:0], make([]handle, firstHandle)...), h.res[:0], firstHandle
	h.list[pushHandle] = handle{bytes: reach(job.Push), readOnly: true}
	for _, t := range p.Tables {
		h.list = append(h.list, handle{bytes: reach(t), readOnly: true})
	}
	for r := range job.Resources {
		h.res = append(h.res, uint64(len(h.list)))
		x := p.Res[r]
		for _, b := range job.Resources[r] {
			h.list = append(h.list, handle{bytes: reach(b.Bytes), beyond: max(0, len(reach(b.Bytes))-b.Range()), readOnly: x.NonWritable || x.Kind == ir.UniformBuffer})
		}
	}
	h.regions = len(h.list)
	for _, r := range job.Regions {
		h.list = append(h.list, handle{bytes: reach(r.Bytes), address: r.Address})
	}
}

// reach cuts off the bytes that no length and no offset of 32 bits can address.
func reach(b []byte) []byte { return b[:min(uint64(len(b)), math.MaxUint32)] }

// words returns n zero bytes that begin at a multiple of 8.
func words(n int) []byte {
	if n == 0 {
		return nil
	}
	w := make([]uint64, (n+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(w))), n)
}

// res #r, i: descriptor i of resource r, or the null handle.
func (s *subgroup) res(in *inst) {
	dst, x := s.reg(in.dst), s.reg(in.x)
	r := in.key.Aux
	for _, lane := range s.active() {
		dst[lane] = nullHandle
		if r < uint64(len(s.w.handleList.res)) && x[lane] < uint64(len(s.w.job.Resources[r])) {
			dst[lane] = s.w.handleList.res[r] + x[lane]
		}
	}
}

func (s *subgroup) push(in *inst) { s.setAll(in, pushHandle) }

func (s *subgroup) wg(in *inst) { s.setAll(in, wgHandle) }

func (s *subgroup) table(in *inst) { s.setAll(in, uint64(s.w.handleList.tables)+in.key.Aux) }

// len h: bytes.
func (s *subgroup) length(in *inst) {
	dst, x := s.reg(in.dst), s.reg(in.x)
	for _, lane := range s.active() {
		h := &s.w.handles[x[lane]]
		dst[lane] = uint64(len(h.bytes) - h.beyond)
	}
}

// at returns the size bytes at off+imm, or nil if off+imm+size > len.
func at(b []byte, off, imm, size uint64) []byte {
	n := uint64(len(b))
	if imm > n || off > n-imm || size > n-imm-off {
		return nil
	}
	return b[off+imm:][:size]
}

// ld.T h, off, #imm: 0 if out of range.
func (s *subgroup) ld(in *inst) {
	dst, h, off := s.reg(in.dst), s.reg(in.x), s.reg(in.y)
	size := uint64(in.key.Type.Size())
	if size == 4 && in.key.Flags&(ir.Coherent|ir.Volatile) == 0 {
		for _, lane := range s.active() {
			dst[lane] = 0
			if b := at(s.w.handles[h[lane]].bytes, off[lane], in.key.Aux, 4); b != nil {
				dst[lane] = uint64(binary.LittleEndian.Uint32(b))
			}
		}
		return
	}
	for _, lane := range s.active() {
		b := at(s.w.handles[h[lane]].bytes, off[lane], in.key.Aux, size)
		dst[lane] = load(b, in.key.Flags)
	}
}

// st.T h, off, #imm, v: no effect if out of range, for helpers,
// and on read-only memory.
func (s *subgroup) st(in *inst) {
	h, off, v := s.reg(in.x), s.reg(in.y), s.reg(in.z)
	size := uint64(in.key.Type.Size())
	for _, lane := range s.active() {
		to := &s.w.handles[h[lane]]
		if b := at(to.bytes, off[lane], in.key.Aux, size); b != nil && !to.readOnly && !s.helper.Has(uint32(lane)) {
			store(b, in.key.Flags, v[lane])
		}
	}
}

// load returns the bytes of b, low byte first; 0 if there are none. Accesses that
// other workers may observe use sync/atomic if aligned.
func load(b []byte, f ir.Flags) uint64 {
	switch len(b) {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		if p := address(b); f&(ir.Coherent|ir.Volatile) != 0 && uintptr(p)&3 == 0 {
			return uint64(atomic.LoadUint32((*uint32)(p)))
		}
		return uint64(binary.LittleEndian.Uint32(b))
	case 8:
		if p := address(b); f&(ir.Coherent|ir.Volatile) != 0 && uintptr(p)&7 == 0 {
			return atomic.LoadUint64((*uint64)(p))
		}
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// store writes the bytes of v, low byte first.
func store(b []byte, f ir.Flags, v uint64) {
	switch len(b) {
	case 1:
		b[0] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(v))
	case 4:
		if p := address(b); f&(ir.Coherent|ir.Volatile) != 0 && uintptr(p)&3 == 0 {
			atomic.StoreUint32((*uint32)(p), uint32(v))
			return
		}
		binary.LittleEndian.PutUint32(b, uint32(v))
	case 8:
		if p := address(b); f&(ir.Coherent|ir.Volatile) != 0 && uintptr(p)&7 == 0 {
			atomic.StoreUint64((*uint64)(p), v)
			return
		}
		binary.LittleEndian.PutUint64(b, v)
	}
}

func address(b []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b)) }

// region addr, #n: the live allocation that holds [addr, addr+n), or null. One
// that an offset of 32 bits does not reach at addr counts as not there.
func (s *subgroup) region(in *inst) {
	dst, addr := s.reg(in.dst), s.reg(in.x)
	for _, lane := range s.active() {
		dst[lane] = nullHandle
		for i := s.w.handleList.regions; i < len(s.w.handles); i++ {
			r := &s.w.handles[i]
			if addr[lane] >= r.address && at(r.bytes, addr[lane]-r.address, 0, in.key.Aux) != nil {
				dst[lane] = uint64(i)
				break
			}
		}
	}
}

// regionoff h, addr: addr − base of h; 0 for null.
func (s *subgroup) regionOff(in *inst) {
	dst, h, addr := s.reg(in.dst), s.reg(in.x), s.reg(in.y)
	for _, lane := range s.active() {
		dst[lane] = 0
		if h[lane] != nullHandle {
			dst[lane] = uint64(uint32(addr[lane] - s.w.handles[h[lane]].address))
		}
	}
}
