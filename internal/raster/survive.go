package raster

// SurvivesClipping reports whether a primitive with record numbers v counts as output of clipping, for
// statistics (clippingPrimitives): it has a viewport and a layer, is not culled by a distance, and is not
// wholly outside one plane (Vulkan, Primitive Clipping). It is conservative: the test sees vertices only.
func (r *Rasterizer) SurvivesClipping(v []uint32, provoking uint32) bool {
	if !r.records.Mask {
		return r.survivesClipping(v, provoking)
	}
	for r.viewportMask = r.viewports(provoking); r.viewportMask != 0; r.viewportMask &= r.viewportMask - 1 {
		if r.survivesClipping(v, provoking) {
			return true
		}
	}
	return false
}

// survivesClipping is SurvivesClipping for one viewport.
func (r *Rasterizer) survivesClipping(v []uint32, provoking uint32) bool {
	p := draft{provoking: provoking}
	t := r.selectViewport(&p)
	if t == nil || r.culledByDistance(v) {
		return false
	}
	all, any := ^outcode(0), outcode(0)
	for _, n := range v {
		s := r.vertex(n, t).outcode
		all, any = all&s, any|s
	}
	return all&(viewVolume|allDistances|outEye) == 0 && any&notFinite == 0
}
