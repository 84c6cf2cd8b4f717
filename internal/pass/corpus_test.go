package pass

import (
	"archive/tar"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/valid"
)

// corpusFile holds real modules of many compilers; CHIARO_SPV may name a folder
// with others.
const corpusFile = "../../../shared/corpus/spv/dev.tar.xz"

// census counts what passes do to real programs.
type census struct {
	t             *testing.T
	programs      int
	before, after map[string]int // operations by name; "all" is their sum
	spent         []time.Duration
}

// TestCorpus sends every compute program of real modules through the passes,
// one by one: what they leave verifies.
func TestCorpus(t *testing.T) {
	c := &census{t: t, before: map[string]int{}, after: map[string]int{}, spent: make([]time.Duration, len(Passes))}
	if dir := os.Getenv("CHIARO_SPV"); dir != "" {
		c.folder(dir)
	} else {
		c.archive(corpusFile)
	}
	t.Logf("%d programs, %d operations before, %d behind", c.programs, c.before["all"], c.after["all"])
	for _, op := range []string{"pld", "pst", "pldi", "psti", "ld", "st", "res", "call", "block", "loop", "if", "switch"} {
		t.Logf("%8s %7d %7d", op, c.before[op], c.after[op])
	}
	for i, x := range Passes {
		t.Logf("%10s %v", x.Name, c.spent[i])
	}
}

func (c *census) archive(name string) {
	if _, err := os.Stat(name); err != nil {
		c.t.Skip("no corpus at", name)
	}
	cmd := exec.Command("xz", "-dc", name)
	out, err := cmd.StdoutPipe()
	if err != nil || cmd.Start() != nil {
		c.t.Skip("cannot unpack the corpus:", err)
	}
	defer cmd.Wait()
	for r := tar.NewReader(out); ; {
		h, err := r.Next()
		if err != nil {
			return
		}
		if strings.HasSuffix(h.Name, ".spv") {
			data, err := io.ReadAll(r)
			if err != nil {
				c.t.Fatal(err)
			}
			c.module(h.Name, data)
		}
	}
}

func (c *census) folder(dir string) {
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".spv") || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		c.module(path, data)
		return err
	})
	if err != nil {
		c.t.Fatal(err)
	}
}

func (c *census) module(name string, data []byte) {
	m, err := spirv.Decode(data)
	if err != nil {
		return
	}
	v := valid.Assume(facts.Gather(m, nil))
	for i := range v.Facts().EntryPoints {
		e := &v.Facts().EntryPoints[i]
		if e.Model != spirv.ExecutionModelGLCompute {
			continue
		}
		if p, err := lower.Stage(v, e, lower.Options{}); err == nil {
			c.program(name, p)
		}
	}
}

func (c *census) program(name string, p *ir.Program) {
	c.programs++
	n := count(p, c.before)
	for i, x := range Passes {
		start := time.Now()
		x.Run(p)
		c.spent[i] += time.Since(start)
		if err := p.Verify(); err != nil {
			c.t.Fatalf("%s: %s: %v", name, x.Name, err)
		}
	}
	last := count(p, c.after)
	if os.Getenv("CHIARO_SPV") != "" {
		c.t.Logf("%s: %d operations, then %d", filepath.Base(name), n, last)
		if os.Getenv("CHIARO_IR") != "" {
			c.t.Logf("%s", p)
		}
	}
}

func count(p *ir.Program, ops map[string]int) int {
	n := 0
	for _, f := range p.Funcs {
		for _, v := range f.Code {
			ops[f.Val(v).Op.String()]++
		}
		n += len(f.Code)
	}
	ops["all"] += n
	return n
}
