package jit_test

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// sumService adds to each slot of a ray the request, the slot's number in the ray and all slots before it.
type sumService struct{}

func (*sumService) ServeRays(c *exec.RayCall) {
	for lane := range c.Lanes.All {
		sum := c.Request[lane]
		for i := range uint32(ir.RaySlots) {
			at := &c.Memory[int(c.Slot[lane]+i)*c.Stride+lane]
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
