package main

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"golang.org/x/tools/txtar"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
	"github.com/chiaro-gpu/chiaro/valid"
)

// flagCase is a module and its findings under several combinations of flags.
type flagCase struct {
	env   string
	peer  string // why spirv-val finds something else
	rows  []flagRow
	words []uint32
}

// flagRow is a combination of flags and the expected rule ids, in order.
type flagRow struct {
	flags []string
	codes string
}

// TestValidatorFlags checks testdata/flags/NAME.txtar. A line "FLAGS => CODES" of the
// comment lists the expected findings: "-" means no flag, "none" no finding. The line
// "env: vulkan1.0" sets the environment, "spirv: 1.4" the module's version, and
// "peer: …" explains why spirv-val disagrees. If spirv-val is installed and knows the
// flags, it must accept and reject the same modules.
func TestValidatorFlags(t *testing.T) {
	files, err := filepath.Glob("testdata/flags/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	peer, help := "", []byte(nil)
	if p, err := exec.LookPath("spirv-val"); err == nil {
		peer = p
		help, _ = exec.Command(peer, "--help").CombinedOutput()
	}
	page, err := os.ReadFile("../../docs/spirv-val.md")
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) {
			c := readFlagCase(t, file)
			for _, r := range c.rows {
				if got := c.judge(t, r.flags); got != r.codes {
					t.Errorf("%s: finds %s; must find %s", r.flags, got, r.codes)
				}
				for _, f := range r.flags {
					used[strings.TrimPrefix(f, "--")] = true
				}
				if peer != "" && c.peer == "" && c.known(r.flags, string(help)) {
					c.compare(t, peer, r)
				}
			}
			if !strings.Contains(string(page), "`"+name+"`") {
				t.Errorf("docs/spirv-val.md does not name %s", name)
			}
		})
	}
	validatorFlags().VisitAll(func(f *pflag.Flag) {
		if !used[f.Name] && f.Name != "use-friendly-names" {
			t.Errorf("--%s has no case", f.Name)
		}
		if !strings.Contains(string(page), "`--"+f.Name) {
			t.Errorf("docs/spirv-val.md does not name --%s", f.Name)
		}
	})
}

// validatorFlags returns the flags that spirv-val has.
func validatorFlags() *pflag.FlagSet {
	fl := pflag.NewFlagSet("check", pflag.ContinueOnError)
	new(checkFlags).validatorFlags(fl)
	return fl
}

// readFlagCase reads a case.
func readFlagCase(t *testing.T, file string) *flagCase {
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	c := &flagCase{}
	version := "1.0"
	for line := range strings.Lines(string(a.Comment)) {
		line = strings.TrimSpace(line)
		if flags, codes, ok := strings.Cut(line, " => "); ok {
			r := flagRow{codes: codes}
			if flags != "-" {
				r.flags = strings.Fields(flags)
			}
			c.rows = append(c.rows, r)
			continue
		}
		switch k, v, _ := strings.Cut(line, ": "); k {
		case "env":
			c.env = v
		case "spirv":
			version = v
		case "peer":
			c.peer = v
		default:
			t.Fatalf("no such line in a case: %s", line)
		}
	}
	e, ok := valid.ParseEnv("spv" + version)
	if !ok || len(a.Files) != 1 || len(c.rows) == 0 {
		t.Fatal("must have a version of SPIR-V that there is, rows and one module")
	}
	if c.words, err = asm.Assemble(a.Files[0].Data, asm.AssembleOptions{Version: e.SPIRV}); err != nil {
		t.Fatal(err)
	}
	return c
}

// judge returns the ids of the findings of check with flags.
func (c *flagCase) judge(t *testing.T, flags []string) string {
	f := checkFlags{targetEnv: c.env}
	fl := pflag.NewFlagSet("check", pflag.ContinueOnError)
	fl.StringVar(&f.targetEnv, "target-env", c.env, "")
	f.validatorFlags(fl)
	if err := fl.Parse(flags); err != nil {
		t.Fatal(err)
	}
	env, err := f.environment()
	if err != nil {
		t.Fatal(err)
	}
	m, err := spirv.FromWords(c.words)
	if err != nil {
		t.Fatal(err)
	}
	r, err := valid.Check(context.Background(), facts.Gather(m, nil), env, f.opts)
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	for i := range r.Findings {
		codes = append(codes, r.Findings[i].Code)
	}
	if codes == nil {
		return "none"
	}
	slices.Sort(codes)
	return strings.Join(slices.Compact(codes), " ")
}

// known reports whether the help of a spirv-val speaks of all flags, and of the
// environment.
func (c *flagCase) known(flags []string, help string) bool {
	env := c.env
	for n, f := range flags {
		if strings.HasPrefix(f, "--") && !strings.Contains(help, f+" ") {
			return false
		}
		if f == "--target-env" && n+1 < len(flags) {
			env = flags[n+1]
		}
	}
	return slices.Contains(strings.FieldsFunc(help, func(r rune) bool { return strings.ContainsRune("{}| \n", r) }), env)
}

// compare demands that spirv-val accepts or rejects as a row does.
func (c *flagCase) compare(t *testing.T, peer string, r flagRow) {
	file := filepath.Join(t.TempDir(), "m.spv")
	data, err := binary.Append(nil, binary.LittleEndian, c.words)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(peer, append(append([]string{"--target-env", c.env}, r.flags...), file)...).CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if (err == nil) != (r.codes == "none") {
		t.Errorf("%s: spirv-val says %q; the case says %s", r.flags, out, r.codes)
	}
}
