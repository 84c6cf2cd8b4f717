package jit_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/pass"
)

// sumService adds to each slot of a ray before the answer the request, the slot's number in the ray and all slots before it. The slots
// of the answer become such sums, but for RayProceed.
type sumService struct{}

func (*sumService) ServeRays(c *exec.RayCall) {
	for lane := range c.Lanes.All {
		sum := c.Request[lane]
		for i := range uint32(ir.RaySlots) {
			at := &c.Memory[int(c.Slot[lane]+i)*c.Stride+lane]
			if i >= ir.RayAnswer {
				if c.Request[lane] == ir.RayProceed {
					break
				}
				*at = 0
			}
			*at += sum + i
			sum += *at
		}
	}
}

// rayProgram has two functions with rays: one variable is a ray by itself, and an array of two rays has an index that
// differs by lane, of which 2 is out of range. The address of the second ray reaches over the end of the memory for one lane.
const rayProgram = `program "rays" compute
subgroup %d
local 64 1 1
in global.x i32 0
res storage 0 0 count 1
var "one" %d -1
var "two" %d -1
effects writes rays

func "main"() L1 {
	vx = in.i32 #0
	va = at 0:i32, vx, #32
	vo = res 0:i32, #0
	pst.i32 0:i32, vx, #0
	pst.i32 3:i32, vx, #1
	ray 0:i32, vx, #0
	vk = umod.i32 vx, 3:i32
	vs = mul.i32 vk, %d:i32
	pst.i32 vs, 7:i32, #1
	vc = ult.i32 vx, 40:i32
	if vc {
		ray vs, 1:i32, #1
		call 1(vs)
	}
	v0 = pld.i32 5:i32, #0
	v1 = pld.i32 %d:i32, #0
	v2 = pld.i32 3:i32, #1
	v3 = pld.i32 %d:i32, #1
	v4 = pld.i32 vs, #1
	st.i32 vo, va, v0, #0
	st.i32 vo, va, v1, #4
	st.i32 vo, va, v2, #8
	st.i32 vo, va, v3, #12
	st.i32 vo, va, v4, #16
}

func "at"(vs i32) L2 {
	vb = paddr #1
	vp = add.i32 vb, vs
	vr = pldi.i32 vp
	rayi vp, vr
}
`

// Rays of all lanes, by variable and by address, in and out of range, reach the service with the memory that the program
// wrote, and the program reads the slots that the service wrote.
func TestRays(t *testing.T) { eachLevel(t, testRays) }

func testRays(t *testing.T, engine jit.Engine) {
	const n = ir.RaySlots
	for _, subgroup := range []uint32{4, 16, 64} {
		text := fmt.Sprintf(rayProgram, subgroup, n, 2*n, n, n-1, n+3)
		job := exec.Job{Groups: [3]uint32{2, 1, 1}, Rays: &sumService{}, Resources: [][]exec.Buffer{{{Bytes: make([]byte, 128*32)}}}}
		want, got := run(interp.Engine{}, text, 0, job), run(engine, text, 0, job)
		if want.err != nil || got.err != nil {
			t.Fatalf("subgroups of %d: the interpreter returns %v, the JIT %v", subgroup, want.err, got.err)
		}
		a, b := want.resources[0][0].Bytes, got.resources[0][0].Bytes
		if !slices.Equal(a, b) {
			t.Errorf("subgroups of %d: the engines store different bytes", subgroup)
		}
		for lane := range uint32(128) {
			if first := binary.LittleEndian.Uint32(a[32*lane:]); first != firstSums(lane, lane)[5] {
				t.Errorf("subgroups of %d: slot 5 of invocation %d is %d; must be %d", subgroup, lane, first, firstSums(lane, lane)[5])
			}
		}
	}
}

// firstSums returns the slots of a ray with x in its first slot after one request.
func firstSums(x, request uint32) []uint32 {
	slots := make([]uint32, ir.RaySlots)
	slots[0] = x
	(&sumService{}).ServeRays(&exec.RayCall{Memory: slots, Stride: 1, Lanes: exec.FirstLanes(1), Request: [128]uint32{request}})
	return slots
}

// A program that traces rays needs a service.
func TestRaysWithoutService(t *testing.T) {
	needMachine(t)
	text := fmt.Sprintf(rayProgram, 16, ir.RaySlots, 2*ir.RaySlots, ir.RaySlots, 1, 3)
	for _, e := range []exec.Engine{interp.Engine{}, jit.Engine{}} {
		if got := run(e, text, 0, exec.Job{Groups: [3]uint32{1, 1, 1}}); got.err == nil {
			t.Errorf("%s runs the program without a service; must return an error", e.Name())
		}
	}
}

// randomRays is a program that stores to and loads from three variables, of which two are longer than a ray, and has rays in
// them at constant and at varying slots and addresses, in and out of range, also in a function with an address.
func randomRays(r *rand.Rand) *ir.Program {
	const n = ir.RaySlots
	p := &ir.Program{Name: "random", SubgroupSize: 16, LocalSize: [3]uint32{32, 1, 1},
		In: []ir.Input{{Semantic: ir.GlobalInvocationIdX, Type: ir.I32}}, Res: []ir.Resource{{Count: 1}},
		Vars: []ir.Var{{Name: "a", Slots: n + 2, Func: -1}, {Name: "b", Slots: 2 * n, Func: -1}, {Name: "c", Slots: 3, Func: -1}}}
	kinds := 6 + 3*r.IntN(2) // without addresses, or with
	var values []ir.V
	body := func(b *ir.Builder, base ir.V, steps int) {
		any := func() ir.V { return values[r.IntN(len(values))] }
		slot := func() ir.V {
			switch r.IntN(4) {
			case 0:
				return b.Op(ir.UMod, ir.I32, any(), b.I32(n+3))
			case 1:
				return b.I32(uint32(r.IntN(2 * n)))
			}
			return b.I32(uint32(r.IntN(3)))
		}
		address := func() ir.V {
			if base != 0 && r.IntN(2) == 0 {
				return base
			}
			return b.OpAux(ir.At, ir.I32, 1, b.OpAux(ir.PAddr, ir.I32, uint64(r.IntN(3))), slot())
		}
		open := 0
		for range steps {
			v := uint64(r.IntN(3))
			switch r.IntN(kinds) {
			case 0, 1:
				b.OpAux(ir.PSt, ir.I32, v, slot(), any())
			case 2, 3:
				values = append(values, b.OpAux(ir.PLd, ir.I32, v, slot()))
			case 4:
				b.OpAux(ir.Ray, ir.None, v, slot(), b.I32(uint32(r.IntN(4))))
			case 5:
				values = append(values, b.Op(ir.Xor, ir.I32, any(), any()))
			case 6:
				b.Op(ir.RayI, ir.None, address(), b.I32(uint32(r.IntN(4))))
			case 7:
				values = append(values, b.Op(ir.PLdI, ir.I32, address()))
			case 8:
				if base == 0 {
					b.Call(1, nil, address())
				}
			}
			if open == 0 && r.IntN(6) == 0 {
				b.If(b.Cmp(ir.ULt, any(), any()))
				open = len(values)
			} else if open > 0 && r.IntN(4) == 0 {
				b.End()
				values, open = values[:open], 0
			}
		}
		if open > 0 {
			b.End()
			values = values[:open]
		}
	}
	b := ir.NewFunc("main", nil, nil)
	x := b.OpAux(ir.In, ir.I32, 0)
	values = []ir.V{x, b.I32(uint32(r.IntN(100)))}
	body(b, 0, 40)
	h, at := b.OpAux(ir.Res, ir.H, 0, b.I32(0)), b.OpAux(ir.At, ir.I32, 32, b.I32(0), x)
	for i := range uint64(8) {
		b.OpAux(ir.St, ir.I32, 4*i, h, at, values[len(values)-1-int(i)%len(values)])
	}
	callee := ir.NewFunc("callee", []ir.Type{ir.I32}, nil)
	values = []ir.V{callee.Func.Args[0]}
	body(callee, callee.Func.Args[0], 12)
	p.Funcs = []*ir.Func{b.Finish(), callee.Finish()}
	p.StateEffects()
	return p
}

// Random programs with rays store the same bytes as they are and after all passes, on both engines.
func TestRandomRays(t *testing.T) { eachLevel(t, testRandomRays) }

func testRandomRays(t *testing.T, engine jit.Engine) {
	r := rand.New(rand.NewPCG(31, 7))
	for i := range 150 {
		p := randomRays(r)
		if err := p.Verify(); err != nil {
			t.Fatal(err)
		}
		job := func() exec.Job {
			return exec.Job{Groups: [3]uint32{2, 1, 1}, Rays: &sumService{}, Resources: [][]exec.Buffer{{{Bytes: make([]byte, 64*32)}}}}
		}
		want := runProgram(interp.Engine{}, p, job())
		q := p.Clone()
		pass.Run(q)
		for name, got := range map[string]outcome{
			"the JIT": runProgram(engine, p, job()), "the interpreter after all passes": runProgram(interp.Engine{}, q, job()), "the JIT after all passes": runProgram(engine, q, job()),
		} {
			if want.err != nil || got.err != nil {
				t.Fatalf("program %d: %v; %s: %v\n%s", i, want.err, name, got.err, p)
			}
			if !slices.Equal(want.resources[0][0].Bytes, got.resources[0][0].Bytes) {
				t.Fatalf("program %d: %s stores other bytes than the interpreter\n%s", i, name, p)
			}
		}
	}
}
