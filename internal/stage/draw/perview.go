package draw

import "github.com/chiaro-gpu/chiaro/internal/ir"

// Of the last stage before the rasterizer some outputs have an element for each view
// (VK_NVX_multiview_per_view_attributes). As vertices are run for each view, what stands
// in their records is that of the view.

// ofViews returns the number of the view for which an output is component index of
// another one: of Position, or the mask of viewports.
func ofViews(o ir.Output, s ir.Semantic, index uint32) (view uint32, ok bool) {
	switch {
	case s == ir.Position && o.Semantic == ir.PositionPerView:
		return o.Index / 4, o.Index%4 == index
	case s == ir.ViewportMask && o.Semantic == ir.ViewportMaskPerView:
		return o.Index, index == 0
	}
	return 0, false
}

// viewed stores, of a vertex of a stream, what outputs of the view have in place of those
// of all views. An element that the stage does not write has no say.
func (w *weaver) viewed(rec *record, stream uint32, view func() ir.V, store func(v ir.V, place uint32)) {
	if !rec.last {
		return
	}
	for _, x := range [...]output{{ir.Position, 0}, {ir.Position, 1}, {ir.Position, 2}, {ir.Position, 3}, {ir.ViewportMask, 0}} {
		var of []int
		v := ir.V(0)
		for k, o := range w.from.Out {
			if o.Stream != stream {
				continue
			}
			if _, ok := ofViews(o, x.semantic, x.index); ok {
				of = append(of, k)
			}
			if o.Semantic == x.semantic && o.Index == x.index {
				v = w.output(k)
			}
		}
		if len(of) == 0 {
			continue
		}
		if v == 0 {
			v = w.zero(w.from.Out[of[0]].Type)
		}
		for _, k := range of {
			n, _ := ofViews(w.from.Out[k], x.semantic, x.index)
			v = w.b.Select(w.b.Cmp(ir.Eq, view(), w.b.I32(n)), w.output(k), v)
		}
		place, ok := rec.place(x.semantic, x.index)
		if x.semantic == ir.Position { // which has its place also where nothing is written to it
			place, ok = 4*x.index, true
		}
		if ok {
			store(v, place)
		}
	}
}
