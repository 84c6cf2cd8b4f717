package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// foundCase is a command on a file of ../shared/found. In its arguments @ is that folder and T a folder of the test.
type foundCase struct {
	needs string // a program
	args  string
	code  int
	want  string // a regular expression for what it prints; empty is nothing to look for
}

var foundCases = []foundCase{
	{"spirv-as", "check T/c35.pipeline.yaml", exitFindings, `b3 is at set 0 binding 3(?s:.*)b4 is at set 0 binding 4(?s:.*)VUID-VkComputePipelineCreateInfo-layout-07988`},
	{"spirv-as", "check --reading 1.1 T/c35.pipeline.yaml", 0, `clean 1`},
	{"", "check @/dyn.frag.spv", 0, `warning: .*SampledImageArrayDynamicIndexing-10128`},
	{"", "check @/i.vert.spv @/n.vert.spv @/sub.frag.spv", 0, `clean 3`},
	{"", "check --profile min1.4 @/szp.spvasm", 0, `clean 1`},
	{"glslang", "check --profile min @/sh2.comp", exitFindings, `21840 bytes; must be at most maxComputeSharedMemorySize, 16384 .VUID-RuntimeSpirv-Workgroup-06530`},
	{"glslang", "run @/sh2.comp --buffer 0=uint*4", 0, `^B: 1 0 0 0`},
	{"glslang", "run @/fmt.amber", exitUsage, `R8G8B8A8_UNORM; the shader declares R32f, that is R32_SFLOAT`},
	{"", "run @/pc0.amber", exitUsage, `patches of 0 control points.*VUID-VkPipelineTessellationStateCreateInfo-patchControlPoints-01214`},
	{"glslang", "run --sanitize=bounds @/g04.amber", exitFindings, `a load of 4 bytes at offset 20, beyond the 20 bytes of the descriptor in set 0, binding 0`},
	{"glslang", "run --sanitize=interface @/io.amber", exitFindings, `reads Location 0, component 0, which the vertex shader does not write`},
	{"glslang", "run --sanitize=uniform @/l03.amber", exitFindings, `a derivative that not all invocations of the quad reach`},
	{"glslang", "check @/nonuni.amber", exitFindings, `UniformBufferArrayNonUniformIndexing-10134`},
	{"glslang", "run --sanitize=uniform @/nonuni.amber", exitFindings, `VUID-RuntimeSpirv-subgroupSize-10149`},
	{"", "run --sanitize=undefined @/undef.amber", exitFindings, `division of 7 by 0(?s:.*)shift of 32 bits by 40(?s:.*)OpSRem`},
	{"xz", "check T/chain8000.spv", 0, `clean 1`},
	{"xz", "run T/chain8000.spv", 0, ``},
	{"", "check @/hostile/evil.spvasm", exitFindings, `SPV-Interface-Listed`},
	{"", "check --format github @/hostile/evil.spvasm", exitFindings, `SPV-Interface-Listed`},
	{"", "run @/hostile/file.amber", exitUsage, `outside the script's folder`},
	{"", "run @/hostile/spin.amber", exitFindings, `budget of [0-9]+ steps exhausted`},
	{"", "run @/hostile/spin.spv", exitFindings, `budget of [0-9]+ steps exhausted`},
	{"glslang", "check @/hostile/jit_subgroup4.comp", 0, `clean 1`},
	{"glslang", "check @/wild/h.comp @/wild/tx_fetch.comp @/wild/tx_gather.comp @/wild/tx_gather1.comp @/wild/tx_lod.comp", 0, `clean 5`},
	{"glslang", "run @/wild/clamp.comp --push float:0 --buffer 0=float*8", 0, `^O: 0 1 1 0.5 0.5 NaN 0 0.25`}, // the number, where one operand is a NaN
}

// packages are the Debian packages of the programs that cases need.
var packages = map[string]string{"glslang": "glslang-tools", "xz": "xz-utils", "spirv-as": "spirv-tools"}

// TestFoundRuns runs the commands that once had a wrong answer on the scripts, sources and modules of ../shared/found.
func TestFoundRuns(t *testing.T) {
	dir, err := filepath.Abs("../../../shared/found")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		t.Skip("this test needs the optional case files in ../shared/found, which are not part of the repository")
	}
	made := t.TempDir()
	has := map[string]bool{"": true, "glslang": hasProgram("glslangValidator")}
	has["xz"] = makeFile(t, filepath.Join(made, "chain8000.spv"), "xz", "-dc", filepath.Join(dir, "hostile/chain8000.spv.xz"))
	has["spirv-as"] = makeFile(t, filepath.Join(made, "c35.spv"), "spirv-as", "--target-env", "spv1.6", "-o", "-", filepath.Join(dir, "c35.spvasm"))
	text, err := os.ReadFile(filepath.Join(dir, "c35.pipeline.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(made, "c35.pipeline.yaml"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range foundCases {
		t.Run(c.args, func(t *testing.T) {
			if !has[c.needs] {
				t.Skipf("this case needs a program of the Debian package %s, which is not on the PATH", packages[c.needs])
			}
			args := strings.Fields(c.args)
			for i, a := range args {
				if a, ok := strings.CutPrefix(a, "@/"); ok {
					args[i] = filepath.Join(dir, a)
				} else if a, ok := strings.CutPrefix(args[i], "T/"); ok {
					args[i] = filepath.Join(made, a)
				}
			}
			var out bytes.Buffer
			code := run(args, console{strings.NewReader(""), &out, &out, new(lastInput), nil})
			if found := regexp.MustCompile(c.want).Match(out.Bytes()); code != c.code || !found {
				t.Errorf("code %d; must be %d, and %q in:\n%s", code, c.code, c.want, &out)
			}
			if bytes.ContainsRune(out.Bytes(), 0x1B) || bytes.Contains(out.Bytes(), []byte("\n::set-output")) {
				t.Errorf("control characters or commands of the input:\n%q", out.Bytes())
			}
		})
	}
}

func hasProgram(name string) bool {
	_, err := exec.LookPath(name)
	return err == nil
}

// makeFile writes what a program prints to a file, and reports whether the program exists.
func makeFile(t *testing.T, file, program string, args ...string) bool {
	t.Helper()
	if !hasProgram(program) {
		return false
	}
	b, err := exec.Command(program, args...).Output()
	if err == nil {
		err = os.WriteFile(file, b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return true
}
