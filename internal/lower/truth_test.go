package lower

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/scalar"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
)

// TestTruth runs each line of the truth tables, one instruction on values that
// come from buffers, and compares with what the specification says:
//
//	OpUMod u32 (u32 7; u32 4) = 3
//	FMin f32x2 (f32x2 1 2; f32x2 2 1) = 1 1       GLSL.std.450
//	OpIAddCarry {u32,u32} (u32 1; u32 2) = 3 0
//	OpVectorShuffle u32x2 (u32x2 1 2; u32x2 3 4; #3; #0) = 4 1
//	OpAny bool (boolx2 false true) = true
//
// Types are those of typeOfName; a number after # is a literal, a type after
// % is the operand itself as a constant of the module. u16:e4x4 is a u16 that
// OpBitcast makes an e4x4.
func TestTruth(t *testing.T) {
	files, err := filepath.Glob("testdata/truth/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no tables", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Parallel()
			for i, line := range strings.Split(string(data), "\n") {
				if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
					truthLine(t, fmt.Sprintf("%s:%d: %s", file, i+1, line), line)
				}
			}
		})
	}
}

func truthLine(t *testing.T, where, line string) {
	t.Helper()
	head, want, ok1 := strings.Cut(line, ") =")
	name, args, ok2 := strings.Cut(head, "(")
	f := strings.Fields(name)
	if !ok1 || !ok2 || len(f) != 2 {
		t.Fatalf("%s: want OP TYPE (…) = …", where)
	}
	m := newModule()
	result := typeOfName(f[1])
	bind := map[compute.Binding][]exec.Buffer{}
	var operands []string
	for k, a := range strings.Split(args, ";") {
		w := strings.Fields(a)
		switch {
		case w[0][0] == '#':
			operands = append(operands, w[0][1:])
		case w[0][0] == '%':
			operands = append(operands, m.constant(typeOfName(w[0][1:]), w[1]))
		default:
			name, cast, ok := strings.Cut(w[0], ":")
			typ := typeOfName(name)
			bind[compute.Binding{Binding: uint32(k)}] = []exec.Buffer{{Bytes: pack(t, where, typ, w[1:])}}
			v := m.load(typ, k)
			if ok {
				v = m.do("OpBitcast %s %s", m.id(typeOfName(cast)), v)
			}
			operands = append(operands, v)
		}
	}
	m.store(result, m.apply(f[0], result, operands))
	expected := pack(t, where, result, strings.Fields(want))
	out := make([]byte, len(expected), len(expected)+16)
	bind[compute.Binding{Binding: outBinding}] = []exec.Buffer{{Bytes: out}}
	p := lowered(t, []byte(m.text()), nil, Options{})
	for _, engine := range engines() {
		clear(out)
		prog, err := engine.Compile(p, exec.Options{})
		if err == nil {
			err = compute.Dispatch(context.Background(), prog, compute.Args{Groups: [3]uint32{1, 1, 1}, Bindings: bind})
			prog.Close()
		}
		if err != nil {
			t.Errorf("%s: %s: %v\n%s", engine.Name(), where, err, p)
			return
		}
		if !bytes.Equal(out, expected) {
			t.Errorf("%s: %s\ngot  %x\nwant %x\n%s", engine.Name(), where, out, expected, p)
		}
	}
}

// shape is a type of a truth table.
type shape struct {
	name    string // as in the table
	scalar  string // i u f and the width, or bool
	columns int    // of a matrix, else 0
	rows    int    // components of a vector or column, 1 of a scalar
	members []shape
}

// typeOfName reads u32, bool, f32x3 (a vector), f32m2x3 (two columns of three)
// or {u32,f32}.
func typeOfName(s string) shape {
	t := shape{name: s, rows: 1}
	if strings.HasPrefix(s, "{") {
		for _, m := range strings.Split(strings.Trim(s, "{}"), ",") {
			t.members = append(t.members, typeOfName(m))
		}
		return t
	}
	t.scalar = s
	if base, dim, ok := strings.Cut(s, "m"); ok {
		t.scalar = base
		fmt.Sscanf(dim, "%dx%d", &t.columns, &t.rows)
	} else if base, n, ok := strings.Cut(s, "x"); ok {
		t.scalar = base
		t.rows, _ = strconv.Atoi(n)
	}
	return t
}

func (s shape) width() int {
	if s.scalar == "bool" {
		return 32
	}
	n, _ := strconv.Atoi(s.scalar[1:])
	return n
}

// flatten returns the scalar types in order.
func (s shape) flatten() []shape {
	var out []shape
	for _, m := range s.members {
		out = append(out, m.flatten()...)
	}
	if s.members == nil {
		for range s.rows * max(s.columns, 1) {
			out = append(out, shape{scalar: s.scalar, rows: 1})
		}
	}
	return out
}

// pack returns values as bytes, one after the other.
func pack(t *testing.T, where string, typ shape, values []string) []byte {
	t.Helper()
	scalars := typ.flatten()
	if len(scalars) != len(values) {
		t.Fatalf("%s: %d values of type %s", where, len(values), typ.name)
	}
	var out []byte
	for i, s := range scalars {
		bits, err := s.bits(values[i])
		if err != nil {
			t.Fatalf("%s: %v", where, err)
		}
		out = append(out, binary.LittleEndian.AppendUint64(nil, bits)[:s.width()/8]...)
	}
	return out
}

// bits reads a value of a scalar type.
func (s shape) bits(v string) (uint64, error) {
	switch {
	case v == "true":
		return 1, nil
	case v == "false":
		return 0, nil
	case strings.HasPrefix(v, "0x") && !strings.Contains(v, "p"):
		return strconv.ParseUint(v[2:], 16, 64)
	case s.scalar[0] == 'f':
		if v == "nan" {
			return scalar.NaN(uint8(s.width())), nil
		}
		x, err := strconv.ParseFloat(v, 64)
		if s.width() == 64 {
			return math.Float64bits(x), err
		}
		return scalar.FromFloat(uint8(s.width()), false, x), err
	}
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil {
		return strconv.ParseUint(v, 10, 64)
	}
	return uint64(n) & (1<<s.width() - 1), nil
}
