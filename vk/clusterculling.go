package vk

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/internal/stage/graph"
)

// Limits of cluster culling shaders (VkPhysicalDeviceClusterCullingShaderPropertiesHUAWEI).
const (
	MaxClusterGroups       = 1 << 16 // in x; in y and z there is one
	MaxClusterGroupSize    = 1024    // invocations of a workgroup, in a dimension and in all
	MaxClusters            = ir.MaxClusters
	ClusterBufferAlignment = 4 // of the offset of indirect arguments
	clusterArgumentBytes   = 12
	clusterDrawBytes       = 20      // VkDrawIndexedIndirectCommand; of VkDrawIndirectCommand 16 are read
	maxClusterBatch        = 1 << 14 // clusters that are drawn together
)

// clusterStage is the cluster culling stage of a graphics pipeline.
type clusterStage struct {
	stage      *shader.Stage // before its composition
	composed   *shader.Stage
	pipeline   *compute.Pipeline
	robustness compute.Robustness
	mappings   []compute.Mapping // with descriptor heaps
}

// clusterStage makes the cluster culling stage of a graphics pipeline, with descriptor heaps or without.
func (d *Device) clusterStage(ctx context.Context, a *assembly, heaps bool) (*clusterStage, error) {
	if a.stages[StageVertex] == nil {
		return nil, usage("", "the pipeline has a cluster culling stage and no vertex stage; must have both")
	}
	s := &clusterStage{stage: a.culling.stage}
	if size := s.stage.Program.LocalSize; size[0]*size[1]*size[2] > MaxClusterGroupSize {
		return nil, usage("", "a workgroup of cluster culling has %d×%d×%d invocations; must have at most %d", size[0], size[1], size[2], MaxClusterGroupSize)
	}
	if r := a.culling.robustness; r != nil {
		s.robustness = *r.inside()
	}
	if heaps {
		var err error
		if s.mappings, err = d.mappings(a.culling.mappings, s.stage.Program); err != nil {
			return nil, err
		}
	}
	composed, err := graph.Compose(s.stage.Program)
	if err == nil {
		s.composed, err = shader.Composed(ctx, composed)
	}
	if err == nil {
		s.composed.Facts = s.stage.Facts
		s.pipeline, err = compute.NewPipeline(s.composed.Program, d.engine, exec.Options{Stop: ctx.Err})
	}
	return s, compileError(err)
}

// clusterDraw is a recorded DrawCluster, or DrawClusterIndirect if it has a buffer.
type clusterDraw struct {
	groups [3]uint32
	buffer *Buffer
	offset uint64
}

// DrawCluster runs workgroups of the cluster culling stage of the bound pipeline, and draws the clusters that they emit
// (vkCmdDrawClusterHUAWEI).
func (c *CommandBuffer) DrawCluster(x, y, z uint32) {
	if !c.begin() {
		return
	}
	w := take[clusterDraw](c)
	*w = clusterDraw{groups: [3]uint32{x, y, z}}
	if err := checkClusterGroups(w.groups); err != nil {
		c.fail(err)
		return
	}
	c.action()
	c.deferred("draw cluster", w)
}

// DrawClusterIndirect is DrawCluster with the numbers of workgroups in a buffer, three words, which the command reads when it runs
// (vkCmdDrawClusterIndirectHUAWEI).
func (c *CommandBuffer) DrawClusterIndirect(b *Buffer, offset uint64) {
	if !c.begin() || !c.buffer(b, offset, IndirectBuffer, "") {
		return
	}
	if offset%ClusterBufferAlignment != 0 {
		c.fail(usage("VUID-vkCmdDrawClusterIndirectHUAWEI-offset-07918", "the arguments are at the offset %d; must be a multiple of %d", offset, ClusterBufferAlignment))
		return
	}
	w := take[clusterDraw](c)
	*w = clusterDraw{buffer: b, offset: offset}
	c.action()
	c.deferred("draw cluster indirect", w)
}

func (w *clusterDraw) flags() QueueFlags { return QueueGraphics }

func (w *clusterDraw) conditional() {}

func (w *clusterDraw) api() string {
	if w.buffer != nil {
		return "vkCmdDrawClusterIndirectHUAWEI"
	}
	return "vkCmdDrawClusterHUAWEI"
}

func (w *clusterDraw) forget() { *w = clusterDraw{} }

// checkClusterGroups checks numbers of workgroups.
func checkClusterGroups(groups [3]uint32) error {
	most := [3]uint32{MaxClusterGroups, 1, 1}
	for i, rule := range [...]string{"groupCountX-07820", "groupCountY-07821", "groupCountZ-07822"} {
		if groups[i] > most[i] {
			return usage("VUID-vkCmdDrawClusterHUAWEI-"+rule, "%d workgroups of cluster culling in %c; must be at most %d", groups[i], "xyz"[i], most[i])
		}
	}
	return nil
}

// run runs the workgroups and draws their clusters, in batches of bounded memory.
func (w *clusterDraw) run(x *executor) error {
	groups, command, rule := w.groups, "VUID-"+w.api()+"-", "ClusterCullingHUAWEI-07823"
	if b := w.buffer; b != nil {
		rule = "ClusterCullingHUAWEI-07824"
		from := b.bytes()[min(w.offset, b.size):]
		if len(from) < clusterArgumentBytes {
			return usage("", "%d bytes of arguments; must have %d", len(from), clusterArgumentBytes)
		}
		for i := range groups {
			groups[i] = binary.LittleEndian.Uint32(from[4*i:])
		}
		if err := checkClusterGroups(groups); err != nil {
			return err
		}
	}
	g := &x.graphics
	p := g.bound.pipeline
	switch {
	case p == nil || p.clusters == nil:
		if x.dev.checking == None {
			return nil
		}
		return usage(command+rule, "clusters are drawn with a pipeline without a cluster culling stage; must have one")
	case g.current == nil:
		return usage(command+"renderpass", "the draw is outside of a rendering; must be inside")
	}
	return x.clusters(p, groups)
}

// clusters runs workgroups of a pipeline and draws their clusters.
func (x *executor) clusters(p *GraphicsPipeline, groups [3]uint32) error {
	s := p.clusters
	sets, err := x.resolve(Graphics, p.layout)
	if err != nil {
		return err
	}
	sets = slices.Clone(sets)
	regions := x.dev.heap.regions()
	defer x.dev.heap.release(regions)
	if n := x.graphics.counts; n != nil {
		size := s.stage.Program.LocalSize
		n.clusters += uint64(groups[0]) * uint64(groups[1]) * uint64(groups[2]) * uint64(size[0]) * uint64(size[1]) * uint64(size[2])
	}
	dispatch := func(params []byte, n uint32) error {
		args := compute.Args{
			Groups: [3]uint32{n, 1, 1}, Push: x.push[:], Robustness: s.robustness, Workers: x.dev.workers, Budget: x.dev.budget, Schedule: x.dev.schedule, Lenient: x.dev.tolerant, Sets: sets,
			Regions: regions.all(), Rays: x.dev.heap.structures.rays(), Params: params,
		}
		args.Log = x.dev.printer.log(s.stage)
		if x.bindHeaps(&args); s.mappings != nil {
			args.Sets = args.MappedSets(s.composed.Program, s.mappings)
		}
		args.Shadow = x.dev.heap.defined.begin(&args, s.stage)
		x.watch()
		err := s.pipeline.Dispatch(x.ctx, args)
		x.unwatch()
		x.dev.printer.flush(args.Log, s.stage)
		if err != nil {
			return fmt.Errorf("cluster culling: %w", err)
		}
		return nil
	}
	var list []ir.Cluster
	err = graph.RunAreas(groups, ir.ClusterAreaBytes, dispatch, func(area []byte) error {
		list = ir.AppendClusters(list, area)
		if len(list) < maxClusterBatch {
			return nil
		}
		err := x.drawClusters(list)
		list = list[:0]
		return err
	})
	if err != nil {
		return err
	}
	return x.drawClusters(list)
}

// drawClusters draws clusters, all of which have indices or none. Those of one shading rate in a row are one draw.
func (x *executor) drawClusters(list []ir.Cluster) error {
	for len(list) > 0 {
		n := slices.IndexFunc(list, func(c ir.Cluster) bool { return c.Rate != list[0].Rate })
		if n < 0 {
			n = len(list)
		}
		x.graphics.bound.rate = list[0].Rate
		err := x.drawAlike(list[:n])
		x.graphics.bound.rate = 0
		if err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}

// drawAlike draws clusters of one shading rate.
func (x *executor) drawAlike(list []ir.Cluster) error {
	g := &x.graphics
	g.repeats = false
	b, ids := g.indirect.Buffer[:0], g.indirect.DrawIndex[:0]
	for i := range list {
		c := &list[i]
		words := [...]uint32{c.Count, c.Instances, c.First, uint32(c.VertexOffset), c.FirstInstance}
		if !c.Indexed {
			words[3] = c.FirstInstance
		}
		ids = append(ids, c.ID)
		for _, word := range words {
			b = binary.LittleEndian.AppendUint32(b, word)
		}
	}
	g.indirect = state.Indirect{Buffer: b, Stride: clusterDrawBytes, Count: uint32(len(list)), DrawIndex: ids}
	g.args = state.Args{}
	return x.draw(&g.args, list[0].Indexed, &g.indirect)
}
