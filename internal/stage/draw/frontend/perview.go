package frontend

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/compose"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
)

// Outputs for each view (VK_NVX_multiview_per_view_attributes): the last stage before the rasterizer
// writes an array with an element for each view. The stage runs once for each view, so its records
// hold the element of that view.

// perView reports whether an output is the per-view form of component index of another semantic,
// Position or the viewport mask, and for which view.
func perView(o ir.Output, s ir.Semantic, index uint32) (view uint32, ok bool) {
	switch {
	case s == ir.Position && o.Semantic == ir.PositionPerView:
		return o.Index / 4, o.Index%4 == index
	case s == ir.ViewportMask && o.Semantic == ir.ViewportMaskPerView:
		return o.Index, index == 0
	}
	return 0, false
}

// storePerView stores the elements of the current view over the outputs that are common to all
// views. Without an element for the view the common output remains. Vulkan writes all views in one
// invocation; this engine draws view after view and selects the element by ViewIndex.
func storePerView(w *compose.Builder, rec *layout.Record, stream uint32, view func() ir.V, store func(v ir.V, offset uint32)) {
	if !rec.Rasterized {
		return
	}
	for _, x := range perViewComponents {
		var of []int
		v := ir.V(0)
		for k, o := range w.From.Out {
			if o.Stream != stream {
				continue
			}
			if _, ok := perView(o, x.Semantic, x.Index); ok {
				of = append(of, k)
			}
			if o.Semantic == x.Semantic && o.Index == x.Index {
				v = w.Output(k)
			}
		}
		if len(of) == 0 {
			continue
		}
		if v == 0 {
			v = w.Zero(w.From.Out[of[0]].Type)
		}
		for _, k := range of {
			n, _ := perView(w.From.Out[k], x.Semantic, x.Index)
			v = w.B.Select(w.B.Cmp(ir.Eq, view(), w.B.I32(n)), w.Output(k), v)
		}
		offset, ok := rec.Offset(x.Semantic, x.Index)
		if x.Semantic == ir.Position { // Position has an offset even without a write
			offset, ok = 4*x.Index, true
		}
		if ok {
			store(v, offset)
		}
	}
}

// perViewComponents are the record components with a per-view form.
var perViewComponents = [...]layout.Component{
	{Semantic: ir.Position, Index: 0},
	{Semantic: ir.Position, Index: 1},
	{Semantic: ir.Position, Index: 2},
	{Semantic: ir.Position, Index: 3},
	{Semantic: ir.ViewportMask, Index: 0},
}
