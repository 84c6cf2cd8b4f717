package jit_test

import (
	"bytes"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/irgen"
)

// quotientWriter writes a program of index arithmetic. Its pools have the names of values.
type quotientWriter struct {
	*rand.Rand
	strings.Builder
	index   []string // of values that differ between lanes
	uniform []string // of numbers that all lanes have in common
	count   int
}

// one returns one of several texts.
func (w *quotientWriter) one(list ...string) string { return list[w.Intn(len(list))] }

// emit writes an operation and returns its result.
func (w *quotientWriter) emit(op string, args ...string) string {
	w.count++
	fmt.Fprintf(w, "\tvr%d = %s.i32 %s\n", w.count, op, strings.Join(args, ", "))
	return fmt.Sprintf("vr%d", w.count)
}

// number returns an operand for a divisor, a reciprocal or a shift.
func (w *quotientWriter) number() string {
	if w.Intn(2) == 0 {
		return w.one(w.uniform...)
	}
	return w.one("0", "1", "2", "3", "4", "5", "7", "16", "26", "27", "28", "29", "31", "48", "64", "100", "1000", "0x7fffffff", "0x80000000", "0xffffffff", "0xcccccccd", "2454267027") + ":i32"
}

// from returns an operand that differs between lanes, mostly one of the last.
func (w *quotientWriter) from() string {
	if n := len(w.index); w.Intn(2) == 0 {
		return w.index[n-1-w.Intn(min(n, 3))]
	}
	return w.one(w.index...)
}

// step adds a value to the pool: an operation, or how compilers divide by a constant.
func (w *quotientWriter) step() {
	a, n := w.from(), w.number()
	var v string
	switch w.Intn(13) {
	case 0, 1, 2:
		v = w.emit(w.one("udiv", "umod", "sdiv", "srem", "smod", "umulhi", "lshr", "lshr"), a, n)
	case 3:
		v = w.emit("umulhi", n, a)
	case 4: // (umulhi(a, n) + a) >> k
		v = w.emit("lshr", w.emit("add", w.emit("umulhi", a, n), a), w.number())
	case 5: // (((a - umulhi(a, n)) >> 1) + umulhi(a, n)) >> k
		h := w.emit("umulhi", a, n)
		v = w.emit("lshr", w.emit("add", w.emit("lshr", w.emit("sub", a, h), w.one("1:i32", w.number())), h), w.number())
	case 6: // the quotient and the remainder
		q := w.emit("udiv", a, n)
		w.index = append(w.index, q)
		v = w.emit("sub", a, w.emit("mul", q, n))
	case 7: // a sum below a shift
		v = w.emit("lshr", w.emit("add", a, w.from()), n)
	case 8:
		v = w.emit(w.one("smin", "smax", "umin", "umax", "and"), a, n)
	case 9:
		v = w.emit(w.one("add", "sub"), a, w.one(w.from(), n))
	case 10:
		v = w.emit(w.one("mul", "shl"), a, w.one("2:i32", "3:i32", "8:i32", n))
	case 11: // numbers that all lanes of a part may have in common
		v = w.emit("lshr", w.one("vl", "vi"), w.one("1:i32", "2:i32", "3:i32", "4:i32"))
		w.index = append(w.index, v)
		v = w.emit(w.one("udiv", "umulhi", "lshr"), v, n)
	default:
		v = w.emit(w.one("ashr", "or", "xor", "mul"), a, w.one("1:i32", "7:i32", n))
	}
	w.index = append(w.index, v)
	if w.Intn(3) == 0 {
		if w.Intn(2) == 0 { // else most loads are beyond the end
			v = w.emit("and", v, "127:i32")
		}
		w.index = append(w.index, w.load(v))
	}
}

// load reads a word.
func (w *quotientWriter) load(index string) string {
	w.count++
	fmt.Fprintf(w, "\tvo%[1]d = at 0:i32, %[2]s, #4\n\tvr%[1]d = ld.i32 vA, vo%[1]d, #0\n", w.count, index)
	return fmt.Sprintf("vr%d", w.count)
}

// randomQuotients returns a program that splits indices, loads at them, and stores a mix of all values.
func randomQuotients(r *rand.Rand) string {
	local := [][3]int{{64, 1, 1}, {64, 1, 1}, {256, 1, 1}, {16, 8, 1}, {8, 16, 1}, {32, 4, 1}, {4, 4, 4}, {24, 2, 1}, {128, 1, 1}, {1, 64, 1}, {1, 16, 8}, {1, 8, 16}, {1, 1, 64}, {1, 24, 2}}[r.Intn(14)]
	w := &quotientWriter{Rand: r}
	fmt.Fprintf(w, "program \"quotients\" compute\nsubgroup 16\nlocal %d %d %d\npush 16\nin global.x i32 0\nin global.y i32 0\nin global.z i32 0\nin local.x i32 0\nin localindex i32 0\nin local.y i32 0\nin local.z i32 0\nres storage 0 0 count 1\nres storage 0 1 count 1\neffects writes\n\nfunc \"main\"() L1 {\n", local[0], local[1], local[2])
	w.WriteString("\tvP = push\n\tva = ld.i32 vP, 0:i32, #0\n\tvb = ld.i32 vP, 0:i32, #4\n\tvc = ld.i32 vP, 0:i32, #8\n\tvd = ld.i32 vP, 0:i32, #12\n" +
		"\tvx = in.i32 #0\n\tvy = in.i32 #1\n\tvz = in.i32 #2\n\tvl = in.i32 #3\n\tvi = in.i32 #4\n\tvly = in.i32 #5\n\tvlz = in.i32 #6\n\tvA = res 0:i32, #0\n\tvB = res 0:i32, #1\n" +
		"\tvR = mul.i32 vy, 512:i32\n\tvS = mul.i32 vz, 2048:i32\n\tvT = add.i32 vR, vx\n\tvU = add.i32 vT, vS\n\tvO = at 0:i32, vU, #4\n\tvx1 = add.i32 vx, va\n\tvl1 = add.i32 vl, va\n")
	w.uniform, w.index = []string{"vb", "vc", "vd"}, []string{"vx", "vx1", "vl", "vl1", "vi", "vU"}
	if r.Intn(4) == 0 {
		w.index = append(w.index, "vy", "vly")
	}
	if local[0] == 1 {
		w.index = append(w.index, "vy", "vly", "vz", "vlz")
	}
	before, steps := r.Intn(3), 1+r.Intn(5)
	for range before {
		w.step()
	}
	if r.Intn(3) == 0 {
		fmt.Fprintf(w, "\tvg = %s.i32 %s, %s\n\tif vg {\n\t\tbr L1\n\t}\n", w.one("ule", "ult", "slt"), w.one(w.number(), "vb"), w.one("vx", "vx1", w.from()))
	}
	for range steps {
		w.step()
	}
	kept := w.index
	if r.Intn(3) == 0 { // quotients in a loop
		w.index = append(w.index[:len(w.index):len(w.index)], "vk")
		w.WriteString("\tblock L2(vres i32) {\n\tloop L3(vk i32 = 0:i32, vsum i32 = 0:i32) {\n\tvend = ule.i32 3:i32, vk\n\tif vend {\n\t\tbr L2(vsum)\n\t}\n")
		for range 1 + r.Intn(2) {
			w.step()
		}
		fmt.Fprintf(w, "\tvnext = add.i32 vsum, %s\n\tvk1 = add.i32 vk, 1:i32\n\tbr L3(vk1, vnext)\n\t}\n\t}\n", w.index[len(w.index)-1])
		kept = append(kept, "vres")
	}
	w.index = kept
	sum := "vx"
	for _, v := range kept {
		sum = w.emit("add", w.emit("mul", sum, "31:i32"), v)
	}
	fmt.Fprintf(w, "\tst.i32 vB, vO, %s, #0\n", sum)
	return w.String() + "}\n"
}

// TestRandomQuotients compares the engines on programs that split indices by numbers of all sizes, near the ends of their ranges.
func TestRandomQuotients(t *testing.T) {
	from, to := irgen.Seeds(t, 1000, 60)
	for seed := from; seed < to; seed++ {
		r := rand.New(rand.NewSource(seed))
		text, size := randomQuotients(r), []uint32{4, 8, 16, 16, 32, 64, 64, 128}[r.Intn(8)]
		input := make([]byte, 512)
		r.Read(input)
		numbers := []uint32{0, 1, 2, 3, 5, 16, 17, 26, 28, 31, 32, 33, 48, 64, 100, 1000, 12345, 1 << 16, 1<<31 - 1, 1 << 31, 1<<31 + 1, 1<<32 - 1, 0xcccccccd, 0x92492493}
		var jobs []*exec.Job
		for range 6 {
			push := []uint32{[]uint32{0, 0, 7, 1 << 20, 1<<31 - 64, 1<<31 - 40, 1<<31 - 8, 1<<32 - 20, 1<<32 - 64, 1<<32 - 100}[r.Intn(10)]}
			for range 3 {
				push = append(push, numbers[r.Intn(len(numbers))])
			}
			jobs = append(jobs, &exec.Job{Groups: [3]uint32{2, 2, 1}, Workers: 1, Push: loadLittleEndian(push)})
		}
		agreeOnJobs(t, seed, text, size, jobs, func(job *exec.Job) []byte {
			memory := make([]byte, 1<<16)
			job.Resources = [][]exec.Buffer{{{Bytes: bytes.Clone(input)}}, {{Bytes: memory}}}
			return memory
		})
	}
}
