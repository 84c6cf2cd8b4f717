package profile

import (
	"github.com/chiaro-gpu/chiaro/internal/ptxlower"
)

// OfKernel returns the counts of a CUDA kernel. place returns the places of instructions. A block has the line of its first instruction for
// a label.
func OfKernel(c *ptxlower.Counters, subgroup uint32, counters []uint64, place func(*ptxlower.CountedInstruction) Place) *Stage {
	word := func(n int) uint64 {
		if n >= 0 && n < len(counters) {
			return counters[n]
		}
		return 0
	}
	s := &Stage{Model: "CUDA", SubgroupSize: subgroup}
	named := map[string]*Function{}
	for _, f := range c.Functions {
		named[f.Name] = &Function{Name: f.Name, Blocks: []Block{}}
	}
	index := 0
	for i, f := range c.Functions {
		out := named[f.Name]
		if i == 0 {
			s.Entry = f.Name
		}
		if f.Calls >= 0 {
			out.Calls = word(f.Calls)
		}
		for k, b := range f.Blocks {
			var block Block
			for _, part := range b.Parts {
				now := Count{Executed: word(part.Counter), Subgroups: word(part.Counter + 1)}
				if k == 0 && len(block.Instructions) == 0 && f.Calls < 0 {
					out.Calls = now.Executed
				}
				for j := range part.Instructions {
					in := &part.Instructions[j]
					x := Instruction{Index: index, Op: in.Name, Place: place(in), Count: now}
					x.Read, x.Written = in.Read*now.Executed, in.Written*now.Executed
					if callee := named[in.Callee]; callee != nil {
						callee.callers = append(callee.callers, caller{out, x.Place, index})
					}
					if out.Line == 0 {
						out.Place = x.Place
					}
					if block.Label == 0 {
						block.Label = uint32(in.Pos.Line)
					}
					block.Instructions = append(block.Instructions, x)
					index++
				}
			}
			if n := len(block.Instructions); n > 0 && b.Branch >= 0 {
				last := &block.Instructions[n-1]
				last.Divergent = word(b.Branch + 1)
				taken := word(b.Branch)
				block.Branches = []Branch{{To: 1, Taken: taken}, {To: 2, Taken: last.Executed - min(taken, last.Executed)}}
			}
			out.Blocks = append(out.Blocks, block)
		}
		s.Functions = append(s.Functions, out)
	}
	return s
}
