package debug

import (
	"math"
	"math/rand"
	"strings"
	"testing"
)

// expressionAtoms are names of the program at the stop, and numbers at the ends of their types.
var expressionAtoms = strings.Fields("i i v.x v.y v[0] v[1] data[i] data[0] gl_GlobalInvocationID.x gl_GlobalInvocationID[0] 0 1 -1 3u 2.5 0.0 (-0.0) 4294967295u 2147483647 " +
	"(-2147483647-1) 1.5lf true false (0.0/0.0) (1.0/0.0) 4294967296 1e30 0x100000001u 3000000000lf v data")

// expressionCalls are functions and constructors, of any number of values.
var expressionCalls = strings.Fields("min max abs sign clamp int uint float double bool sqrt pow mod atan bitCount floatBitsToInt floatBitsToUint intBitsToFloat isnan isinf step mix fma " +
	"floor fract lessThan equal notEqual exp2 int64_t uint64_t asint countbits saturate round any not length vec2 smoothstep inverseSqrt fmod rcp trunc")

var expressionOperators = strings.Fields("+ - * / % & | ^ << >> == != < > <= >= && ||")

// randomExpression returns an expression of at most some levels, which need not have a value.
func randomExpression(r *rand.Rand, depth int) string {
	pick := func(list []string) string { return list[r.Intn(len(list))] }
	part := func() string { return randomExpression(r, depth-1) }
	if depth == 0 || r.Intn(4) == 0 {
		return pick(expressionAtoms)
	}
	switch r.Intn(8) {
	case 0:
		return "(" + part() + " ? " + part() + " : " + part() + ")"
	case 1:
		return pick([]string{"data", "v", "gl_GlobalInvocationID", "gl_WorkGroupSize"}) + "[" + part() + "]" + pick([]string{"", "", ".x"})
	case 2, 3:
		args := []string{part(), part(), part()}
		return pick(expressionCalls) + "(" + strings.Join(args[:1+r.Intn(3)], ", ") + ")"
	case 4:
		return pick([]string{"-", "!", "~"}) + "(" + part() + ")"
	}
	return "(" + part() + " " + pick(expressionOperators) + " " + part() + ")"
}

// TestQuickForms: the quick form of an expression has the value, the kind and the width of the expression, or none.
func TestQuickForms(t *testing.T) {
	d := start(t, 3, Config{}, line(19))
	f := d.Frames((<-d.stops).Thread)[0]
	r := rand.New(rand.NewSource(1))
	compared := 0
	for range 20000 {
		text := randomExpression(r, 3)
		x := d.view(f)
		n, err := parse(text, x)
		if err != nil || n.quick == nil {
			continue
		}
		got, kind, ok := n.quick(x)
		if !ok {
			continue
		}
		compared++
		want, err := n.numbers(x)
		if err != nil || len(want.numbers) != 1 {
			t.Errorf("%s has the quick form %v; must have none: %v", text, got, err)
			continue
		}
		w := want.numbers[0]
		same := got.i == w.i
		if kind == float {
			same = math.Float64bits(got.f) == math.Float64bits(w.f) || math.IsNaN(got.f) && math.IsNaN(w.f)
		}
		if !same || kind != want.kind || got.wide != w.wide {
			t.Errorf("%s has the quick form %v of kind %v; must be %v of kind %v", text, got, kind, w, want.kind)
		}
	}
	if compared == 0 {
		t.Error("no expression has a quick form")
	}
	d.End()
}
