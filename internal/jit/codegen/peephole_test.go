package codegen_test

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/jit/codegen"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// TestPeepholeDefinitions removes an instruction from a block: the definitions after it, which move, are still those of their registers in the
// next block.
func TestPeepholeDefinitions(t *testing.T) {
	f := &vcode.Func{Form: vcode.Form{Lanes: 8}, Parts: 1, Blocks: make([]vcode.Block, 2)}
	var list []vcode.Reg
	for range 4 {
		r := f.NewReg(vcode.Vec)
		list = append(list, r)
		f.Blocks[0].Insts = append(f.Blocks[0].Insts, vcode.Inst{Op: vcode.Lane, Defs: []vcode.Reg{r}})
	}
	f.Blocks[1].Insts = []vcode.Inst{{Op: vcode.Lane, Uses: list[1:]}}
	z := codegen.NewPeephole(f)
	defer z.Release()
	seen := 0
	z.Walk(func() {}, func(in *vcode.Inst) {
		for _, r := range in.Uses {
			if d := z.Def[r]; len(d.Defs) != 1 || d.Defs[0] != r {
				t.Errorf("the definition of register %d defines %d", r, d.Defs)
			}
			seen++
		}
		if len(in.Defs) > 0 && in.Defs[0] == list[1] {
			*z.Def[list[0]] = vcode.Inst{}
		}
	})
	if n := len(f.Blocks[0].Insts); seen != 3 || n != 3 {
		t.Errorf("%d operands, %d instructions; want 3 of each", seen, n)
	}
}
