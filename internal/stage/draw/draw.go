package draw

import (
	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/stage/compose"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/frontend"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/shade"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// recordedDraw is a draw of a pass, detached from the caller's memory. Vulkan permits the
// application to change state and push constants after a draw is recorded, so everything but
// buffers, images and indices is a copy.
type recordedDraw struct {
	pipeline *Pipeline
	from     *Pipeline   // argument of Pass.Draw: pipeline, unless that rasterizes another stream
	state    state.State // without the parts that are used at recording only
	target   *state.Target
	remap    remap        // of target, if state.Locations is set
	args     state.Args   // without resolved resources
	added    addedRanges  // drawn after the range of args
	groups   uint32       // workgroups of a mesh draw
	push     []byte       // copy of args.Shader.Push
	mask     [2]uint32    // copy of *state.Multisample.Mask
	discard  []state.Rect // copy of state.Discard.Rectangles

	locations *raster.SampleLocations // of state.Multisample.Locations; nil before the first draw with some

	key         shade.Key
	rates       rateLookup
	frame       raster.State
	invocations uint32 // invocations of an item for each pixel

	front        frontend.Draw
	heldFragment *compute.Variant[shade.Key]

	fragmentBound compose.Binding

	after      *recordedDraw // the step before, if the bins of both can be in one list
	overwrites bool          // overwritesTarget
	hiz        hizMode       // newHiZMode

	counts [layout.NumCounts]uint64
}

// release releases everything but memory.
func (d *recordedDraw) release() { releaseAll(d) }

// releaseAll releases draws. They need the lock of their pipeline, because other draws acquire the same program variants at the same
// time; draws of one pipeline that follow each other take it once.
func releaseAll(list ...*recordedDraw) {
	var locked *Pipeline
	for _, d := range list {
		if d.pipeline != locked {
			if locked != nil {
				locked.mu.Unlock()
			}
			if locked = d.pipeline; locked != nil {
				locked.mu.Lock()
			}
		}
		d.drop()
	}
	if locked != nil {
		locked.mu.Unlock()
	}
}

// drop is release for a caller that holds the pipeline's lock.
func (d *recordedDraw) drop() {
	d.front.Release()
	if d.heldFragment != nil {
		d.heldFragment.Release()
	}
	d.heldFragment = nil
	d.added.reset()
	d.fragmentBound.Release()
	d.remap.release()
	d.pipeline, d.from, d.after, d.args, d.state, d.rates = nil, nil, nil, state.Args{}, state.State{}, rateLookup{}
}

// addCounts adds the counters of the draw to the caller's. The counters are 64-bit atomics of all
// fragment workgroups, so they are complete only after the last tile.
func (d *recordedDraw) addCounts() {
	if d.args.Passed != nil {
		*d.args.Passed += d.counts[layout.CountPassed]
	}
	if s := d.args.Statistics; s != nil {
		s.FragmentInvocations += d.counts[layout.CountInvocations]
	}
	d.counts = [layout.NumCounts]uint64{}
}

// bias returns the depth bias. It depends on the resolution of the depth format (Vulkan §"Depth
// Bias"). The resolution r of the formula is 2⁻ⁿ for n bits of fixed point; for floats it depends on
// the greatest depth of each primitive.
func (d *recordedDraw) bias() raster.DepthBias {
	r := &d.state.Rasterization
	b := raster.DepthBias{Enable: true, Constant: r.BiasConstant, Slope: r.BiasSlope, Clamp: r.BiasClamp, Float: true, Scale: r.BiasScale}
	if f := d.target.Depth.Info().Texel(); f != nil {
		for _, k := range f.Components() {
			if k.Channel == format.D && k.Numeric == format.UNorm {
				b.Bits, b.Float = k.Bits, false
			}
		}
	}
	return b
}

// itemWords returns the size of an item in 64-bit words.
func (d *recordedDraw) itemWords() int {
	return raster.ItemWords(int(d.key.Samples), d.key.FullyCovered)
}

// minBatchTotal is the number of triangles of a pipeline from which the set-up program is compiled:
// the compilation costs about as much as their set-up without it. minBatchDraw is the minimum of
// triangles in a draw that uses it.
var (
	minBatchTotal uint64 = 1 << 14
	minBatchDraw         = raster.BatchSize
)

// vertices returns the number of vertices of the draw; of a mesh draw the most of its workgroups.
func (d *recordedDraw) vertices() uint64 {
	if front := d.pipeline.front; front.IsMesh() {
		return front.MeshVertices(d.groups)
	}
	return uint64(d.args.Count)*uint64(d.args.Instances) + d.added.vertices
}

// manyTriangles reports whether the set-up program is worth it for the draw.
func (d *recordedDraw) manyTriangles() bool {
	n := d.triangles(d.args.Count, d.args.Instances)
	return d.pipeline.triangles.Add(n) >= minBatchTotal && n >= uint64(minBatchDraw)
}

// triangles returns the number of triangles or lines of vertices and instances, or of the workgroups of a mesh draw, if the set-up program
// can set them up; else 0.
func (d *recordedDraw) triangles(count, instances uint32) uint64 {
	r, t := &d.state.Rasterization, d.state.Assembly.Topology
	switch {
	case d.pipeline.observed || r.Discard || r.PolygonMode != enum.PolygonModeFill:
		return 0
	case !d.pipeline.front.ReadsPrimitives() && (state.Corners(t) == 1 || state.Corners(t) == 2 && !d.plainLines()):
		return 0
	case d.pipeline.front.IsMesh():
		return d.pipeline.front.MeshPrimitives(d.groups)
	case d.pipeline.front.ReadsPrimitives():
		return uint64(count) * uint64(instances)
	}
	return uint64(state.Primitives(t, count)) * uint64(instances)
}

// plainLines reports whether lines are rectangles of one sample without stipple.
func (d *recordedDraw) plainLines() bool {
	r := &d.state.Rasterization
	return (r.LineMode == enum.LineModeDefault || r.LineMode == enum.LineModeRectangular) && r.Stipple.Factor == 0 && d.state.Multisample.Samples <= 1
}
