package raster

// SurvivesClipping reports whether something of a primitive is behind clipping, as far as its
// vertices say (Vulkan §"Primitive Clipping"): it has a viewport and a layer, is not
// culled by a distance, and is not wholly outside of one plane.
func (r *Rasterizer) SurvivesClipping(v []uint32, provoking uint32) bool {
	if !r.records.Mask {
		return r.survivesClipping(v, provoking)
	}
	for r.left = r.viewports(provoking); r.left != 0; r.left &= r.left - 1 {
		if r.survivesClipping(v, provoking) {
			return true
		}
	}
	return false
}

// survivesClipping is Remains in one viewport.
func (r *Rasterizer) survivesClipping(v []uint32, provoking uint32) bool {
	p := draft{provoking: provoking}
	t := r.place(&p)
	if t == nil || r.culled(v) {
		return false
	}
	all, any := ^sides(0), sides(0)
	for _, n := range v {
		s := r.vertex(n, t).sides
		all, any = all&s, any|s
	}
	return all&(dropping|allDistances|behind) == 0 && any&lost == 0
}
