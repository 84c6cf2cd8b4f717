package jit_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// valueForm is an operation with a value, as it is written.
type valueForm struct {
	name, imm string
	result    ir.Type
	operands  []ir.Type
}

// valueForms are all forms of all operations that have a value.
func valueForms() (forms []valueForm) {
	all := append([]ir.Type{ir.B1}, types...)
	for op := ir.Add; op.String() != "op?"; op++ {
		row := op.Row()
		if row.Eval == nil || op == ir.Every { // engines choose its result
			continue
		}
		own, other := strings.ContainsRune(row.Sig, 'T'), strings.ContainsRune(row.Sig, 'S')
		for _, t := range all {
			for _, from := range all {
				if own && !row.On.Has(t) || !own && t != ir.I32 || !other && from != ir.I32 {
					continue
				}
				p, err := ir.Parse(operationCase(op, t, from, "", false))
				if err != nil || p.Verify() != nil {
					continue
				}
				of := map[byte]ir.Type{'T': t, 'S': from, 'i': ir.I32, 'l': ir.I64, 'b': ir.B1}
				f := valueForm{name: row.Name, result: of[row.Sig[0]]}
				for _, c := range row.Sig[2:] {
					f.operands = append(f.operands, of[byte(c)])
				}
				if own {
					f.name += "." + t.String()
				}
				if other {
					f.name += "." + from.String()
				}
				if op.Is(ir.Imm) {
					f.imm = ", #12"
				}
				forms = append(forms, f)
			}
		}
	}
	return forms
}

// valueMaker writes a program of random operations on values of all types, so
// many that registers do not suffice.
type valueMaker struct {
	strings.Builder
	r     *rand.Rand
	forms []valueForm
	pool  map[ir.Type][]string
	n     int
}

func (m *valueMaker) pick(t ir.Type) string {
	list := m.pool[t]
	return list[m.r.Intn(len(list))]
}

// value writes a definition and returns its name.
func (m *valueMaker) value(format string, args ...any) string {
	m.n++
	name := fmt.Sprintf("v%d", m.n)
	fmt.Fprintf(m, "\t%s = "+format+"\n", append([]any{name}, args...)...)
	return name
}

// bits returns what may be seen of a value: a NaN has any bits until it is made
// canonical.
func (m *valueMaker) bits(t ir.Type, v string) string {
	if t.IsFloat() {
		return m.value("fcanon.%s %s", t, v)
	}
	return v
}

// operations adds n random operations to the pool.
func (m *valueMaker) operations(n int) {
	for range n {
		f := m.forms[m.r.Intn(len(m.forms))]
		var operands []string
		for _, t := range f.operands {
			v := m.pick(t)
			if strings.HasPrefix(f.name, "bitcast") {
				v = m.bits(t, v)
			}
			operands = append(operands, v)
		}
		flag := ""
		if m.r.Intn(8) == 0 {
			flag = " !rtz"
		}
		m.pool[f.result] = append(m.pool[f.result], m.value("%s %s%s%s", f.name, strings.Join(operands, ", "), f.imm, flag))
	}
}

// program reads operands, the same in all lanes and not, computes with them
// outside of a loop and in it, where lanes leave it one by one, and stores some
// of what came out.
func (m *valueMaker) program() string {
	m.WriteString("program \"values\" compute\nsubgroup 32\nlocal 64 1 1\nin global.x i32 0\nin workgroup.x i32 0\n" +
		"res storage 0 0 count 1\nres storage 0 1 count 1\n\nfunc \"main\"() L1 {\n" +
		"\tvi = in.i32 #0\n\tvg = in.i32 #1\n\tvA = res 0:i32, #0\n\tvB = res 0:i32, #1\n\tvo = at 0:i32, vi, #32\n\tvu = at 0:i32, vg, #32\n\tvr = at 0:i32, vi, #128\n")
	m.pool = map[ir.Type][]string{}
	for _, t := range types {
		for i := range 3 {
			m.pool[t] = append(m.pool[t], m.value("ld.%s vA, %s, #%d", t, []string{"vo", "vu"}[m.r.Intn(2)], 8*i))
		}
		m.pool[t] = append(m.pool[t], fmt.Sprintf("0x%x:%s", special[m.r.Intn(len(special))]&t.Mask(), t))
	}
	m.pool[ir.B1] = []string{m.value("ult.i32 %s, %s", m.pick(ir.I32), m.pick(ir.I32)), m.value("eq.i32 0:i32, 0:i32")}
	m.operations(20 + m.r.Intn(40))
	carried := append([]ir.Type{ir.B1}, types...)
	head, params, exits := make([]string, 0, 8), make([]string, 0, 8), make([]string, 0, 8)
	for i, t := range carried {
		params = append(params, fmt.Sprintf("vq%d %s", i, t))
		head = append(head, fmt.Sprintf("vp%d %s = %s", i, t, m.pick(t)))
	}
	fmt.Fprintf(m, "\tblock L2(%s) {\n\tloop L3(vn i32 = 0:i32, %s) {\n", strings.Join(params, ", "), strings.Join(head, ", "))
	outer := map[ir.Type][]string{}
	for i, t := range carried {
		outer[t] = m.pool[t]
		m.pool[t] = append(append([]string{}, m.pool[t]...), fmt.Sprintf("vp%d", i), fmt.Sprintf("vp%d", i))
		exits = append(exits, fmt.Sprintf("vp%d", i))
	}
	m.WriteString("\tvk = and.i32 vi, 3:i32\n\tvl = eq.i32 vk, vn\n\tif vl {\n\tbr L2(" + strings.Join(exits, ", ") + ")\n\t}\n")
	m.operations(10 + m.r.Intn(20))
	next := make([]string, 0, 8)
	for _, t := range carried {
		next = append(next, m.pick(t))
	}
	m.WriteString("\tvm = add.i32 vn, 1:i32\n\tbr L3(vm, " + strings.Join(next, ", ") + ")\n\t}\n\t}\n")
	for i, t := range carried {
		m.pool[t] = append(outer[t], fmt.Sprintf("vq%d", i), fmt.Sprintf("vq%d", i))
	}
	m.operations(20)
	for i := range 16 {
		t := types[i%len(types)]
		v := m.bits(t, m.pick(t))
		fmt.Fprintf(m, "\tst.%s vB, vr, %s, #%d\n", t, v, 8*i)
	}
	w := m.value("zext.i32.b1 %s", m.pick(ir.B1))
	fmt.Fprintf(m, "\tst.i32 vB, vr, %s, #124\n\t}\n", w)
	return m.String()
}

// TestRandomValues compares the engines on random operations of all types.
func TestRandomValues(t *testing.T) { eachLevel(t, testRandomValues) }

func testRandomValues(t *testing.T, engine jit.Engine) {
	n := int64(300)
	if testing.Short() {
		n = 20
	}
	forms := valueForms()
	job := operationJob()
	job.Groups = [3]uint32{2, 1, 1}
	job.Resources[1] = []exec.Buffer{{Bytes: make([]byte, 128*128)}}
	for seed := range n {
		m := valueMaker{r: rand.New(rand.NewSource(seed)), forms: forms}
		text := m.program()
		want := run(interp.Engine{}, text, 0, job)
		if want.err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, want.err, text)
		}
		if same(t, want, run(engine, text, 0, job)); t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, text)
		}
	}
}
