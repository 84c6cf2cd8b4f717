package draw_test

import (
	"bytes"
	"math/bits"
	"math/rand"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// TestPacks draws many triangles with packs and with strips: the pictures and the counts are the same.
func TestPacks(t *testing.T) {
	const n = 200
	places, colors := littered(n)
	over := state.BlendAttachment{Enable: true, SrcColor: enum.BlendFactorSrcAlpha, DstColor: enum.BlendFactorOneMinusSrcAlpha, SrcAlpha: enum.BlendFactorOne, DstAlpha: enum.BlendFactorZero, WriteMask: 15}
	for _, compare := range []enum.CompareOp{enum.CompareOpLess, enum.CompareOpGreaterOrEqual, enum.CompareOpNotEqual} {
		f := &fuzzed{formats: []string{"R8G8B8A8_UNORM"}, fragment: shownText, tests: "D32_SFLOAT_S8_UINT", counted: true,
			state: state.State{DepthStencil: state.DepthStencil{Test: true, Write: true, Compare: compare}, Blend: state.Blend{Attachments: []state.BlendAttachment{over}}}}
		f.complete(strings.NewReplacer("DECLARED", "", "MORE", "").Replace(givenText))
		f.args.VertexBuffers, f.args.Count = []exec.Buffer{{Bytes: places}, {Bytes: colors}}, 3*n
		all := engines()
		h := how{all[len(all)-1], 16, 1}
		back := draw.Packs(false)
		want, passed, err := f.run(t, h)
		back()
		must(t, err)
		back = draw.Packs(true)
		got, packed, err := f.run(t, h)
		back()
		must(t, err)
		if !bytes.Equal(got, want) || packed != passed || passed == 0 {
			t.Errorf("compare %d: another picture with packs, or %d samples passed; want %d", compare, packed, passed)
		}
	}
}

// TestPackOrder packs random items: each covered quad is in one pack, no pack has two quads of one place, and the quads of
// a place are in the order of their items.
func TestPackOrder(t *testing.T) {
	random := rand.New(rand.NewSource(3))
	for range 200 {
		size, across := 1<<random.Intn(7), 1+random.Intn(28)
		var items []uint64
		covered := 0
		for n := range random.Intn(300) {
			m := uint64(1) << random.Intn(64)
			if random.Intn(4) == 0 {
				m = random.Uint64() & random.Uint64()
			}
			covered += bits.OnesCount64(m)
			items = append(items, uint64(n)|uint64(64+2*random.Intn(across))<<32|uint64(128+2*random.Intn(across))<<48, m)
		}
		last, pack := map[[2]int]uint32{}, map[[2]int]int{}
		packs := draw.Pack(items, size)
		if len(packs)%size != 0 {
			t.Fatalf("%d quads in packs of %d", len(packs), size)
		}
		for i, w := range packs {
			q := layout.Quad(w)
			if !q.Covered() {
				continue
			}
			x, y := q.At()
			at := [2]int{x, y}
			if before, ok := last[at]; ok && (q.Primitive() <= before || pack[at] == i/size) {
				t.Fatalf("the quad %v of primitive %d in pack %d follows the one of %d in pack %d", at, q.Primitive(), i/size, before, pack[at])
			}
			last[at], pack[at] = q.Primitive(), i/size
			m := items[2*q.Primitive()+1]
			bx, by := x-int(uint16(items[2*q.Primitive()]>>32)), y-int(items[2*q.Primitive()]>>48)
			bit := 8*by + bx
			if got, want := w>>60, m>>bit&3|m>>(bit+8)&3<<2; got != want {
				t.Fatalf("quad %v of primitive %d covers %x; want %x", at, q.Primitive(), got, want)
			}
			covered -= bits.OnesCount64(w >> 60)
		}
		if covered != 0 {
			t.Fatalf("%d pixels are missing", covered)
		}
	}
}
