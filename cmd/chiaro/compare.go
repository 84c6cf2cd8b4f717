package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/chiaro-gpu/chiaro/internal/oracle"
	"github.com/chiaro-gpu/chiaro/internal/plain"
	"github.com/chiaro-gpu/chiaro/vk"
)

func newCompare(c console) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "compare SHADER|SCRIPT RESULT...",
		Short: "Judge the results of devices by the values that Vulkan permits",
		Long: `Judge results of a compute shader, of chiaro or of a device, by the values that Vulkan permits for each number of its buffers
(docs/allowed.md). A result is a JSON file as chiaro run --format json writes it: {"buffers": {"NAME": ["1.5", …]}}. The flags that
describe the dispatch are the same as for run. Several results are also compared with the first; a difference is a fault only if a
value is not permitted. The list of such values begins with the first instruction of the shader that computed one.

The results of a script are its pictures: files as chiaro run -b writes them, with the name of a picture and its bytes in hexadecimal.

` + shaderHelp[:strings.Index(shaderHelp, "\n\n--out")],
		Example: "  chiaro run saxpy.comp --groups 1 --buffer x=float:1,2 --buffer y='float*2' --format json > chiaro.json\n  chiaro compare saxpy.comp --groups 1 --buffer x=float:1,2 --buffer y='float*2' chiaro.json device.json",
		Args:    cobra.MinimumNArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			return limited(0, func(ctx context.Context) error { return compare(ctx, c, &f, args[0], args[1:]) })
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.opts.TargetEnv, "target-env", "", "target environment of shaders without one, such as vulkan1.1")
	fl.StringVar(&f.format, "format", "text", "output format: text, json")
	fl.StringArrayVarP(&f.dump.buffers, "buffer", "b", nil, "content of a buffer: BINDING=CONTENT; repeatable")
	fl.DurationVar(&f.opts.Timeout, "timeout", 60*time.Second, "time limit; 0 for none")
	fl.Uint32Var(&f.pipeline.subgroup, "subgroup-size", 0, "subgroup size of the devices; the invocations of a subgroup have consecutive local indices; 0 for any")
	fl.StringArrayVar(&f.pipeline.robustness, "robustness", nil, "robustness of the devices outside of buffers, as for run; without a flag for a buffer such accesses permit any result")
	outsideFlag(fl, &f.allowOutside)
	f.shader.add(cmd)
	complete(cmd, "format", "text", "json")
	complete(cmd, "target-env", "vulkan1.0", "vulkan1.1", "vulkan1.2", "vulkan1.3", "vulkan1.4")
	return cmd
}

// compare judges results.
func compare(ctx context.Context, c console, f *runFlags, file string, results []string) error {
	if f.format != "text" && f.format != "json" {
		return unreadable("--format %q; want text or json", f.format)
	}
	if err := f.pipeline.checkSubgroup(); err != nil {
		return err
	}
	if endsAsScript(file) {
		sources, done := openSources()
		defer done()
		f.opts.Compiler.Cache = sources
		return compareScript(ctx, c, f, file, results)
	}
	if !isShader(file) {
		return unreadable("%s: want a script, or a compute shader: a module, assembly or a source", file)
	}
	job, err := readShader(ctx, c, f, file)
	if err != nil {
		return err
	}
	if job.addressed() || f.shader.indirect != "" {
		return unreadable("compare with device addresses or --indirect; want buffers and --groups")
	}
	if err := job.collectPush(); err != nil {
		return unreadable("%v", err)
	}
	p, err := newPermission(job, &f.pipeline)
	if err != nil {
		return err
	}
	if err := p.within(ctx, f.opts.Timeout); err != nil {
		return err
	}
	report := comparison{File: file, Undecided: p.undecided()}
	var first map[oracle.Place][]byte
	for i, name := range results {
		contents, err := p.read(c, name)
		if err != nil {
			return err
		}
		r := judgedResult{File: name, Violations: p.violations(contents)}
		if i == 0 {
			first = contents
		} else {
			r.Differences = p.differences(first, contents)
		}
		report.Results = append(report.Results, r)
	}
	return report.write(c, f.format)
}

// comparison is the output of compare, as JSON.
type comparison struct {
	File      string         `json:"file"`
	Undecided string         `json:"undecided,omitempty"`
	Results   []judgedResult `json:"results"`
}

// judgedResult is a result of a device.
type judgedResult struct {
	File        string            `json:"file"`
	Violations  []violationRecord `json:"violations,omitempty"`
	Differences int               `json:"differences,omitempty"` // numbers that differ from the first result
}

// write writes the verdicts.
func (x *comparison) write(c console, format string) error {
	wrong := slices.ContainsFunc(x.Results, func(r judgedResult) bool { return len(r.Violations) > 0 })
	if format == "json" {
		if err := writeJSON(c.out, x); err != nil {
			return err
		}
	} else {
		x.text(c)
	}
	if wrong {
		return &coded{code: exitFindings}
	}
	return nil
}

func (x *comparison) text(c console) {
	for note := range strings.SplitSeq(x.Undecided, "\n") {
		if note == "" {
			continue
		}
		plain.Fprintf(c.out, "%s\n", note)
	}
	for _, r := range x.Results {
		differs := ""
		if r.Differences > 0 {
			verb := "differ"
			if r.Differences == 1 {
				verb = "differs"
			}
			differs = fmt.Sprintf(", %s %s from %s", number(r.Differences, "number"), verb, x.Results[0].File)
		}
		if len(r.Violations) == 0 {
			plain.Fprintf(c.out, "%s: permitted%s\n", r.File, differs)
			continue
		}
		plain.Fprintf(c.out, "%s: not permitted: %s%s\n", r.File, plain.Safe(number(len(r.Violations), "number")), differs)
		for i := range r.Violations {
			if i == maxValues {
				plain.Fprintf(c.out, "\t…\n")
				break
			}
			plain.Fprintf(c.out, "\t%s\n", r.Violations[i].String())
		}
	}
}

// read reads a result: the values of buffers by name. Buffers without values are as before the dispatch.
func (p *permission) read(c console, name string) (map[oracle.Place][]byte, error) {
	data, err := readInput(c, name)
	if err != nil {
		return nil, err
	}
	var result struct {
		Buffers map[string][]string `json:"buffers"`
	}
	if err := json.Unmarshal(data, &result); err != nil {
		return nil, unreadable("%s: %v; want JSON as chiaro run --format json writes it", name, err)
	}
	if len(result.Buffers) == 0 {
		return nil, unreadable(`%s: no buffers; want {"buffers": {"NAME": ["1.5", …]}}`, name)
	}
	contents := map[oracle.Place][]byte{}
	for _, buffer := range slices.Sorted(maps.Keys(result.Buffers)) {
		values := result.Buffers[buffer]
		r, err := p.job.find(name+": buffer", buffer)
		if err != nil {
			return nil, err
		}
		x, ok := p.job.buffers[vk.SetBinding{Set: r.Set, Binding: r.Binding}]
		if !ok {
			return nil, unreadable("%s: the binding %s has no buffer", name, buffer)
		}
		at := oracle.Place{Set: r.Set, Binding: r.Binding}
		if _, twice := contents[at]; twice {
			return nil, unreadable("%s: buffer %s is there twice, by its name and by its binding; must be there once", name, buffer)
		}
		if n := len(x.data) / x.kind.size; len(values) != n {
			return nil, unreadable("%s: buffer %s has %d values; want %d, as --buffer says", name, buffer, len(values), n)
		}
		var b []byte
		for _, v := range values {
			if b, err = x.kind.append(b, v); err != nil {
				return nil, unreadable("%s: buffer %s: %v", name, buffer, err)
			}
		}
		contents[at] = b
	}
	return contents, nil
}

// differences counts the numbers that differ.
func (p *permission) differences(a, b map[oracle.Place][]byte) (n int) {
	for at, x := range a {
		size := p.kind(at).size
		y := b[at]
		for k := 0; k+size <= min(len(x), len(y)); k += size {
			if !slices.Equal(x[k:k+size], y[k:k+size]) {
				n++
			}
		}
	}
	return n
}
