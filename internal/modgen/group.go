package modgen

import (
	"fmt"
	"strings"

	"github.com/chiaro-gpu/chiaro/spirv/typing"
)

// Classes of group operations: the bits of VkSubgroupFeatureFlags.
const (
	groupVote       = 0x2
	groupArithmetic = 0x4
	groupBallot     = 0x8
	groupShuffle    = 0x10
	groupRelative   = 0x20
	groupClustered  = 0x40
	groupQuad       = 0x80
	groupAll        = 0xff
)

// groupCapabilities declares the classes that the module may use.
func (g *maker) groupCapabilities() string {
	if !g.o.Subgroups {
		return ""
	}
	s := "OpCapability GroupNonUniform\n"
	for i, name := range []string{"Vote", "Arithmetic", "Ballot", "Shuffle", "ShuffleRelative", "Clustered", "Quad"} {
		if g.o.Groups>>(i+1)&1 != 0 {
			s += "OpCapability GroupNonUniform" + name + "\n"
		}
	}
	return s
}

// meet writes a group operation of a class that there is.
func (g *maker) meet() {
	for range 8 {
		class := choose[uint32](g.source, groupVote, groupVote, groupArithmetic, groupArithmetic, groupArithmetic, groupBallot, groupBallot, groupShuffle, groupRelative, groupClustered, groupQuad)
		if g.o.Groups&class == 0 {
			continue
		}
		switch class {
		case groupVote:
			g.vote()
		case groupArithmetic:
			g.combine(choose(g.source, "Reduce", "InclusiveScan", "ExclusiveScan"), "")
		case groupClustered:
			list := []string{"1", "2", "4", "8", "16"}
			n := 0
			for n < len(list) && 1<<n <= g.o.Subgroup {
				n++
			}
			g.combine("ClusteredReduce", " "+g.constant(u32, choose(g.source, list[:n]...)))
		case groupBallot:
			g.ballot()
		case groupShuffle, groupRelative:
			g.shuffleLanes(class)
		case groupQuad:
			g.quad()
		}
		return
	}
}

// group writes a group operation with its operands.
func (g *maker) group(t *typ, op, operands string) value {
	return g.put(t, false, "OpGroupNonUniform"+op+" %s "+g.constant(u32, "3")+" "+operands)
}

// carried returns a value that a group operation may pass on: peers lose the
// payload of a NaN, and the sign of a zero.
func (g *maker) carried() value {
	t := g.number(choose(g.source, typing.Int, typing.Int, typing.Bool, typing.Float))
	return g.canon(g.need(t))
}

func (g *maker) vote() {
	switch g.intn(4) {
	case 0:
		g.group(boolean, "Elect", "")
	case 1:
		t := g.number(choose(g.source, typing.Int, typing.Bool))
		if g.o.Flush { // SwiftShader compares one component
			t = t.component()
		}
		g.group(boolean, "AllEqual", g.need(t).id)
	default:
		g.group(boolean, choose(g.source, "Any", "All"), g.need(boolean).id)
	}
}

// combine writes a reduction or a scan. Peers sum floats that are small whole
// numbers, for which no order tells.
func (g *maker) combine(operation, cluster string) {
	t := g.number(choose(g.source, typing.Int, typing.Int, typing.Bool, typing.Float))
	ops := []string{"IAdd", "IMul", "UMin", "UMax", "SMin", "SMax", "BitwiseXor", "BitwiseAnd", "BitwiseOr"}
	v := g.need(t)
	switch t.shape.Class {
	case typing.Bool:
		ops = []string{"LogicalAnd", "LogicalOr", "LogicalXor"}
	case typing.Float:
		ops = []string{"FAdd", "FMul", "FMin", "FMax"}
		if g.o.Peers {
			n := g.and(g.need(vector(typing.UInt, 32, int(t.shape.Count))), "7")
			v = g.plain(t, n.uniform, "OpConvertUToF %s "+n.id)
			ops = []string{"FAdd", "FMin", "FMax"}
		}
	}
	g.group(t, choose(g.source, ops...), operation+" "+v.id+cluster)
}

func (g *maker) ballot() {
	u4 := vector(typing.UInt, 32, 4)
	n := g.o.Subgroup
	switch g.intn(7) {
	case 0:
		v := g.carried()
		g.group(v.t, "BroadcastFirst", v.id)
	case 1:
		v := g.carried()
		g.group(v.t, "Broadcast", v.id+" "+g.constant(u32, fmt.Sprint(g.intn(n))))
	case 2:
		v := g.need(u4)
		g.group(boolean, "InverseBallot", g.group(u4, "Ballot", g.need(boolean).id).id)
		i := g.and(g.need(u32), fmt.Sprint(n-1))
		g.group(boolean, "BallotBitExtract", v.id+" "+i.id)
	case 3:
		v := g.need(u4)
		g.group(u32, "BallotBitCount", choose(g.source, "Reduce", "InclusiveScan", "ExclusiveScan")+" "+v.id)
	case 4: // one bit at least is set
		v := g.group(u4, "Ballot", g.need(boolean).id)
		v = g.plain(u4, false, "OpBitwiseOr %s "+v.id+" "+g.splat(u4, "2"))
		g.group(u32, choose(g.source, "BallotFindLSB", "BallotFindMSB"), v.id)
	default:
		g.group(u4, "Ballot", g.need(boolean).id)
	}
}

// shuffleLanes writes a shuffle. A value from beyond the subgroup is
// undefined, and peers do not show it.
func (g *maker) shuffleLanes(class uint32) {
	v, n := g.carried(), g.o.Subgroup
	i := g.and(g.need(u32), fmt.Sprint(n-1))
	if class == groupShuffle {
		g.group(v.t, choose(g.source, "Shuffle", "ShuffleXor"), v.id+" "+i.id)
		return
	}
	up := g.chance(2)
	r := g.group(v.t, map[bool]string{true: "ShuffleUp", false: "ShuffleDown"}[up], v.id+" "+i.id)
	if !g.o.Peers {
		return
	}
	g.pool = g.pool[:len(g.pool)-1]
	lane := g.plain(u32, false, "OpLoad %s %lane")
	inside := g.plain(boolean, false, "OpUGreaterThanEqual %s "+lane.id+" "+i.id)
	if !up {
		to := g.plain(u32, false, "OpIAdd %s "+lane.id+" "+i.id)
		size := g.plain(u32, true, "OpLoad %s %lanes")
		inside = g.plain(boolean, false, "OpULessThan %s "+to.id+" "+size.id)
	}
	if c := int(v.t.shape.Count); c > 1 {
		inside = g.plain(v.t.bools(), false, "OpCompositeConstruct %s"+strings.Repeat(" "+inside.id, c))
	}
	g.put(v.t, false, "OpSelect %s "+inside.id+" "+r.id+" "+v.id)
}

func (g *maker) quad() {
	v := g.carried()
	if g.chance(2) {
		g.group(v.t, "QuadBroadcast", v.id+" "+g.constant(u32, fmt.Sprint(g.intn(4))))
		return
	}
	g.group(v.t, "QuadSwap", v.id+" "+g.constant(u32, fmt.Sprint(g.intn(3))))
}
