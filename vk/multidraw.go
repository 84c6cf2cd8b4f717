package vk

import (
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// MaxMultiDraws is the number of draws of one DrawMulti (maxMultiDrawCount).
const MaxMultiDraws = 1 << 16

// MultiDraw is one draw of several (VkMultiDrawInfoEXT, VkMultiDrawIndexedInfoEXT): of Count vertices or indices from First
// on. Base is added to indices.
type MultiDraw struct {
	First, Count uint32
	Base         int32
}

// multiDraw is a recorded DrawMulti or DrawMultiIndexed.
type multiDraw struct {
	list                     []MultiDraw
	instances, firstInstance uint32
	indexed                  bool
}

// DrawMulti draws several ranges of vertices; DrawIndex is their number.
func (c *CommandBuffer) DrawMulti(list []MultiDraw, instances, firstInstance uint32) {
	c.multiDraw("draw multi", list, instances, firstInstance, false, nil)
}

// DrawMultiIndexed draws several ranges of indices; DrawIndex is their number. base, if it is not nil, replaces the bases of
// the list.
func (c *CommandBuffer) DrawMultiIndexed(list []MultiDraw, instances, firstInstance uint32, base *int32) {
	c.multiDraw("draw multi indexed", list, instances, firstInstance, true, base)
}

func (c *CommandBuffer) multiDraw(name string, list []MultiDraw, instances, firstInstance uint32, indexed bool, base *int32) {
	if !c.begin() {
		return
	}
	if len(list) > MaxMultiDraws {
		c.fail(usage("VUID-vkCmdDrawMultiEXT-drawCount-04934", "%d draws; must be at most %d", len(list), MaxMultiDraws))
		return
	}
	w := take[multiDraw](c)
	*w = multiDraw{append(w.list, list...), instances, firstInstance, indexed}
	if base != nil {
		for i := range w.list {
			w.list[i].Base = *base
		}
	}
	c.action()
	c.deferred(name, w)
}

func (w *multiDraw) conditional() {}

func (w *multiDraw) forget() { w.list = w.list[:0] }

func (w *multiDraw) run(x *executor) error {
	for i, d := range w.list {
		if err := x.ctx.Err(); err != nil {
			return err
		}
		a := &x.graphics.args
		*a = state.Args{First: d.First, Count: d.Count, Instances: w.instances, FirstInstance: w.firstInstance, DrawIndex: uint32(i)}
		if w.indexed {
			a.BaseVertex = d.Base
		}
		if err := x.draw(a, w.indexed, nil); err != nil {
			return err
		}
	}
	return nil
}
