package modgen

import (
	"encoding/binary"
	"math/rand/v2"

	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
)

// Options limit a module. The zero Options allow all that Chiaro
// defines, whether Vulkan defines it or not.
type Options struct {
	// Peers restricts it to results that Vulkan defines to the bit, or that all CPU
	// implementations do alike: divisors are not zero, indices are in range,
	// invocations write only to places of their own, a NaN is made canonical
	// before its bits can be seen.
	Peers bool

	// Subgroups allows group operations, with results that depend on the subgroup
	// size.
	Subgroups bool

	// Words allows no numbers but those of 32 bits, for peers that have no
	// others.
	Words bool

	// Flush restricts it to operations that SwiftShader and others do alike: it flushes denormals,
	// rounds an unsigned number from 2³¹ on twice when it becomes a float, and
	// more that docs/differences.md names.
	Flush bool

	// Subgroup is the subgroup size of the peer, which clusters do not exceed;
	// 0 is 4, which all have.
	Subgroup int

	// Groups are the classes of group operations, as the bits of
	// VkSubgroupFeatureFlags; 0 are all of Vulkan 1.1.
	Groups uint32

	// Atomics64 allows atomics of 64 bits in buffers.
	Atomics64 bool

	// Images allows images, samplers and texel buffers.
	Images bool

	// Size is about how many statements there are; 0 is 60.
	Size int
}

// Buffer is a storage or uniform buffer of set 0, with its initial bytes.
type Buffer struct {
	Binding uint32
	Uniform bool
	Bytes   []byte
}

// Module is a module and one dispatch of it. Its entry point is "main".
type Module struct {
	Text      string
	LocalSize [3]uint32
	Groups    [3]uint32
	Buffers   []Buffer
	Pictures  []Picture // the elements of an array in order
	Push      []byte

	// Spec are values for specialization constants, by SpecId from 0 on. They
	// need not be given: the constants have values of their own.
	Spec []uint32
}

// Version is the version of SPIR-V of all modules.
const Version = spirv.Version(1<<16 | 5<<8)

// New makes the module of a seed. Two calls with the same arguments make the
// same module.
func New(seed uint64, o Options) *Module { return FromBytes(seed, nil, o) }

// FromBytes makes a module whose choices are data, and when they are spent
// choices of the seed.
func FromBytes(seed uint64, data []byte, o Options) *Module {
	if o.Size == 0 {
		o.Size = 60
	}
	if o.Subgroup == 0 {
		o.Subgroup = 4
	}
	if o.Groups == 0 {
		o.Groups = groupAll
	}
	g := &maker{
		source: &source{data, rand.New(rand.NewPCG(seed, 1))}, o: o, remaining: o.Size,
		known: map[string]bool{},
	}
	return g.module()
}

// Words assembles the module.
func (m *Module) Words() ([]uint32, error) {
	return asm.Assemble([]byte(m.Text), asm.AssembleOptions{Version: Version})
}

// fill returns n words: small numbers, bits at random, floats of all widths;
// normal: none is 0 or denormal as a float of 32 bits.
func (g *maker) fill(n int, normal bool) []byte {
	b := make([]byte, 0, 4*n)
	for range n {
		w := g.rest.Uint32()
		switch g.rest.IntN(6) {
		case 0:
			w = uint32(g.rest.IntN(9))
		case 1:
			w = -uint32(g.rest.IntN(9))
		case 2:
			w = choose(g.source, uint32(0x3f800000), 0x40200000, 0xbf000000, 0x80000000, 0x7fffffff, 0x3ff00000, 0x3c00c000, 0x01ff807f)
		case 3:
			w = w&0x807fffff | uint32(120+g.rest.IntN(16))<<23
		}
		if normal && w&0x7f800000 == 0 {
			w |= 0x3f800000
		}
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}
