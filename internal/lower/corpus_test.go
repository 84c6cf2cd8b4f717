package lower

import (
	"archive/tar"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/valid"
)

// corpusFile holds real modules of many compilers; CHIARO_SPV may name a folder
// with more.
const corpusFile = "../../../shared/corpus/spv/dev.tar.xz"

// TestCorpus lowers the entry points of compute and graphics of real modules: none may panic,
// and what is lowered verifies, for Stage has looked.
func TestCorpus(t *testing.T) {
	c := census{t: t, misses: map[string]int{}}
	if dir := os.Getenv("CHIARO_SPV"); dir != "" {
		c.folder(dir)
	} else {
		c.archive(corpusFile)
	}
	t.Logf("%d of %d entry points lowered", c.lowered, c.entries)
	var keys []string
	for k := range c.misses {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool { return c.misses[keys[i]] > c.misses[keys[j]] })
	for _, k := range keys {
		t.Logf("%5d %s", c.misses[k], k)
	}
}

// census counts what is lowered and why the rest is not.
type census struct {
	t                *testing.T
	entries, lowered int
	misses           map[string]int
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
			break
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
	fitsForms(c.t, name, v.Facts())
	for i := range v.Facts().EntryPoints {
		e := &v.Facts().EntryPoints[i]
		if _, ok := graphics[e.Model]; !ok && e.Model != spirv.ExecutionModelGLCompute {
			continue
		}
		c.entries++
		_, err := Stage(v, e, Options{})
		if err == nil {
			c.lowered++
			continue
		}
		why := err.Error()
		var u *Unsupported
		if errors.As(err, &u) {
			why = e.Model.String() + ": " + u.Op.String() + " " + u.What
			if os.Getenv("CHIARO_WHY") != "" && strings.Contains(why, os.Getenv("CHIARO_WHY")) {
				c.t.Log(name)
			}
		} else {
			c.t.Logf("%s: %v", name, err)
		}
		c.misses[why]++
	}
}
