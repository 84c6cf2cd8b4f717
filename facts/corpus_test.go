package facts

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// corpus returns the modules in the folder CHIARO_SPV_DIR, and skips the test if
// it is unset.
func corpus(t testing.TB) map[string]*spirv.Module {
	dir := os.Getenv("CHIARO_SPV_DIR")
	if dir == "" {
		t.Skip("CHIARO_SPV_DIR names no folder of .spv files")
	}
	out := map[string]*spirv.Module{}
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".spv" {
			return err
		}
		data, err := os.ReadFile(path)
		if m, e := spirv.Decode(data); e == nil {
			out[path] = m
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestCorpus gathers real modules.
func TestCorpus(t *testing.T) {
	list := corpus(t)
	for name, m := range list {
		f := Gather(m, nil)
		checkModule(t, name, f)
	}
	t.Logf("%d modules", len(list))
}

// checkModule checks properties that every valid module has.
func checkModule(t *testing.T, name string, m *Module) {
	for i := range m.Consts {
		if c := &m.Consts[i]; !c.Known && !beyond(m, c) {
			t.Errorf("%s: constant %d (%v) is not known", name, c.ID, c.Op)
		}
	}
	for i := range m.EntryPoints {
		e := &m.EntryPoints[i]
		if e.Func == nil || e.Func.Entry() == nil {
			t.Errorf("%s: entry point %q has no body", name, e.Name)
		}
		if e.Model == spirv.ExecutionModelGLCompute && !e.HasLocalSize {
			t.Errorf("%s: entry point %q has no size", name, e.Name)
		}
	}
	for i := range m.Functions {
		f := &m.Functions[i]
		if f.Return == nil || f.Type == nil || f.Recursive {
			t.Errorf("%s: function %d: %+v", name, f.ID, f)
		}
		for n := range f.Blocks {
			checkBlock(t, name, &f.Blocks[n])
		}
	}
}

// beyond reports whether Gather cannot know a constant's value: it depends on
// the device (the size of a descriptor, cooperative matrices), on such a
// constant, or on a part that does not exist.
func beyond(m *Module, c *Const) bool {
	switch {
	case c.Op == spirv.OpConstantSizeOfEXT:
		return true
	case c.Type.is(spirv.OpTypeCooperativeMatrixNV), c.Type.is(spirv.OpTypeCooperativeMatrixKHR):
		return true
	case c.Op == spirv.OpSpecConstantOp:
		v := inst.SpecConstantOp(m.Code.Inst(c.Index))
		for w := m.Code.Walk(c.Index); w.Next(); {
			if x := m.Const(spirv.ID(w.Words[0])); w.Kind == spirv.KindIdRef && x != nil && !x.Known {
				return true
			}
		}
		return v.Opcode() == spirv.OpCompositeExtract || // one module's index exceeds its vector
			v.Opcode() == spirv.OpCooperativeMatrixLengthNV || v.Opcode() == spirv.OpCooperativeMatrixLengthKHR
	}
	return false
}

// checkExit checks that a branch leaves constructs only as SPIR-V §2.11.3 permits.
func checkExit(t *testing.T, name string, b, s *Block) {
	var loop *Construct
	for c := b.Construct; c != nil && loop == nil; c = c.Parent {
		if c.Kind == Loop || c.Kind == ContinuePart {
			loop = c
		}
	}
	for c := b.Construct; c != nil && !c.Contains(s); c = c.Parent {
		switch {
		case s == c.Merge, loop != nil && (s == loop.Merge || s == loop.Header || s == loop.Header.Continue):
		case c.Kind == CasePart && falls(c, s):
		case switchMerge(c, s):
		default:
			t.Errorf("%s: block %d leaves the %v construct of %d for %d", name, b.ID, c.Kind, c.Header.ID, s.ID)
		}
	}
}

// falls reports whether s begins another case of the switch of case construct c.
func falls(c *Construct, s *Block) bool {
	for k := s.Construct; k != nil; k = k.Parent {
		if k.Kind == CasePart && k.Entry == s && k.Header == c.Header {
			return true
		}
	}
	return false
}

// switchMerge reports whether s is the merge block of a switch around c.
func switchMerge(c *Construct, s *Block) bool {
	for ; c != nil; c = c.Parent {
		if c.Kind == CasePart && c.Merge == s {
			return true
		}
	}
	return false
}

func checkBlock(t *testing.T, name string, b *Block) {
	if b.Term < 0 || b.End != b.Term+1 {
		t.Errorf("%s: block %d ends at %d, terminator %d", name, b.ID, b.End, b.Term)
	}
	for c := b.Construct; c != nil; c = c.Parent {
		if !c.Contains(b) && c.Entry != b {
			t.Errorf("%s: %v construct of block %d does not contain block %d", name, c.Kind, c.Header.ID, b.ID)
		}
	}
	for _, s := range b.Succs {
		if b.Reachable {
			checkExit(t, name, b, s)
		}
		if b.Reachable && s.Idom() != nil && !Dominates(s.Idom(), b) {
			t.Errorf("%s: block %d leads to %d, but %d does not dominate it", name, b.ID, s.ID, s.Idom().ID)
		}
	}
}

func BenchmarkGather(b *testing.B) {
	list := corpus(b)
	insts := 0
	for _, m := range list {
		insts += m.Len()
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, m := range list {
			Gather(m, nil)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(insts), "ns/inst")
}
