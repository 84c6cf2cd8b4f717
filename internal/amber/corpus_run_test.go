package amber

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// corpusSPIRV is the archive of the scripts' shaders as SPIR-V.
const corpusSPIRV = "../../../shared/corpus/amber/dev-spirv.tar.xz"

// readySPIRV unpacks the compute shaders of the archive and returns their
// folder.
func readySPIRV(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range archive(t, corpusSPIRV) {
		if !strings.HasSuffix(name, ".comp.spv") {
			continue
		}
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// unsound are the scripts with expectations that cannot hold (docs/differences.md).
var unsound = map[string]bool{
	"cts/external/vulkancts/data/vulkan/amber/texture/multisample/atomic/storage_image_r64i.amber":  true,
	"cts/external/vulkancts/data/vulkan/amber/texture/multisample/atomic/storage_image_r64ui.amber": true,
}

// multisampled reports whether a script's image has several samples: drivers do not export
// the contents of such an image.
func multisampled(t *testing.T, files map[string][]byte, script, name string) bool {
	t.Helper()
	s, err := parseIn(files, script)
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(s.Buffers, func(b *Buffer) bool { return b.Name == name && b.Image != nil && b.Image.Samples > 1 })
}

// TestCorpusRuns runs the scripts that have only compute pipelines, on both engines: a
// script passes as on other drivers, or needs a missing feature; the buffers have the same
// contents as on other drivers, and the engines agree. CHIARO_LONG runs them in every way to make pipelines, too.
func TestCorpusRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: runs some hundred scripts on both engines")
	}
	files := corpus(t)
	dir := readySPIRV(t)
	want := map[string]map[string]string{}
	for _, r := range rows(files, "GOLDEN.tsv") {
		if want[r["path"]] == nil {
			want[r["path"]] = map[string]string{}
		}
		want[r["path"]][r["buffer"]] = r["sha256"]
	}
	count := map[Status]int{}
	compiled := 0
	for _, row := range rows(files, "RESULTS.tsv") {
		kind, _, _ := strings.Cut(row["pipelines"], ":")
		if kind != "compute" {
			continue
		}
		o := Options{Timeout: time.Minute, SpirvDir: dir, Digest: true}
		o.TargetEnv, _ = strings.CutPrefix(row["compile_option"], "-t ")
		if o.TargetEnv == "default" {
			o.TargetEnv = ""
		}
		r := runIn(t, files, row["path"], interp.Engine{}, o)
		count[r.Status]++
		if r.Status != Pass && r.Status != NotSupported && !unsound[row["path"]] {
			t.Errorf("%s: %s %s", row["path"], r.Status, r.Message)
		}
		for b, sum := range want[row["path"]] {
			if got, declared := r.Digests[b]; r.Status == Pass && declared && got != sum && !multisampled(t, files, row["path"], b) {
				t.Errorf("%s: buffer %s differs", row["path"], b)
			}
		}
		for _, level := range jit.Levels() {
			j := runIn(t, files, row["path"], jit.Engine{Level: level}, o)
			if j.Status == NotSupported || r.Status == NotSupported {
				continue
			}
			compiled++
			if j.Status != r.Status || !maps.Equal(j.Digests, r.Digests) {
				t.Errorf("%s: the engines differ: interp %s, jit %s %s %s", row["path"], r.Status, level, j.Status, j.Message)
			}
		}
		if os.Getenv("CHIARO_LONG") == "" {
			continue
		}
		for way := Libraries; way <= LinkedObjects; way++ {
			o := o
			o.Way = way
			engines := bothEngines()
			x := runIn(t, files, row["path"], engines[len(engines)-1], o)
			if x.Status != r.Status || !maps.Equal(x.Digests, r.Digests) {
				t.Errorf("%s, way %d: %s %s; pipelines: %s", row["path"], way, x.Status, x.Message, r.Status)
			}
		}
	}
	t.Logf("%v, %d compiled too", count, compiled)
}

func runIn(t *testing.T, files map[string][]byte, name string, e exec.Engine, o Options) Result {
	t.Helper()
	s, err := parseIn(files, name)
	if err != nil {
		return Result{Status: Failed, Message: err.Error()}
	}
	o.Engine = e
	return Run(context.Background(), s, o)
}
