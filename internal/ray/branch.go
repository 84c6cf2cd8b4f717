package ray

import "slices"

// branch is a part of a wide tree: the children of its nodes, and the items of its blocks. Its root is node 0 or a leaf.
type branch struct {
	root   ref
	links  [][width]ref
	ranges []blockRange
}

// reserve allocates memory for the nodes and the blocks of about so many items.
func (t *branch) reserve(items int) {
	t.links, t.ranges = scratchLinks.take(items/14 + 1)[:0], scratchRanges.take(items/3 + 1)[:0]
}

// release gives the memory of t back.
func (t *branch) release() {
	scratchLinks.give(t.links)
	scratchRanges.give(t.ranges)
	t.links, t.ranges = nil, nil
}

// task is a branch below the trunk that a goroutine makes.
type task struct {
	// part is a part of the binary tree, or the items of a fast build.
	part child
	branch
}

const (
	// taskBit marks a reference of the trunk to a task; the low bits are its number.
	taskBit ref = 1 << 30
	// minTask is the least number of items below which the trunk ends, and tasks is about how many tasks a large tree has.
	minTask, tasks = 2048, 64
)

// grow makes the wide tree in two steps: the trunk, with a task for each part of at most b.grain items, and then the tasks. The nodes of
// the trunk come first, and then the nodes of the tasks, in their order, so that the tree does not depend on the number of goroutines.
func (b *builder) grow(root *child) {
	n := int(root.to - root.from)
	build := func(t *branch, part *child) {
		if b.fast {
			t.root = b.buildMorton(t, part.from, part.to, part.split)
		} else {
			t.root = b.collapse(t, part)
		}
	}
	var trunk branch
	b.grain = int32(max(n/tasks, minTask))
	if n <= int(b.grain) {
		b.grain = 0
	}
	if b.grain == 0 || b.team == nil {
		trunk.reserve(n)
	}
	build(&trunk, root)
	b.grain = 0
	if b.team == nil {
		b.extend(&trunk, build)
		return
	}
	order := make([]int, len(b.tasks)) // the largest tasks first: the goroutines end at about the same time
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return b.tasks[j].part.size() - b.tasks[i].part.size() })
	b.team.each(len(b.tasks), func(i int) {
		t := &b.tasks[order[i]]
		t.reserve(t.part.size())
		build(&t.branch, &t.part)
	})
	b.join(&trunk)
}

// extend sets b.branch to the trunk, and makes its tasks at its end: the tree that join makes.
func (b *builder) extend(trunk *branch, build func(t *branch, part *child)) {
	root, links := trunk.root, len(trunk.links)
	for i := range b.tasks {
		t := &b.tasks[i]
		build(trunk, &t.part)
		t.root = trunk.root
	}
	trunk.root = root
	for i := range trunk.links[:links] {
		for j, r := range trunk.links[i] {
			if r&(leafBit|taskBit) == taskBit {
				trunk.links[i][j] = b.tasks[r&^taskBit].root
			}
		}
	}
	b.branch, b.tasks = *trunk, nil
}

// later makes a task of c and returns its reference.
func (b *builder) later(c child) ref {
	b.tasks = append(b.tasks, task{part: c})
	return taskBit | ref(len(b.tasks)-1)
}

// join sets b.branch to the trunk and its tasks.
func (b *builder) join(trunk *branch) {
	if len(b.tasks) == 0 {
		b.branch = *trunk
		return
	}
	type base struct{ node, block int }
	bases := make([]base, len(b.tasks))
	next := base{len(trunk.links), len(trunk.ranges)}
	for i := range b.tasks {
		bases[i] = next
		next.node += len(b.tasks[i].links)
		next.block += len(b.tasks[i].ranges)
	}
	b.branch = branch{trunk.root, scratchLinks.take(next.node), scratchRanges.take(next.block)}
	// moved returns r of a part whose first node and block have the numbers at.
	moved := func(r ref, at base) ref {
		switch {
		case r == emptyRef, r&leafBit != 0 && b.single:
			return r
		case r&leafBit != 0:
			return r + ref(at.block)
		}
		return r + ref(at.node)
	}
	copy(b.links, trunk.links)
	copy(b.ranges, trunk.ranges)
	for i := range trunk.links {
		for j, r := range b.links[i] {
			if r&(leafBit|taskBit) == taskBit {
				k := r &^ taskBit
				b.links[i][j] = moved(b.tasks[k].root, bases[k])
			}
		}
	}
	b.team.each(len(b.tasks), func(i int) {
		t, at := &b.tasks[i], bases[i]
		copy(b.ranges[at.block:], t.ranges)
		to := b.links[at.node:][:len(t.links)]
		for k := range to {
			for j, r := range t.links[k] {
				to[k][j] = moved(r, at)
			}
		}
		t.release()
	})
	trunk.release()
	b.tasks = nil
}
