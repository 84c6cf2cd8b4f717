package raster

// growth returns by how many sub-pixels along both axes an edge moves: that of a
// pixel's half, so that a pixel counts where its square touches the primitive, or
// lies in it; and the extra size.
func (r *Rasterizer) growth() int64 {
	if r.state.Conservative == Underestimate {
		return -centre
	}
	return centre + int64(r.state.ExtraSize*one)
}
