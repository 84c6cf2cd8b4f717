package vk

import (
	"fmt"
	"testing"
)

// TestAllowFlags builds triangles with a micromap for all sets of the flags that allow something (VkBuildAccelerationStructureFlagBitsKHR).
// Each set builds the same hits, also with the micromaps of an instance disabled. An update needs ALLOW_UPDATE and the flags of the build;
// it may have another micromap with a flag for that; a compacting copy and the compacted size need ALLOW_COMPACTION. Other copies and
// properties need no flag.
func TestAllowFlags(t *testing.T) {
	flags := []BuildFlags{BuildAllowUpdate, BuildAllowCompaction, BuildAllowDataAccess, BuildAllowMicromapUpdate, BuildAllowDisableMicromaps, BuildAllowMicromapDataUpdate}
	states := [4]string{"ignored", "opaque", "non-opaque", "non-opaque"}
	disabled := [4]string{"opaque", "opaque", "opaque", "opaque"} // the geometry is
	places := [4][2]float32{{.1, .1}, {.4, .4}, {.8, .1}, {.1, .8}}
	r := newMicromaps(t)
	r.dev.checking = All
	m, other := r.micromap(t), r.micromap(t)
	r.submitted(t, func(c *CommandBuffer) { c.BuildMicromaps([]MicromapBuild{r.of(m)}) })
	r.submitted(t, func(c *CommandBuffer) { c.BuildMicromaps([]MicromapBuild{r.of(other)}) })
	bottom, top, copied := r.structure(t, BottomLevel), r.structure(t, TopLevel), r.structure(t, BottomLevel)
	for set := range BuildFlags(1) << len(flags) {
		b := r.bottom(bottom, 1)
		b.Flags = 0
		for i, f := range flags {
			if set>>i&1 != 0 {
				b.Flags |= f
			}
		}
		has := func(f BuildFlags) bool { return b.Flags&f != 0 }
		allowed := func(what string, is bool, err error) {
			t.Helper()
			if (err == nil) != is {
				t.Errorf("flags %#x: %s has the error %v; must be allowed: %v", b.Flags, what, err, is)
			}
		}
		hits := func(what string) {
			t.Helper()
			for _, flags := range []InstanceFlags{InstanceNoCulling, InstanceNoCulling | InstanceDisableMicromaps} {
				r.instance(0, bottom, 0)
				r.memory.Bytes()[rayInstances+55] = byte(flags)
				r.build(t, r.top(top, 1))
				want := states
				if flags&InstanceDisableMicromaps != 0 {
					want = disabled
				}
				for i, p := range places {
					if t.Run(fmt.Sprintf("%s, flags %#x", what, b.Flags), func(t *testing.T) { r.wantOpacity(t, top, p[0], p[1], want[i]) }); t.Failed() {
						t.FailNow()
					}
				}
			}
		}
		b.Geometries[0].Triangles.Opacity = &OpacityGeometry{Micromap: m}
		r.build(t, b)
		hits("built")

		updated := func(flags BuildFlags, m *Micromap) error {
			u := b
			u.Update, u.Source, u.Flags = true, bottom, flags
			g := *b.Geometries[0].Triangles
			g.Opacity = &OpacityGeometry{Micromap: m}
			u.Geometries = []Geometry{{Flags: GeometryOpaque, Triangles: &g}}
			return r.dev.build(&u, "", nil) // a command would lose the device
		}
		update := has(BuildAllowUpdate)
		allowed("an update", update, updated(b.Flags, m))
		allowed("an update with another flag", false, updated(b.Flags^BuildLowMemory, m))
		if has(BuildAllowMicromapUpdate | BuildAllowMicromapDataUpdate) {
			allowed("an update with another micromap", update, updated(b.Flags, other))
		}
		hits("updated") // the micromaps are alike

		list := []*AccelerationStructure{bottom}
		allowed("a copy", true, r.dev.CopyAccelerationStructure(bottom, copied, false))
		allowed("a compacting copy", has(BuildAllowCompaction), r.dev.CopyAccelerationStructure(bottom, copied, true))
		_, err := r.dev.AccelerationStructureProperties(list, CompactedSize)
		allowed("the compacted size", has(BuildAllowCompaction), err)
		_, err = r.dev.AccelerationStructureProperties(list, SerializationSize)
		allowed("the size of the serialized form", true, err)
	}
}
