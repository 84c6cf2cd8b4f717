package vk

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"sync"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/store"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// piece is a compiled stage, the unit of pipeline caches and of pipeline binaries: the program before an engine compiles
// it. It depends on the code and on the specialization alone, not on layouts and fixed-function state. Nothing changes it:
// any number of pipelines share it.
type piece struct {
	key   store.Key
	stage *shader.Stage
}

// of reports whether the piece is of a stage. A program of cluster culling is one of compute.
func (p *piece) of(model spirv.ExecutionModel) bool {
	if model == spirv.ExecutionModelClusterCullingHUAWEI {
		model = spirv.ExecutionModelGLCompute
	}
	return modelOf(p.stage.Program.Stage) == model
}

// build identifies this build of Chiaro. Programs of another build may have operations of other numbers or meanings. A
// build without an id has one of this process alone.
var build = sync.OnceValue(func() [sha256.Size]byte {
	id := store.BuildID()
	if id == "" {
		id = rand.Text()
	}
	return sha256.Sum256([]byte("chiaro pieces 1\x00" + id))
})

// pieceKey returns the key of a stage: the hash of all that its program depends on. Every part but the last has a fixed
// size or its length before it.
func pieceKey(identifier []byte, entry string, model spirv.ExecutionModel, spec facts.Spec, o *lower.Options, instrumented bool) store.Key {
	id := build()
	b := append([]byte(nil), id[:]...)
	text := func(s string) { b = append(binary.LittleEndian.AppendUint64(b, uint64(len(s))), s...) }
	text(string(identifier))
	text(entry)
	b = binary.LittleEndian.AppendUint32(b, uint32(model))
	b = binary.LittleEndian.AppendUint32(b, o.SubgroupSize)
	b = binary.LittleEndian.AppendUint64(b, uint64(o.MaxValues))
	for _, on := range []bool{o.FullSubgroups, o.VaryingSubgroups, o.Contract, o.KillDemotes, o.CoarseDerivatives, o.SignedRemainder, o.Profile, o.ViewIndexFromDevice, o.Index64, o.Symbols != nil, o.FollowMemory, instrumented} {
		b = append(b, byte(flag(on)))
	}
	b = append(b, byte(o.Sanitize), byte(o.Descriptors))
	b = binary.LittleEndian.AppendUint64(b, uint64(len(o.Records)))
	for i := range o.Records {
		m := &o.Records[i]
		for _, n := range []uint32{
			m.Set, m.First, m.Count, uint32(m.Types), uint32(m.Source), m.Offset, m.SamplerOffset, m.Resource.Offset, m.Resource.IndexStride, m.Resource.ArrayStride,
			m.Sampler.Offset, m.Sampler.IndexStride, m.Sampler.ArrayStride, uint32(flag(m.Combined)), uint32(flag(m.EmbeddedSampler)),
		} {
			b = binary.LittleEndian.AppendUint32(b, n)
		}
	}
	ids := make([]uint32, 0, len(spec))
	for id := range spec {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		b = binary.LittleEndian.AppendUint32(b, id)
		b = binary.LittleEndian.AppendUint64(b, spec[id])
	}
	return sha256.Sum256(b)
}

// pack returns the form of a piece in caches and binaries.
func (p *piece) pack() []byte { return store.Pack(p.key, p.stage.Program.Append(nil)) }

// maxPrimitives bounds the vertices and the instances of a geometry program, as the limits of the device do.
const maxPrimitives = 1 << 10

// unpackPiece returns the piece of its packed form, which may come from anywhere: the program is verified, and needs no
// more resources than a shader may have.
func unpackPiece(b []byte) (*piece, bool) {
	k, data, ok := store.Unpack(b)
	if !ok {
		return nil, false
	}
	p, err := ir.Decode(data)
	if err != nil || (exec.Limits{}).Check(p, 0) != nil || max(p.OutputVertices, p.Instances) > maxPrimitives {
		return nil, false
	}
	return &piece{key: k, stage: &shader.Stage{Program: p}}, true
}
