package oracle

import (
	"fmt"
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// Task shaders (SPV_EXT_mesh_shader; Vulkan, "Task Shading"): at its end a workgroup launches workgroups of the mesh shader for its payload.

// task is the state of a workgroup of a task shader.
type task struct {
	payloads map[spirv.ID]*local
	counts   [3]uint32 // of workgroups
	payload  spirv.ID  // for them; 0 for none
	ends     int       // invocations with the end of the workgroup
}

// payload is the payload of workgroups of a mesh shader.
type payload struct {
	kind   *facts.Type
	leaves []Number
}

// payload returns a variable for the payload. The invocations of a task shader share it, and no barrier counts as an order of its accesses.
func (x *frame) payload(v *facts.Variable) *local {
	switch t, own := x.group.task, x.group.payload; {
	case t != nil:
		l := t.payloads[v.ID]
		if l == nil {
			l = x.newLocal(v.ID, v.Type, v.Init)
			l.owners, l.sums, l.unordered = make([]owner, len(l.leaves)), make([]sum, len(l.leaves)), true
			t.payloads[v.ID] = l
		}
		return l
	case own != nil && sameScalars(own.kind, v.Type):
		l := x.own(v.ID, v.Type, 0)
		copy(l.leaves, own.leaves)
		return l
	}
	x.undecided("a payload without a task shader, or of another type there")
	return nil
}

// sameScalars reports whether two types have the same scalars in order.
func sameScalars(a, b *facts.Type) bool {
	list := func(t *facts.Type) (out []uint64) {
		scalars(t, func(s *facts.Type) { out = append(out, uint64(s.Width)<<1|bit(s.IsFloat())) })
		return out
	}
	_, ok := count(a)
	_, ok2 := count(b)
	return ok && ok2 && slices.Equal(list(a), list(b))
}

// endTask executes OpEmitMeshTasksEXT. All invocations must execute it in uniform control flow with the same numbers: the first one has the numbers of the workgroup.
func (x *frame) endTask(in spirv.Inst) {
	t := x.group.task
	if t == nil {
		x.undecided("%s in another stage", in.Op())
	}
	of := spirv.ID(0)
	if len(in) > 4 {
		of = spirv.ID(in[4])
	}
	for i := range t.counts {
		n := x.value(spirv.ID(in[1+i])).leaves[0]
		if n.Any || t.ends > 0 && (uint32(n.Bits) != t.counts[i] || of != t.payload) {
			x.undecided("workgroups or payloads of %s with several permitted values", in.Op())
		}
		t.counts[i] = uint32(n.Bits)
	}
	t.payload = of
	t.ends++
}

// tasks draws the mesh shader's workgroups for each workgroup of the task shader.
func (d *drawing) tasks() {
	job := d.Task
	size := d.task.localSize()
	n, total := d.workgroups(size, job.Groups)
	barriers := d.task.barriers()
	for g := range total {
		t := &task{payloads: map[spirv.ID]*local{}}
		w := &group{number: g + 1, epoch: 1, buffers: 1, shared: map[spirv.ID]*local{}, task: t}
		d.run(d.task, job, w, size, g, n, barriers)
		if t.ends != int(n) {
			panic(stop{why: "OpEmitMeshTasksEXT that not all invocations execute"})
		}
		var to *payload
		if v := d.task.m.Variable(t.payload); v != nil {
			to = &payload{kind: v.Type}
			if l := t.payloads[t.payload]; l != nil {
				to.leaves = l.leaves
			} else if all, ok := anyOf(v.Type, 0); ok { // without a store
				to.leaves = all.leaves
			}
		}
		d.meshes(t.counts, to)
	}
}

// workgroups returns the numbers of invocations in a workgroup, and of workgroups.
func (d *drawing) workgroups(size, groups [3]uint32) (n, total uint64) {
	n, total = 1, 1
	for a := range 3 {
		n *= uint64(size[a])
		if g := uint64(groups[a]); g > 0 && total > maxInvocations/g {
			panic(stop{why: fmt.Sprintf("more than %d workgroups", maxInvocations)})
		}
		total *= uint64(groups[a])
	}
	if n == 0 || n > maxGroup {
		panic(stop{why: fmt.Sprintf("a workgroup of no invocations, or of more than %d", maxGroup)})
	}
	return n, total
}

// run executes workgroup g of a task or a mesh shader.
func (d *drawing) run(of *dispatch, job *Job, w *group, size [3]uint32, g, n uint64, barriers bool) {
	d.work(triangleWork)
	list := make([]*machine, n)
	for i := range list {
		list[i] = &machine{dispatch: of, group: w, invocation: g*n + uint64(i) + 1, ids: newIDs(job, size, g*n+uint64(i)), locals: map[spirv.ID]*local{}}
	}
	why := d.guarded(of, func() {
		if barriers {
			w.runTogether(list)
			return
		}
		for _, m := range list {
			m.call(job.Entry.Func, nil)
		}
	})
	if why != "" {
		panic(stop{why: why})
	}
}
