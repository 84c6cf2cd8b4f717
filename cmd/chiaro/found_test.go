package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestFound checks modules and pipelines that once had a wrong verdict: the findings that the specification requires, and
// none for valid modules.
func TestFound(t *testing.T) {
	dir, err := filepath.Abs("../../../shared/found")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		t.Skip("the modules and pipelines of ../shared/found are absent")
	}
	for _, c := range []struct {
		file, profile string
		want          []string // severity and code
	}{
		{"A09-store-to-nonwritable.spvasm", "", []string{"error SPV-Store-NonWritable"}},
		{"A11-dup-switch-literal.spvasm", "", []string{"error SPV-Switch-Literal"}},
		{"A12-patch-frag-input.spvasm", "", []string{"error SPV-Interpolation-Patch"}},
		{"BindlessImagesINTEL.spv", "", []string{"error VUID-VkShaderModuleCreateInfo-pCode-08739", "error VUID-VkShaderModuleCreateInfo-pCode-08741"}},
		{"C01-two-builtin-blocks.spvasm", "", []string{"error SPV-Interface-BuiltInBlock"}},
		{"C02-image-output.spvasm", "", []string{"error SPV-Interface-Numeric"}},
		{"C02-sampler-io.spvasm", "", []string{"error SPV-Interface-Numeric"}},
		{"C05-frag-out-type-mix.spvasm", "", []string{"error SPV-Interface-OutputKind"}},
		{"C11-double-output.spvasm", "", []string{"warning SPV-Interface-OutputWidth"}}, // no function writes it
		{"C11-int64-output.spvasm", "", []string{"warning SPV-Interface-OutputWidth"}},
		{"C16-arr-overlap.spvasm", "", []string{"error VUID-StandaloneSpirv-TileImageEXT-08723"}},
		{"C16-overlap.spvasm", "", []string{"error VUID-StandaloneSpirv-TileImageEXT-08723"}},
		{"C17-index-on-sampled.spvasm", "", []string{"error SPV-Interface-InputAttachment"}},
		{"C22-ubo-too-big-used.spvasm", "min", []string{"error SPV-Block-UniformRange"}},
		{"C24-dyn-nocap.spvasm", "", []string{"warning VUID-StandaloneSpirv-SampledImageArrayDynamicIndexing-10128"}},
		{"C28-2d-array-used.spvasm", "", []string{"error VUID-StandaloneSpirv-UniformConstant-04655"}},
		{"C28-set-limit-min.spvasm", "min", []string{"error SPV-DescriptorSet-Bound"}},
		{"C34-mat-pad.spvasm", "", []string{"error SPV-Block-Overlap"}},
		{"be_clean.spv", "", []string{"error SPV-Header-ByteOrder"}},
		{"grp.spvasm", "", []string{"error SPV-NonUniform-Cluster", "warning SPV-NonUniform-ClusterSize"}},
		{"sub_dup_same_aspect.pipeline.yaml", "", []string{"error VUID-RuntimeSpirv-OpEntryPoint-08727"}},
		{"subsampled_dyn.pipeline.yaml", "", []string{"error SPV-Subsampled-Index", "warning VUID-StandaloneSpirv-SampledImageArrayDynamicIndexing-10128"}},
		{"x01_SPV_KHR_no_such_thing.spv", "", []string{"error VUID-VkShaderModuleCreateInfo-pCode-08741"}},
		{"wild/fp4.spvasm", "", nil},
		{"wild/noscope.spvasm", "", nil},
		{"wild/ok.spvasm", "", nil},
		{"wild/specextract.spvasm", "", nil},
		{"wild/specselect.spvasm", "", nil},
		{"hostile/jit_subgroup4.spvasm", "", nil},
	} {
		t.Run(c.file, func(t *testing.T) {
			f := checkFlags{format: "json", targetEnv: "vulkan1.4", jobs: 1, noCache: true}
			if c.profile != "" {
				f.profiles = []string{c.profile}
			}
			var out, errs bytes.Buffer
			_ = checkFiles(console{out: &out, err: &errs}, f, []string{filepath.Join(dir, c.file)}) // findings are an exit code
			var report struct {
				Files []struct {
					Verdict  string
					Findings []struct{ Code, Severity string }
				}
			}
			if err := json.Unmarshal(out.Bytes(), &report); err != nil || len(report.Files) != 1 {
				t.Fatalf("%v\n%s%s", err, out.String(), errs.String())
			}
			var got []string
			for _, x := range report.Files[0].Findings {
				got = append(got, x.Severity+" "+x.Code)
			}
			slices.Sort(got)
			if got = slices.Compact(got); !slices.Equal(got, c.want) {
				t.Errorf("verdict %s, findings %q; want %q", report.Files[0].Verdict, got, c.want)
			}
		})
	}
}
