package ray

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
)

// TestRows: the machine code of rows equals loops, and touches no other lane.
func TestRows(t *testing.T) {
	if !hasKernel {
		t.Skip("no machine code for this processor")
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		stride := PacketLanes + r.IntN(17)
		memory := make([]uint32, 45*stride)
		for i := range memory {
			memory[i] = uint32(r.IntN(2))
		}
		lanes := r.Uint32() & 0xFFFF
		row, x := r.IntN(45), uint32(r.IntN(2))
		rows := Rows{Memory: memory, Stride: stride, Lanes: PacketLanes}
		differs := false
		for i := range PacketLanes {
			differs = differs || lanes>>i&1 != 0 && memory[row*stride+i] != x
		}
		if got := rows.differs(row, x, lanes); got != differs {
			t.Fatalf("differs is %v, must be %v", got, differs)
		}
		word := (*[PacketLanes]uint32)(memory[row*stride:])
		if equal := equalAVX2(word, x); (lanes&^equal != 0) != differs {
			t.Fatalf("lanes %#x are %d; of %#x differs is %v", equal, x, lanes, differs)
		}
		var p PacketRays
		rows.Load(&p)
		if words := (*[11 * PacketLanes]uint32)(unsafe.Pointer(&p)); !slices.Equal(words[PacketLanes:][:PacketLanes], memory[stride:][:PacketLanes]) {
			t.Fatal("a loaded row has other words")
		}
		want := slices.Clone(memory)
		var hits PacketHits
		words := (*[13 * PacketLanes]uint32)(unsafe.Pointer(&hits))
		for i := range words {
			words[i] = r.Uint32()
		}
		for i := range PacketLanes {
			if lanes>>i&1 != 0 {
				want[row*stride+i] = 7
				for k := range 13 {
					want[(11+k)*stride+i] = words[PacketLanes*k+i]
				}
			}
		}
		rows.Fill(row, 7, lanes)
		rows.Store(11, &hits, lanes)
		if row >= 11 && row < 24 {
			rows.Fill(row, 7, lanes)
			for i := range PacketLanes {
				if lanes>>i&1 != 0 {
					want[row*stride+i] = 7
				}
			}
		}
		if !slices.Equal(memory, want) {
			t.Fatal("stored rows have other words")
		}
	}
}

// TestRowsBegin: queries begin if no lane has started or ended, or has a hit, and all have the structure; other lanes have no effect.
func TestRowsBegin(t *testing.T) {
	const structure = 3<<32 | 5
	r := rand.New(rand.NewPCG(5, 6))
	begun := 0
	for i := range 4000 {
		stride := PacketLanes + r.IntN(17)
		memory := make([]uint32, int(QueryWords+2)*stride)
		rows := Rows{Memory: memory, Stride: stride, Lanes: PacketLanes}
		if i%4 == 0 {
			rows.Lanes = 1 + r.IntN(PacketLanes)
		}
		lanes := r.Uint32() & (1<<rows.Lanes - 1)
		for i := range memory { // the words that have no effect
			memory[i] = r.Uint32()
		}
		words := [5]int{wordCommitted, wordStarted, wordEnded, int(QueryWords), int(QueryWords) + 1}
		want := true
		for i, x := range [5]uint32{3: 5, 4: 3} {
			word := words[i]
			for lane := range rows.Lanes {
				if lanes>>lane&1 == 0 {
					continue
				}
				memory[word*stride+lane] = x
				if r.IntN(100) == 0 {
					memory[word*stride+lane] ^= 1 << r.IntN(32)
					want = false
				}
			}
		}
		if got := rows.Begin(lanes, structure); got != want {
			t.Fatalf("Begin of lanes %#x is %v, must be %v", lanes, got, want)
		}
		if want {
			begun++
		}
	}
	if begun < 1000 || begun > 3000 {
		t.Errorf("%d of 4000 packets begin", begun)
	}
}

// TestBeginPacket: the machine code has the same intervals and valid rays, with NaNs, infinities and zeros of both signs.
func TestBeginPacket(t *testing.T) {
	if !hasKernel {
		t.Skip("no machine code for this processor")
	}
	r := rand.New(rand.NewPCG(3, 4))
	numbers := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 2, inf32, -inf32, float32(math.NaN()), 1e-45, -1e-45}
	for range 5000 {
		k := packet{Packet: &Packet{Lanes: r.Uint32() & 0xFFFF}}
		flags, masks := []uint32{r.Uint32(), 3}, []uint32{r.Uint32(), 0x100, 0xFF}
		most := 1 + r.IntN(40)
		for i := range PacketLanes {
			k.Rays.TMin[i], k.Rays.TMax[i] = numbers[r.IntN(len(numbers))], numbers[r.IntN(len(numbers))]
			k.Rays.Flags[i], k.Rays.Mask[i] = flags[0], masks[0]
			if r.IntN(most) == 0 {
				k.Rays.Flags[i], k.Rays.Mask[i] = flags[r.IntN(2)], masks[r.IntN(3)]
			}
		}
		lanes, alike := k.begin(true)
		low, high := k.lower.low, k.lower.high
		again, same := k.begin(false)
		if lanes != again || alike != same || !sameBits(&low, &k.lower.low) || !sameBits(&high, &k.lower.high) {
			t.Fatalf("%#x %v %v %v, must be %#x %v %v %v", again, same, k.lower.low, k.lower.high, lanes, alike, low, high)
		}
	}
}

// sameBits reports whether two rows have the same bits.
func sameBits(a, b *rows) bool {
	return *(*[PacketLanes]uint32)(unsafe.Pointer(a)) == *(*[PacketLanes]uint32)(unsafe.Pointer(b))
}
