package pass

import (
	"archive/tar"
	"bytes"
	"context"
	"io"
	"io/fs"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chiaro-gpu/chiaro/facts"
	engine "github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/valid"
)

// corpusFile holds real modules of many compilers; CHIARO_SPV may name a folder
// with others.
const corpusFile = "../../../shared/corpus/spv/dev.tar.xz"

// census counts operations before and after the passes.
type census struct {
	t             *testing.T
	programs, ran int
	before, after map[string]int // operations by name; "all" is their sum
	spent         []time.Duration
}

// TestCorpus runs the passes on every compute program of real modules. The program
// must verify after each pass and compute the same bytes after all.
func TestCorpus(t *testing.T) {
	c := &census{t: t, before: map[string]int{}, after: map[string]int{}, spent: make([]time.Duration, len(Passes))}
	if dir := os.Getenv("CHIARO_SPV"); dir != "" {
		c.folder(dir)
	} else {
		c.archive(corpusFile)
	}
	t.Logf("%d programs, %d of them run, %d operations before, %d after", c.programs, c.ran, c.before["all"], c.after["all"])
	for _, op := range []string{"pld", "pst", "pldi", "psti", "ld", "st", "res", "call", "block", "loop", "if", "switch"} {
		t.Logf("%8s %7d %7d", op, c.before[op], c.after[op])
	}
	for i, x := range Passes {
		t.Logf("%14s %v", x.Name, c.spent[i])
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
				c.t.Error(err) // not Fatal: xz waits for its reader
				return
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
	want, ran := c.run(p)
	for i, x := range Passes {
		start := time.Now()
		x.Run(p)
		c.spent[i] += time.Since(start)
		if err := p.Verify(); err != nil {
			c.t.Errorf("%s: %s: %v", name, x.Name, err)
			return
		}
	}
	last := count(p, c.after)
	p.StateEffects()
	if ran {
		c.ran++
		if got, ok := c.run(p); !ok || !bytes.Equal(got, want) {
			c.t.Errorf("%s: other bytes after the passes", name)
		}
	}
	if os.Getenv("CHIARO_SPV") != "" {
		c.t.Logf("%s: %d operations, then %d", filepath.Base(name), n, last)
		if os.Getenv("CHIARO_IR") != "" {
			c.t.Logf("%s", p)
		}
	}
}

// run runs one workgroup on buffers of small numbers and returns their contents. ok
// is false if the engine refuses the program or it does not end.
func (c *census) run(p *ir.Program) (left []byte, ok bool) {
	prog, err := interp.Engine{}.Compile(p, engine.Options{})
	if err != nil {
		return nil, false
	}
	defer prog.Close()
	r := rand.New(rand.NewSource(1))
	job := &engine.Job{Groups: [3]uint32{1, 1, 1}, Workers: 1, Budget: 1 << 7, Push: make([]byte, 128)}
	var all [][]byte
	for range p.Res {
		b := make([]byte, 1024)
		for i := range b {
			b[i] = byte(r.Intn(8) * r.Intn(2) * toInt(i%4 == 0 || r.Intn(32) == 0))
		}
		all = append(all, b)
		job.Resources = append(job.Resources, []engine.Buffer{{Bytes: b}})
	}
	if err := prog.Run(context.Background(), job); err != nil {
		return nil, false
	}
	return bytes.Join(all, nil), true
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
