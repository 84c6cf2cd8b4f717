package vectorize

import "github.com/chiaro-gpu/chiaro/internal/ir"

// The state of a workgroup as one stream, and its phases
//
// A phase is the code between two operations of joint control flow or barriers. The operations of a joint construct are between phases:
//
//	st.i32 wg, …             phase 1
//	barrier
//	loop L2(k i32 = 0:i32) { joint
//		… = ld.i32 wg, …     phase 2: if it has ifs of its own, they are in it
//		br L2(j)             joint
//	}

// workgroup vectorizes all subgroups of a workgroup.
type workgroup struct {
	*builder
	*groupFlow
	subs        []*vectorizer   // one for each subgroup
	open        []openConstruct // joint constructs, innermost last
	unreachable bool            // no path leads to the current operation
	partial     bool            // the last subgroup is not full
	phases      phaseInfo
	contexts    contexts
	dissolved   map[ir.V]bool       // barriers between joined phases (phasejoin.go)
	inRegisters bool                // words of workgroup memory are in registers (wordforward.go)
	guards      map[ir.V]indexGuard // for them, of conditions (wordguard.go)
	early       map[ir.V]bool       // the values of guards: they come first
}

// openConstruct is an open joint construct.
type openConstruct struct {
	v       ir.V
	op      ir.Op
	top     int  // of a loop: first block of the body
	end     int  // block after it, or of the second arm
	second  bool // of an if: in the second arm
	arrived bool // its end is reachable
}

// phaseEnd returns the index of the first operation of joint control flow from index i on. In unreachable
// code it returns the index of the end of the arm or construct.
func (g *workgroup) phaseEnd(i int, dead bool) int {
	depth := 0
	for ; ; i++ {
		v := g.f.Code[i]
		x := g.f.Val(v)
		switch x.Op {
		case ir.Block, ir.Loop, ir.If:
			if depth == 0 && !dead && g.joint[v] {
				return i
			}
			depth++
		case ir.Else, ir.End:
			if depth == 0 {
				return i
			}
			if x.Op == ir.End {
				depth--
			}
		case ir.Br, ir.Barrier:
			if depth == 0 && !dead && !g.dissolved[v] {
				return i
			}
		}
	}
}
