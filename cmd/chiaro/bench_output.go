package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/plain"
)

// print writes the report in a format that exists.
func (r *benchReport) print(c console, format string) error {
	if format == "json" {
		return json.NewEncoder(c.out).Encode(r)
	}
	what := fmt.Sprintf("%s on %s", r.Name, r.Device)
	if r.Level != "interp" {
		what += " " + r.Level
	}
	plain.Fprintf(c.out, "%s: %d invocations in subgroups of %d, threads: %d\n", what, r.Invocations, r.Subgroup, r.Threads)
	if r.ordered {
		fmt.Fprintln(c.out, "workgroups run in order, on one thread: the result depends on the order of atomics")
	}
	t := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\twall\tprocessor\t")
	row := func(name string, wall, cpu float64) {
		plain.Fprintf(t, "%s\t%s\t%s\t\n", name, duration(wall), duration(cpu))
	}
	row("compile", r.Pipe, r.CPUPipe)
	row("again, cached", r.Cached, r.CPUCached)
	row("first dispatch", r.First, r.CPUFirst)
	row("median", r.Med, r.CPUMed)
	row("least", r.Min, r.CPUMin)
	if err := t.Flush(); err != nil {
		return err
	}
	rate := ""
	if r.Med > 0 {
		rate = fmt.Sprintf(", %s invocations a second", quantity(float64(r.Invocations)/r.Med*1e3))
	}
	if _, err := plain.Fprintf(c.out, "%d dispatches%s, exits to Go in each: %d\n", r.N*r.K, rate, r.Exits); err != nil || r.Statistics == nil {
		return err
	}
	return r.Statistics.print(c)
}

// duration writes milliseconds with a unit that suits.
func duration(ms float64) string {
	switch {
	case ms < 1:
		return fmt.Sprintf("%.1f µs", ms*1e3)
	case ms < 1e3:
		return fmt.Sprintf("%.2f ms", ms)
	}
	return fmt.Sprintf("%.2f s", ms/1e3)
}

// quantity writes a number with three digits and a prefix of the SI.
func quantity(n float64) string {
	for _, x := range []struct {
		unit string
		of   float64
	}{{" G", 1e9}, {" M", 1e6}, {" k", 1e3}} {
		if n >= x.of {
			return fmt.Sprintf("%.3g%s", n/x.of, x.unit)
		}
	}
	return fmt.Sprintf("%.3g", n)
}

// binding reads BINDING=FILE of a flag.
func binding(flag, s string, buffers []contents) (data []byte, file string, err error) {
	number, file, ok := strings.Cut(s, "=")
	i, err := parseUint(number, 32)
	if !ok || err != nil || i >= uint64(len(buffers)) {
		return nil, "", unreadable("%s %q; want BINDING=FILE with the binding of a buffer", flag, s)
	}
	data, err = buffers[i]()
	return data, file, err
}

// writeDumps writes the buffers that -d names.
func (f *benchFlags) writeDumps(c console, buffers []contents) error {
	if n := countOf(f.dumps, dumpsToStandard); n > 1 {
		return unreadable("%d of -d write to standard output; want one", n)
	}
	for _, d := range f.dumps {
		data, file, err := binding("-d", d, buffers)
		if err != nil {
			return err
		}
		if err := writeOutput(c, file, data); err != nil {
			return err
		}
	}
	return nil
}

// reports returns the console for reports: standard error if -d writes to standard output.
func (f *benchFlags) reports(c console) console {
	if countOf(f.dumps, dumpsToStandard) > 0 {
		c.out = c.err
	}
	return c
}

// dumpsToStandard reports whether a -d, BINDING=FILE, writes to standard output.
func dumpsToStandard(d string) bool {
	_, file, _ := strings.Cut(d, "=")
	return isStandard(file)
}

// compareBuffers compares buffers with the files of --compare and reports each
// difference on standard error.
func (f *benchFlags) compareBuffers(c console, buffers []contents) (same bool, err error) {
	same = true
	for _, x := range f.compare {
		got, file, err := binding("--compare", x, buffers)
		if err != nil {
			return false, err
		}
		want, err := readInput(c, file)
		if err != nil {
			return false, err
		}
		if bytes.Equal(got, want) {
			continue
		}
		same = false
		if len(got) != len(want) {
			plain.Fprintf(c.err, "chiaro: %s: %d bytes; the buffer has %d\n", file, len(want), len(got))
			continue
		}
		differ, first := 0, -1
		for i := range got {
			if got[i] != want[i] {
				if differ++; first < 0 {
					first = i
				}
			}
		}
		plain.Fprintf(c.err, "chiaro: %s: %d of %d bytes differ, from byte %d on: %#02x, the buffer has %#02x\n",
			file, differ, len(got), first, want[first], got[first])
	}
	return same, nil
}

// writeCode writes the machine code of programs to the file of -x.
func (f *benchFlags) writeCode(list ...exec.Program) error {
	for i, prog := range list {
		made, ok := prog.(interface{ Code() []byte })
		if f.codeFiles == "" || !ok {
			continue
		}
		if err := os.WriteFile(fmt.Sprintf("%s.%d.0.bin", f.codeFiles, i), made.Code(), 0o644); err != nil {
			return unreadable("%v", err)
		}
	}
	return nil
}
