package amber

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"strings"
	"testing"
)

// corpusFile is the archive of scripts of the field, if present.
const corpusFile = "../../../shared/corpus/amber/dev.tar.xz"

// corpus returns the scripts and their recorded results, or skips the test.
func corpus(t *testing.T) map[string][]byte {
	t.Helper()
	return archive(t, corpusFile)
}

// archive returns the files of an archive by path, or skips the test.
func archive(t *testing.T, file string) map[string][]byte {
	t.Helper()
	if _, err := os.Stat(file); err != nil {
		t.Skipf("%s is absent", file)
	}
	out, err := exec.Command("xz", "-dc", file).Output()
	if err != nil {
		t.Skipf("the program xz cannot unpack %s: %v", file, err)
	}
	files := map[string][]byte{}
	for r := tar.NewReader(bytes.NewReader(out)); ; {
		h, err := r.Next()
		if err == io.EOF {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[path.Clean(h.Name)], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}

func isScript(name string) bool {
	return strings.HasSuffix(name, ".amber") || strings.HasSuffix(name, ".vkscript")
}

func rows(files map[string][]byte, name string) []map[string]string {
	lines := strings.Split(strings.TrimRight(string(files[name]), "\n"), "\n")
	var all []map[string]string
	for _, l := range lines[1:] {
		row := map[string]string{}
		for i, f := range strings.Split(l, "\t") {
			row[strings.Split(lines[0], "\t")[i]] = f
		}
		all = append(all, row)
	}
	return all
}

func parseIn(files map[string][]byte, name string) (*Script, error) {
	return Parse(name, files[name], func(file string) ([]byte, error) {
		data, ok := files[path.Join(path.Dir(name), file)]
		if !ok {
			return nil, fmt.Errorf("no file %s", file)
		}
		return data, nil
	})
}

// TestCorpusParses reads every script of the field.
func TestCorpusParses(t *testing.T) {
	files := corpus(t)
	refused := map[string]bool{}
	for _, r := range rows(files, "RESULTS.tsv") {
		refused[r["path"]] = strings.HasPrefix(r["compile_option"], "error:") && !strings.Contains(r["compile_option"], "Invalid shader format")
	}
	n := 0
	for name := range files {
		if !isScript(name) {
			continue
		}
		n++
		if _, err := parseIn(files, name); (err != nil) != refused[name] {
			t.Errorf("%s: %v, refused by others: %v", name, err, refused[name])
		}
	}
	t.Logf("%d scripts", n)
}

// TestCorpusData compares the initial contents of buffers that no shader changes with their
// final contents on other drivers.
func TestCorpusData(t *testing.T) {
	files := corpus(t)
	want := map[string]map[string]string{}
	for _, r := range rows(files, "GOLDEN.tsv") {
		if want[r["path"]] == nil {
			want[r["path"]] = map[string]string{}
		}
		want[r["path"]][r["buffer"]] = r["sha256"]
	}
	same, other := 0, 0
	for name, sums := range want {
		s, err := parseIn(files, name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, b := range s.Buffers {
			sum, ok := sums[b.Name]
			if !ok || !readOnly(s, b) {
				continue
			}
			h := sha256.Sum256(b.Data)
			if hex.EncodeToString(h[:]) == sum {
				same++
			} else {
				other++
				t.Errorf("%s: buffer %s (%s, %d bytes) differs", name, b.Name, b.Type, len(b.Data))
			}
		}
	}
	t.Logf("%d buffers the same, %d others", same, other)
}

// readOnly reports whether no pipeline can write to b.
func readOnly(s *Script, b *Buffer) bool {
	for _, c := range s.Commands {
		if c, ok := c.(*Copy); ok && c.To == b {
			return false
		}
	}
	for _, q := range s.Pipelines {
		g := q.Graphics
		if g.DepthStencil == b {
			return false
		}
		for _, list := range [][]ColorAttachment{g.Colors, g.Resolves} {
			for _, a := range list {
				if a.Buffer == b {
					return false
				}
			}
		}
		for _, bd := range q.Bindings {
			for _, o := range bd.Buffers {
				switch bd.Kind {
				case Uniform, UniformDynamic, SampledImage, CombinedImageSampler, UniformTexelBuffer:
				default:
					if o == b {
						return false
					}
				}
			}
		}
	}
	return true
}
