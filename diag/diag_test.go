package diag

import (
	"errors"
	"fmt"
	"testing"
)

func TestPos(t *testing.T) {
	for _, c := range []struct {
		pos  Pos
		want string
	}{
		{Pos{}, "word 0"},
		{Pos{Word: 3}, "word 3"},
		{Pos{Instruction: 2, Word: 7}, "instruction 2, word 7"},
		{Pos{Line: 4, Column: 9}, "4:9"},
		{Pos{Instruction: 2, Word: 7, Line: 4, Column: 9}, "4:9"}, // line and column have precedence
	} {
		if got := c.pos.String(); got != c.want {
			t.Errorf("%+v: %q; want %q", c.pos, got, c.want)
		}
	}
}

func TestFinding(t *testing.T) {
	f := New("SPV-Subject-Rule", Pos{Instruction: 1, Word: 5}, "the bound is %d; must be above %d", 3, 4)
	f.Related = []Related{{Pos{Instruction: 9, Word: 40}, "the id"}}
	want := "instruction 1, word 5: the bound is 3; must be above 4 [SPV-Subject-Rule]\n\tinstruction 9, word 40: the id"
	if f.Error() != want {
		t.Errorf("%q; want %q", f.Error(), want)
	}
	var back *Finding
	if !errors.As(fmt.Errorf("a.spv: %w", f), &back) || back != f {
		t.Error("a wrapped finding does not come back")
	}
	for s, want := range map[Severity]string{f.Severity: "error", Warning: "warning", Note: "note"} {
		if s.String() != want {
			t.Errorf("severity %d is %q; want %q", s, s, want)
		}
	}
}
