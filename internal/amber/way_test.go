package amber

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// objectless are the scripts whose state Vulkan does not have with shader objects, and words of their error.
var objectless = map[string]string{
	"sampleshading": "SAMPLE_SHADING with shader objects", "multiview": "VIEW_MASK with shader objects (VUID-vkCmdDraw-None-10772)",
	"mesh_nv_views": "VIEW_MASK with shader objects (VUID-vkCmdDraw-None-10772)", "mesh_views": "VIEW_MASK with shader objects (VUID-vkCmdDraw-None-10772)",
	"robustness": "shader objects with a robustness of their own",
	"cluster":    "shader objects of the stage cluster_culling",
}

// TestWays runs scripts through pipelines that are made in every way, and through shader objects: they pass with the same
// contents of all buffers, except for those that shader objects cannot run. CHIARO_LONG has all scripts.
func TestWays(t *testing.T) {
	files := []string{"dispatch", "state", "fixedstate", "feedback", "blend", "sampleshading", "multiview", "robustness"}
	for i, name := range files {
		files[i] = "testdata/" + name + ".amber"
	}
	if os.Getenv("CHIARO_LONG") != "" {
		files = nil
		for _, pattern := range []string{"testdata/*.amber", "../../examples/*.amber"} {
			list, err := filepath.Glob(pattern)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, list...)
		}
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".amber")
		engines := bothEngines()
		e := engines[0]
		if strings.Contains(file, "examples") { // whole pictures
			e = engines[len(engines)-1]
		}
		var want map[string]string
		for way := Whole; way <= LinkedObjects; way++ {
			s, err := Load(file)
			if err != nil {
				t.Fatal(err)
			}
			r := Run(context.Background(), s, Options{Engine: e, Digest: true, Way: way})
			if words, ok := objectless[name]; ok && way.Objects() {
				if r.Status != NotSupported || !strings.Contains(r.Message, words) {
					t.Errorf("%s, way %d: %s: %s; want unsupported %q", name, way, r.Status, r.Message, words)
				}
				continue
			}
			if r.Status != Pass {
				t.Errorf("%s, way %d: %s: %s", name, way, r.Status, r.Message)
			}
			if want == nil {
				want = r.Digests
			}
			if !maps.Equal(r.Digests, want) {
				t.Errorf("%s, way %d: other contents", name, way)
			}
		}
	}
}
