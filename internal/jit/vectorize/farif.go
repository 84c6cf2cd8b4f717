package vectorize

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// findReports finds the ifs of the sanitizers' reports: the first arm logs one, or has only such ifs and operations without an effect.
// Programs without faults do not run these arms.
func (w *vectorizer) findReports() {
	if !slices.ContainsFunc(w.p.Messages, func(m ir.Message) bool { return m.Kind.IsReport() }) {
		return
	}
	w.reports = map[ir.V]bool{}
	type arm struct {
		opener       ir.V
		reports, own bool // own: it has other effects, or a branch
	}
	open := []arm{{}}
	for _, v := range w.src.Code {
		x := w.src.Val(v)
		last := &open[len(open)-1]
		switch {
		case x.Op == ir.Block || x.Op == ir.Loop || x.Op == ir.Switch:
			open = append(open, arm{own: true})
		case x.Op == ir.If:
			open = append(open, arm{opener: v})
		case x.Op == ir.Else:
			last.own = true
		case x.Op == ir.End:
			open = open[:len(open)-1]
			outer := &open[len(open)-1]
			if last.opener != 0 && last.reports && !last.own {
				w.reports[last.opener], outer.reports = true, true
			} else {
				outer.own = true
			}
		case x.Op == ir.Log:
			report := w.p.Messages[x.Aux].Kind.IsReport()
			last.reports, last.own = last.reports || report, last.own || !report
		case x.Op == ir.LogArg:
		case x.Op == ir.Br || x.Op == ir.Call || x.Op.Is(ir.Writes):
			last.own = true
		}
	}
}
