// Command precision measures the precision of each floating-point instruction, at every
// width that it has: it runs the instruction through the engines, and compares with
// math/big. It stores its results in measured.tsv, and writes docs/precision.md from them;
// a test fails if the two differ, or if a figure is worse than Vulkan allows.
//
//	go run ./internal/tools/precision -measure '^(Sin|Cos)$' -every 1
//	go run ./internal/tools/precision -write
//
// It does not depend on the implementation of the instructions: the definitions in table.go
// are from the specification.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

func main() {
	pattern := flag.String("measure", "", "measure the instructions whose names match")
	every := flag.Uint64("every", 16, "for 32-bit functions of one operand, run one block in N; 1 is all 2³² numbers")
	n := flag.Int("n", 1<<17, "number of operands to compare with exact arithmetic; for 16 bits all numbers if it is at least 2¹⁶")
	engine := flag.String("engine", "jit", "jit or interp")
	dir := flag.String("dir", "internal/tools/precision", "directory of measured.tsv")
	doc := flag.String("doc", "docs/precision.md", "file that -write writes")
	write := flag.Bool("write", false, "write the document")
	flag.Parse()
	err := measureAll(*pattern, *every, *n, *engine, filepath.Join(*dir, "measured.tsv"))
	if err == nil && *write {
		err = writeDocument(filepath.Join(*dir, "measured.tsv"), *doc)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "precision:", err)
		os.Exit(1)
	}
}

func measureAll(pattern string, every uint64, n int, engine, file string) error {
	if pattern == "" {
		return nil
	}
	match, err := regexp.Compile(pattern)
	if err != nil {
		return err
	}
	e := exec.Engine(jit.Engine{})
	if engine == "interp" {
		e = interp.Engine{}
	}
	for _, i := range instructions() {
		if !match.MatchString(i.name) {
			continue
		}
		for _, w := range i.Widths() {
			start := time.Now()
			f, err := measure(e, &i, w, every, n)
			if err != nil {
				return fmt.Errorf("%s of %d bits: %w", i.name, w, err)
			}
			fmt.Printf("%-20s %2d bits: %s, %s ULP at %s, %s of the allowed (%v)\n", i.name, w, f.tried, short(f.usual), f.at, short(f.share), time.Since(start).Round(time.Millisecond))
			if err := record(file, *f); err != nil {
				return err
			}
		}
	}
	return nil
}

// measure measures one instruction at one width.
func measure(e exec.Engine, i *instruction, width int, every uint64, n int) (*figure, error) {
	k, err := compile(e, i, width)
	if err != nil {
		return nil, err
	}
	defer k.prog.Close()
	f := &figure{name: i.name, width: width}
	if err := sampled(k, i, f, n); err != nil {
		return nil, err
	}
	if width == 32 && i.fast != nil && i.To == 0 && every > 0 {
		err = everything(k, i, f, every)
	}
	return f, err
}
