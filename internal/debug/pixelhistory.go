package debug

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	texels "github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
	"github.com/chiaro-gpu/chiaro/vk"
)

// PixelHistory is the [vk.Debugger] that records each fragment of a pixel. The groups of fragments run in the order of the primitives,
// and each has one primitive, so that the attachments before and after a group are those before and after the fragment.
type PixelHistory struct {
	X         uint32       `json:"x"`
	Y         uint32       `json:"y"`
	Layer     uint32       `json:"layer"`
	Sample    uint32       `json:"sample"`
	Events    []PixelEvent `json:"events"`
	Draws     int          `json:"draws"`
	Truncated bool         `json:"truncated"` // there were more events

	last   map[*byte]string // the values of texels after the last draw of each
	stores map[*ir.Program]stores
}

// maxPixelEvents bounds the events of a history.
const maxPixelEvents = 1 << 16

// PixelEvent is a fragment, or the change of the pixel by commands other than draws.
type PixelEvent struct {
	Draw      int        `json:"draw"`               // the number of the draw, from 1; of other commands that of the draw after them
	Instance  *uint32    `json:"instance,omitempty"` // InstanceIndex; nil if the primitive is none of the draw's vertices, but of another stage
	Primitive uint32     `json:"primitive"`          // PrimitiveId, which begins at 0 in each instance
	Sample    uint32     `json:"sample"`
	Result    string     `json:"result"`            // passed, other commands, or what ended the fragment
	Outputs   []Attached `json:"outputs,omitempty"` // of the shader; none if it did not run to its end
	Before    []Attached `json:"before,omitempty"`
	After     []Attached `json:"after,omitempty"`

	instanced bool // the draw may have several instances
}

// Attached is a value of an attachment, or of an output.
type Attached struct {
	Name  string `json:"name"`
	Value string `json:"value"`

	place *byte // of an attachment's texel: another image may have the same name
}

// Results of fragments.
const (
	resultPassed  = "passed"
	resultBounds  = "failed the depth bounds test"
	resultStencil = "failed the stencil test"
	resultDepth   = "failed the depth test"
	resultDiscard = "discarded by the shader"
	resultMask    = "no sample left by the sample mask or alpha to coverage"
	resultOther   = "changed by commands other than draws"
)

// Run runs a command; draws are observed.
func (p *PixelHistory) Run(_ context.Context, c vk.DebugCommand, run func(exec.Hook) error) error {
	if c.Kind != vk.DebugDraw {
		return run(nil)
	}
	p.Draws++
	w := &pixelWatcher{history: p, attachments: c.Attachments, instanced: c.Instanced}
	err := run(w)
	if p.last == nil {
		p.last = map[*byte]string{}
	}
	for _, a := range w.read() {
		p.last[a.place] = a.Value
	}
	return err
}

// add adds an event.
func (p *PixelHistory) add(e PixelEvent) {
	if len(p.Events) >= maxPixelEvents {
		p.Truncated = true
		return
	}
	p.Events = append(p.Events, e)
}

// addOther adds an event if texels have other values than after the last draw to them.
func (p *PixelHistory) addOther(now []Attached) {
	before := slices.Clone(now)
	for i := range before {
		if v, ok := p.last[before[i].place]; ok {
			before[i].Value = v
		}
	}
	if !slices.Equal(now, before) {
		p.add(PixelEvent{Draw: p.Draws, Result: resultOther, Before: before, After: now})
	}
}

// pixelWatcher is the hook of one draw.
type pixelWatcher struct {
	exec.NoHook
	history     *PixelHistory
	attachments []vk.DebugAttachment
	instanced   bool // vk.DebugCommand.Instanced
	begun       bool
	before      []Attached

	program *ir.Program
	stores  stores
	stored  store  // by the operation before
	lane    uint32 // of the pixel; of no meaning before found
	found   bool
	sub     uint32   // its subgroup
	words   []uint32 // of program.IDs, as of the last step
}

// BeginGroup skips the steps of groups without the pixel.
func (w *pixelWatcher) BeginGroup(g *exec.Group) error {
	if !w.begun { // the draw is about to run: all commands before it have
		w.begun = true
		w.history.addOther(w.read())
	}
	w.program, w.found = nil, false
	if g.Program.From == nil || g.Program.From.Stage != ir.Fragment || !mayContain(g, w.attachments, w.history.X, w.history.Y) {
		return exec.ErrNoSteps
	}
	w.program, w.before = g.Program, w.read()
	w.stores, w.stored = w.history.storesOf(g.Program), noStore
	return nil
}

// stores are the operations of a program that store in private memory, by function and value. Only after them the words of an
// invocation's identity can have changed.
type stores [][]store

type store uint8

const (
	noStore store = iota
	anyStore
	idStore // in a variable of the identity
)

// storesOf returns the stores of a program; they are found once.
func (p *PixelHistory) storesOf(of *ir.Program) stores {
	list, ok := p.stores[of]
	if ok {
		return list
	}
	for _, f := range of.Funcs {
		all := make([]store, len(f.Vals))
		for _, v := range f.Code {
			switch o := f.Val(v); {
			case o.Op == ir.PSt && slices.ContainsFunc(of.IDs, func(id ir.IDVar) bool { return uint64(id.Var) == o.Aux }):
				all[v] = idStore
			case o.Op == ir.PSt, o.Op == ir.PStI:
				all[v] = anyStore
			}
		}
		list = append(list, all)
	}
	if p.stores == nil {
		p.stores = map[*ir.Program]stores{}
	}
	p.stores[of] = list
	return list
}

// Step finds the lane of the pixel, and keeps the words of its identity.
func (w *pixelWatcher) Step(s *exec.Step) error {
	if w.program == nil {
		return nil
	}
	stored := w.stored
	w.stored = noStore
	if of := w.stores[s.Func]; int(s.Value) < len(of) {
		w.stored = of[s.Value]
	}
	if stored == noStore {
		return nil
	}
	if !w.found && stored == idStore {
		for lane := range s.Active.All {
			if w.find(s, uint32(lane)) {
				w.found, w.lane, w.sub = true, uint32(lane), s.Subgroup
				break
			}
		}
	}
	if w.found && s.Subgroup == w.sub {
		w.words = w.words[:0]
		for _, v := range w.program.IDs {
			w.words = append(w.words, s.ReadPrivate(uint64(s.Bases[v.Var]), w.lane))
		}
	}
	return nil
}

// find reports whether a lane is a covered fragment of the pixel.
func (w *pixelWatcher) find(s *exec.Step, lane uint32) bool {
	for _, v := range w.program.IDs {
		word := s.ReadPrivate(uint64(s.Bases[v.Var]), lane)
		want := word
		switch {
		case v.Semantic == ir.FragCoord && v.Index == 0:
			want = w.history.X
		case v.Semantic == ir.FragCoord:
			want = w.history.Y
		case v.Semantic == ir.Layer:
			want = w.history.Layer
		case v.Semantic == ir.SampleId:
			want = w.history.Sample
		case v.Semantic == ir.NoSemantic && v.Index == ir.ProbeCovered:
			want = ir.ProbePassed
		}
		if word != want {
			return false
		}
	}
	return true
}

// EndGroup records the fragment.
func (w *pixelWatcher) EndGroup(*exec.Group) error {
	if !w.found {
		return nil
	}
	e := PixelEvent{Draw: w.history.Draws, Before: w.before, After: w.read(), Result: w.result(), instanced: w.instanced}
	for i, v := range w.program.IDs {
		switch {
		case v.Semantic == ir.PrimitiveId:
			e.Primitive = w.words[i]
		case v.Semantic == ir.InstanceIndex:
			e.Instance = &[]uint32{w.words[i]}[0]
		case v.Semantic == ir.SampleId:
			e.Sample = w.words[i]
		}
	}
	if w.probe(ir.ProbeEnd) == ir.ProbePassed {
		e.Outputs = w.outputs()
	}
	w.history.add(e)
	return nil
}

// probe returns the word of a probe; 0 if the program has none.
func (w *pixelWatcher) probe(n uint32) uint32 {
	for i, v := range w.program.IDs {
		if v.Semantic == ir.NoSemantic && v.Index == n {
			return w.words[i]
		}
	}
	return 0
}

// result returns the fate of the fragment. A test that ended it before or after the shader was reached by it.
func (w *pixelWatcher) result() string {
	for _, x := range []struct {
		probe  uint32
		result string
	}{{ir.ProbeBounds, resultBounds}, {ir.ProbeStencil, resultStencil}, {ir.ProbeDepth, resultDepth}, {ir.ProbeMask, resultMask}} {
		if w.probe(x.probe) == ir.ProbeFailed {
			return x.result
		}
	}
	if w.probe(ir.ProbeEnd) != ir.ProbePassed {
		return resultDiscard
	}
	return resultPassed
}

// outputs returns the outputs of the shader at color attachments.
func (w *pixelWatcher) outputs() (list []Attached) {
	parts := map[uint32][]string{}
	for i, v := range w.program.IDs {
		if v.Semantic != ir.Location {
			continue
		}
		text := strconv.FormatInt(int64(int32(w.words[i])), 10)
		if v.Type == ir.F32 {
			text = shortFloat(float64(math.Float32frombits(w.words[i])))
		}
		parts[v.Index/4] = append(parts[v.Index/4], text)
	}
	for n := uint32(0); n < 8; n++ {
		if p := parts[n]; p != nil {
			list = append(list, Attached{fmt.Sprintf("color %d", n), vectorText(p), nil})
		}
	}
	return list
}

// read returns the values of the attachments at the pixel.
func (w *pixelWatcher) read() (list []Attached) {
	h := w.history
	for _, a := range w.attachments {
		if texel := a.View.Texel(int(h.Layer), int(h.X), int(h.Y), int(h.Sample)); texel != nil {
			list = append(list, Attached{a.Name, texelText(a.View, texel), &texel[0]})
		}
	}
	return list
}

// texelText returns the text of a texel: of its colors, or of the aspect of the view.
func texelText(v *texture.View, texel []byte) string {
	f, aspects := v.Info().Texel(), v.Info().Aspects
	var parts []string
	for _, c := range f.Components() {
		if c.Channel == texels.S != (aspects == texels.Stencil) && (c.Channel == texels.S || aspects == texels.Stencil) {
			continue
		}
		parts = append(parts, shortFloat(c.Value(c.Raw(texel))))
	}
	return vectorText(parts)
}

func vectorText(parts []string) string {
	if len(parts) == 1 {
		return parts[0]
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

func shortFloat(x float64) string { return strconv.FormatFloat(x, 'g', 7, 64) }

// Text returns the history as lines.
func (p *PixelHistory) Text() string {
	var out strings.Builder
	fmt.Fprintf(&out, "pixel (%d, %d)\n", p.X, p.Y)
	for _, e := range p.Events {
		switch {
		case e.Result == resultOther:
			fmt.Fprintf(&out, "before draw %d: %s\n", e.Draw, e.Result)
		case e.instanced && e.Instance != nil:
			fmt.Fprintf(&out, "draw %d, instance %d, primitive %d: %s\n", e.Draw, *e.Instance, e.Primitive, e.Result)
		default:
			fmt.Fprintf(&out, "draw %d, primitive %d: %s\n", e.Draw, e.Primitive, e.Result)
		}
		for _, o := range e.Outputs {
			fmt.Fprintf(&out, "  shader   %-8s %s\n", o.Name, o.Value)
		}
		for i, b := range e.Before {
			if i < len(e.After) && e.After[i] != b {
				fmt.Fprintf(&out, "  changed  %-8s %s → %s\n", b.Name, b.Value, e.After[i].Value)
			} else {
				fmt.Fprintf(&out, "  kept     %-8s %s\n", b.Name, b.Value)
			}
		}
	}
	switch {
	case p.Truncated:
		fmt.Fprintf(&out, "and more: a history has at most %d events\n", maxPixelEvents)
	case len(p.Events) == 0:
		fmt.Fprintf(&out, "no fragment of the %d draws\n", p.Draws)
	}
	return out.String()
}
