package vk

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/link"
)

// hostileWords are words that break most rules on arguments: addresses, sizes, strides, counts and types of indices.
var hostileWords = []uint32{0, 1, 2, 3, 4, 7, 16, 48, 57, 1 << 12, 1 << 16, 1<<16 - 1, 1 << 24, 1 << 31, math.MaxInt32, math.MaxUint32 - 3, math.MaxUint32}

// hostileTokens returns tokens with an action of a kind at the end.
func hostileTokens(r *rand.Rand, action TokenKind, set bool) (list []Token) {
	if set {
		list = append(list, Token{Kind: TokenExecutionSet})
	}
	if action != TokenDispatch {
		list = append(list, Token{Kind: TokenVertexBuffer, Binding: r.Uint32N(2) * 31}, Token{Kind: TokenIndexBuffer, DXGI: r.IntN(2) == 0})
	}
	if r.IntN(2) == 0 {
		list = append(list, Token{Kind: TokenPushConstant, Push: link.Range{Size: 8}}, Token{Kind: TokenSequenceIndex, Push: link.Range{Offset: 4, Size: 4}})
	}
	return append(list, Token{Kind: action})
}

// hostile makes sequences of random words.
type hostile struct {
	random *rand.Rand
	tokens []Token
	stride uint32
}

// sequences is the number of sequences of an execution.
const sequences = 3

// fill fills the memory of a buffer with the words of sequences. Most addresses, elements of sets and types of indices are right, so that what
// follows them counts.
func (h *hostile) fill(b *Buffer, memory []byte) {
	r := h.random
	for i := range len(memory) / 4 {
		w := hostileWords[r.IntN(len(hostileWords))]
		switch r.IntN(6) {
		case 0:
			w = uint32(b.Address())
		case 1:
			w = uint32(b.Address() >> 32)
		case 2:
			w = r.Uint32N(4)
		}
		binary.LittleEndian.PutUint32(memory[4*i:], w)
	}
	for first := uint32(0); first < sequences*h.stride; first += h.stride {
		for _, x := range h.tokens {
			at := memory[first+x.Offset:]
			if r.IntN(8) > 0 {
				h.mend(at, &x, b)
			}
		}
	}
}

// mend makes the arguments of a token right, but for sizes and counts.
func (h *hostile) mend(at []byte, x *Token, b *Buffer) {
	put, address := binary.LittleEndian.PutUint32, b.Address()+h.random.Uint64N(3)
	switch x.Kind {
	case TokenExecutionSet:
		put(at, 0)
	case TokenIndexBuffer:
		binary.LittleEndian.PutUint64(at, address)
		put(at[8:], h.random.Uint32N(40))
		put(at[12:], map[bool]uint32{false: 1, true: 42}[x.DXGI])
	case TokenVertexBuffer:
		binary.LittleEndian.PutUint64(at, address)
		put(at[8:], h.random.Uint32N(40))
	case TokenDrawCount, TokenDrawIndexedCount, TokenDrawMeshTasksCount, TokenDrawTaskRangeCount:
		binary.LittleEndian.PutUint64(at, b.Address())
		put(at[8:], h.random.Uint32N(8))
	}
}

// TestHostileTokens runs sequences of random words, with and without checks: each ends, without effect or with an error, and the memory of
// another buffer stays as it is. Most of them have the address of the sequences themselves as vertices, indices and draws. CHIARO_SEEDS=from-to
// runs others.
func TestHostileTokens(t *testing.T) {
	from, to := uint64(0), uint64(24)
	if s := os.Getenv("CHIARO_SEEDS"); s != "" {
		if _, err := fmt.Sscanf(s, "%d-%d", &from, &to); err != nil {
			t.Fatal(err)
		}
	}
	for seed := from; seed < to; seed++ {
		r := rand.New(rand.NewPCG(seed, 22))
		s := newSceneOn(t, 1, DeviceInfo{Checking: []Checking{None, All}[seed%2], Timeout: time.Second, Budget: 1 << 20})
		s.stages.Flags = enum.PipelineFlagsIndirectBindableBitExt
		s.build(t)
		drawn := s.pipeline
		meshes := s.meshesOf(t, []string{"tiles", "tasks"}[r.IntN(2)])
		kernels := must(s.dev.NewPipelineLayout(PipelineLayoutInfo{Sets: []*SetLayout{s.rig.layout}, Push: []link.Range{{Size: 16, Stages: link.AllStages}}}))(t)
		info := s.pokerInfo(t, kernels, "1")
		info.Flags = enum.PipelineFlagsIndirectBindableBitExt
		kernel := must(s.dev.NewComputePipeline(context.Background(), info))(t)
		sets := map[bool]*IndirectExecutionSet{false: must(s.dev.NewIndirectExecutionSet(2, drawn))(t), true: must(s.dev.NewIndirectExecutionSet(2, kernel))(t)}
		_, guard := s.addressed(t, slices.Repeat([]uint32{0xaaaaaaaa}, 64)...)
		for range 8 {
			action := []TokenKind{
				TokenDraw, TokenDrawIndexed, TokenDrawCount, TokenDrawIndexedCount, TokenDrawMeshTasks, TokenDrawMeshTasksCount, TokenDrawTaskRange, TokenDrawTaskRangeCount, TokenDispatch,
			}[r.IntN(9)]
			set := r.IntN(3) == 0
			h := hostile{random: r, tokens: hostileTokens(r, action, set)}
			h.stride = inSequence(h.tokens)
			layout := IndirectCommandsLayoutInfo{Tokens: h.tokens, Stride: h.stride, Layout: s.layout}
			if action == TokenDispatch {
				layout.Layout = kernels
			}
			made, err := s.dev.NewIndirectCommandsLayout(layout)
			if err != nil {
				continue // of the other rules
			}
			b, memory := s.addressed(t, make([]uint32, sequences*h.stride/4+8)...)
			h.fill(b, memory)
			g := GeneratedCommands{Layout: made, Address: b.Address(), Size: uint64(sequences * h.stride), MaxSequences: sequences, MaxDraws: hostileWords[r.IntN(len(hostileWords))]}
			if set {
				g.Set = sets[action == TokenDispatch]
			}
			if r.IntN(4) == 0 {
				g.CountAddress = b.Address() + 4*uint64(r.IntN(len(memory)/4))
			}
			c := must(s.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
			if err := c.Begin(BeginInfo{}); err != nil {
				break
			}
			if action == TokenDispatch {
				c.BindPipeline(kernel)
				c.BindSets(Compute, kernels, 0, []*Set{s.rig.set}, nil)
				c.ExecuteGenerated(g)
			} else {
				c.BeginRendering(s.rendering())
				if kind := &drawTokens[action]; kind.mesh {
					c.BindGraphicsPipeline(meshes)
				} else {
					c.BindGraphicsPipeline(drawn)
				}
				c.ExecuteGenerated(g)
				c.EndRendering()
			}
			if c.End() != nil {
				continue
			}
			if s.submit(t, c) != nil {
				break // the device is lost
			}
		}
		for i, w := range guard {
			if w != 0xaa {
				t.Fatalf("seed %d: byte %d of another buffer is %#x", seed, i, w)
			}
		}
	}
}
