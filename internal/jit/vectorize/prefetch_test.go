package vectorize_test

import (
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
	"github.com/chiaro-gpu/chiaro/internal/jit/vectorize"
)

// rowLoads loads the words above each invocation's own, in a loop that ends when the counter reaches LIMIT,
// and stores the sum.
const rowLoads = `program "rows" compute
subgroup 16
local LOCAL 1
push 8
in global.x i32 0
in global.y i32 0
res storage 0 0 count 1
res storage 0 1 count 1

func "main"() L1 {
	vx = in.i32 #0
	vy = in.i32 #1
	vA = res 0:i32, #0
	vB = res 0:i32, #1
	vP = push
	vn = ld.i32 vP, 0:i32, #0
	vw = ld.i32 vP, 0:i32, #4
	ve = sub.i32 vw, 1:i32
	vm = smin.i32 vx, ve
	block L2(vr i32) {
		loop L3(vs i32 = 0:i32, vj i32 = 0:i32) {
			vc = slt.i32 vj, LIMIT
			if vc {
				vk = add.i32 vy, vj
				vb = mul.i32 vk, vw
				vi = add.i32 vb, vm
				vo = at 0:i32, vi, #4
				va = ld.i32 vA, vo, #0
				vt = add.i32 vs, va
				vu = add.i32 vj, 1:i32
				br L3(vt, vu)
			}
			br L2(vs)
		}
	}
	vq = mul.i32 vy, vw
	vz = add.i32 vq, vx
	vd = at 0:i32, vz, #4
	st.i32 vB, vd, vr, #0
}
`

// TestPrefetchDistance: the distance of loads in the next workgroup in x is a row, if workgroups have
// several rows and the loop around the load is short.
func TestPrefetchDistance(t *testing.T) {
	for _, c := range []struct {
		name, local, limit string
		want               uint32
	}{
		{"rows", "16 16", "5:i32", 64},
		{"long rows", "64 2", "5:i32", 256},
		{"longer rows", "128 2", "5:i32", 0},
		{"one row", "64 1", "5:i32", 0},
		{"a long loop", "16 16", "100:i32", 0},
		{"an unknown limit", "16 16", "vn", 0},
	} {
		text := strings.NewReplacer("LOCAL", c.local, "LIMIT", c.limit).Replace(rowLoads)
		if got := prefetchDistances(t, text); len(got) != 1 || !got[c.want] {
			t.Errorf("%s: prefetch distances %v; want %d", c.name, got, c.want)
		}
		// The same loads at an address that all workgroups have, and at one of the workgroup.
		for _, at := range []struct {
			name, address string
			want          uint32
		}{
			{"a common address", "vg = ld.i64 vP, 0:i32, #8", c.want},
			{"an address of the invocation", "ve1 = zext.i64.i32 vx\n\tve2 = ld.i64 vP, 0:i32, #8\n\tvg = add.i64 ve1, ve2", 0},
		} {
			regional := strings.NewReplacer(
				"push 8", "push 16", "\tvA = res 0:i32, #0\n", "", "vw = ld.i32 vP, 0:i32, #4\n", "vw = ld.i32 vP, 0:i32, #4\n\t"+at.address+"\n\tvA = region vg, #1\n\tvh = regionoff vA, vg\n",
				"vo = at 0:i32, vi", "vo = at vh, vi").Replace(text)
			got := prefetchDistances(t, regional)
			// Lanes of different regions have no strided load.
			if len(got) > 1 || len(got) == 1 && !got[at.want] || len(got) == 0 && at.want == c.want && c.want > 0 {
				t.Errorf("%s at %s: prefetch distances %v; want %d", c.name, at.name, got, at.want)
			}
		}
	}
}

// prefetchDistances returns the distances of the strided loads of a program.
func prefetchDistances(t *testing.T, text string) map[uint32]bool {
	p, err := ir.Parse(text)
	if err != nil {
		t.Fatal(err, text)
	}
	p.StateEffects()
	if err := p.Verify(); err != nil {
		t.Fatal(err)
	}
	got := map[uint32]bool{}
	for _, f := range vectorize.Program(p, vcode.Form{Lanes: 16}, []int{0}) {
		for b := range f.Blocks {
			for i := range f.Blocks[b].Insts {
				if in := &f.Blocks[b].Insts[i]; in.Op == vcode.StridedLoad {
					got[in.Prefetch] = true
				}
			}
		}
	}
	return got
}

// texels loads a texel for each invocation and stores it.
const texels = `program "texels" compute
subgroup 16
local LOCAL 1
in global.x i32 0
in global.y i32 0
res texels 0 0 count 1
res storage 0 1 count 1

func "main"() L1 {
	vx = in.i32 #0
	vy = in.i32 #1
	vA = res 0:i32, #0
	vB = res 0:i32, #1
	vi = mul.i32 vx, vy
	vo = and.i32 vi, 1020:i32
	va = ld.i32 vA, vo, #0FLAG
	vb = add.i32 vo, va
	vd = at 0:i32, vx, #4
	st.i32 vB, vd, vb, #0
}
`

// TestPrefetchLane: the next loads are predicted from the lane after a row of the strip, for texels alone,
// and if rows are long enough.
func TestPrefetchLane(t *testing.T) {
	for _, c := range []struct {
		name, local, flag string
		want              uint32
	}{
		{"a row is a strip", "16 16", " !proven", 16},
		{"rows of several strips", "64 2", " !proven", 16},
		{"two rows in a strip", "8 8", " !proven", 8},
		{"no whole rows in a strip", "12 4", " !proven", 12},
		{"short rows", "2 32", " !proven", 0},
		{"no texels", "16 16", "", 0},
	} {
		p, err := ir.Parse(strings.NewReplacer("LOCAL", c.local, "FLAG", c.flag).Replace(texels))
		if err != nil {
			t.Fatal(err)
		}
		p.StateEffects()
		if err := p.Verify(); err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, f := range vectorize.Program(p, vcode.Form{Lanes: 16}, []int{0}) {
			for b := range f.Blocks {
				for i := range f.Blocks[b].Insts {
					if in := &f.Blocks[b].Insts[i]; in.Op == vcode.Gather {
						if n++; in.Prefetch != c.want {
							t.Errorf("%s: prefetch lane %d; want %d", c.name, in.Prefetch, c.want)
						}
					}
				}
			}
		}
		if n != 1 {
			t.Errorf("%s: %d gathers; want 1", c.name, n)
		}
	}
}

// TestFilteredLoads: strips of programs with texture filters are merged to two vectors, others to more.
func TestFilteredLoads(t *testing.T) {
	load := "\tva = ld.i32 vA, vo, #0FLAG\n"
	for _, c := range []struct {
		loads int
		flag  string
		want  uint32
	}{{1, " !proven", 64}, {4, " !proven", 32}, {4, "", 64}} {
		text := strings.Replace(texels, load, load+strings.Repeat("\tvz = ld.i32 vA, vo, #4FLAG\n", c.loads-1), 1)
		for i := range c.loads - 1 {
			text = strings.Replace(text, "vz =", "vz"+string(rune('a'+i))+" =", 1)
		}
		loops := c.want // in a loop, one vector with filters
		if c.want == 32 {
			loops = 16
		}
		for body, want := range map[string]uint32{text: c.want, looped(text): loops} {
			p, err := ir.Parse(strings.NewReplacer("LOCAL", "16 16", "FLAG", c.flag).Replace(body))
			if err != nil {
				t.Fatal(err)
			}
			p.StateEffects()
			if got := vectorize.MergeOf(p, vcode.Form{Lanes: 16}).Widest; got != want {
				t.Errorf("%d loads%s: strips of up to %d lanes; want %d\n%s", c.loads, c.flag, got, want, body)
			}
		}
	}
}

// looped is the text of a program that first counts to three.
func looped(text string) string {
	return strings.Replace(text, "\tvx = in.i32 #0\n", `	block L2 {
		loop L3(vk i32 = 0:i32) {
			vmore = ult.i32 vk, 3:i32
			vleave = not.b1 vmore
			if vleave {
				br L2
			}
			vk1 = add.i32 vk, 1:i32
			br L3(vk1)
		}
	}
	vx = in.i32 #0
`, 1)
}
