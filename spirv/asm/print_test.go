package asm

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/spirv"
)

// nestedTypes is a module of n types, each of which contains the one before it.
func nestedTypes(t *testing.T, n int) *spirv.Module {
	t.Helper()
	var s strings.Builder
	s.WriteString("%u = OpTypeInt 32 0 %c = OpConstant %u 2 %1 = OpTypeArray %u %c\n")
	for i := range n {
		fmt.Fprintf(&s, "%%%d = OpTypeArray %%%d %%c\n", i+2, i+1)
	}
	return assembled(t, []byte(s.String()))
}

// TestNestedTypeNames prints nested types: the text is in proportion to the module,
// and the first types still have names made of their element types.
func TestNestedTypeNames(t *testing.T) {
	const n = 100_000
	text, err := Disassemble(nil, nestedTypes(t, n), DisassembleOptions{NoIndent: true})
	if err != nil {
		t.Fatal(err)
	}
	if most := 4*longNames + n*3*shortName; len(text) > most {
		t.Errorf("%d bytes of %d nested types; want at most %d", len(text), n, most)
	}
	if want := "%_arr__arr_uint_uint_2_uint_2 = OpTypeArray %_arr_uint_uint_2 %uint_2\n"; !bytes.Contains(text, []byte(want)) {
		t.Errorf("no %q", want)
	}
	if again := assembled(t, text); again.Len() != n+3 {
		t.Errorf("%d instructions again; want %d", again.Len(), n+3)
	}
}

// pieces is a writer that counts the pieces and fails when it has some bytes.
type pieces struct {
	bytes.Buffer
	n, most, limit int
}

var errFull = errors.New("full")

func (p *pieces) Write(b []byte) (int, error) {
	if p.n, p.most = p.n+1, max(p.most, len(b)); p.Len()+len(b) > p.limit {
		return 0, errFull
	}
	return p.Buffer.Write(b)
}

// TestPrint writes the text of Disassemble in small pieces, and ends at the first error.
func TestPrint(t *testing.T) {
	m := nestedTypes(t, 20_000)
	for _, o := range []DisassembleOptions{{}, {RawIDs: true, Offsets: true}, {Comment: true, NestedIndent: true, Reorder: true, Color: true}} {
		want, err := Disassemble(nil, m, o)
		if err != nil {
			t.Fatal(err)
		}
		p := pieces{limit: len(want)}
		if err := Print(&p, m, o, nil); err != nil || !bytes.Equal(p.Bytes(), want) {
			t.Errorf("%+v: %v, %d bytes; want the %d of Disassemble", o, err, p.Len(), len(want))
		}
		if p.n < 2 || p.most > 2*pieceSize {
			t.Errorf("%d pieces of at most %d bytes", p.n, p.most)
		}
	}
	full := pieces{limit: pieceSize}
	if err := Print(&full, m, DisassembleOptions{}, nil); !errors.Is(err, errFull) || full.n != 1 {
		t.Errorf("%v after %d writes; want the error of the first", err, full.n)
	}
	stop, calls := errors.New("stop"), 0
	for _, raw := range []bool{false, true} {
		p := pieces{limit: 1 << 30}
		err := Print(&p, m, DisassembleOptions{RawIDs: raw}, func() error { calls++; return stop })
		if err != stop || calls != 1 {
			t.Errorf("%v after %d calls; want the error of the first call", err, calls)
		}
		calls = 0
	}
}
