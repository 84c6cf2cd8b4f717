// Command vkdiff compares Chiaro with a Vulkan driver: it generates random modules with
// fully defined results (package modgen), runs them on both, and reports different buffers.
// The driver runs in a separate client, written in C, which gcc compiles against libvulkan;
// one process runs many modules and is replaced if it dies.
//
// It does not know which side is right: it reduces a difference as far as it persists, and
// prints it.
//
//	go run ./internal/tools/vkdiff -n 1000 -seed 1
//	go run ./internal/tools/vkdiff -images -n 1000 -seed 1
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"sort"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/modgen"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
)

// contest is one run of the command.
type contest struct {
	client, icd, dir string
	validator        string // path, or empty
	peer             *peer
	engines          []exec.Engine
	loud             bool
	left             int // modules that may still be made small
	crashes          int
	found            map[string]int // classes of differences
}

func main() {
	n := flag.Uint64("n", 100, "modules to run")
	seed := flag.Uint64("seed", 1, "the first seed")
	icd := flag.String("icd", "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json", "the peer's driver, a manifest of the loader")
	keep := flag.String("keep", "", "a directory for the modules that differ, made small")
	size := flag.Int("size", 60, "statements of a module")
	groups := flag.Bool("groups", false, "have group operations, in subgroups of the peer's size")
	words := flag.Bool("words", false, "have numbers of 32 bits alone, and no denormals, for peers without others")
	reduced := flag.Int("reduce", 5, "how many modules that differ are made small")
	loud := flag.Bool("loud", false, "show what the driver says")
	images := flag.Bool("images", false, "compare what is sampled from random images through random samplers")
	show := flag.Int("show", 3, "how many differences of images are printed")
	op := flag.String("op", "", "images: ask for this alone: lod, grad, gather, fetch, dref, drefgather, proj, aniso or chroma")
	flag.Parse()
	if *images {
		if err := compareImages(*n, *seed, *icd, *loud, *show, *op); err != nil {
			fmt.Fprintln(os.Stderr, "vkdiff:", err)
			os.Exit(1)
		}
		return
	}
	o := modgen.Options{Peers: true, Size: *size, Subgroups: *groups, Words: *words, Flush: *words}
	if err := compareAll(*n, *seed, *icd, *keep, *reduced, *loud, o); err != nil {
		fmt.Fprintln(os.Stderr, "vkdiff:", err)
		os.Exit(1)
	}
}

// scratch makes a directory for the run; done removes it.
func scratch() (dir string, done func(), err error) {
	dir, err = os.MkdirTemp("", "vkdiff")
	return dir, func() { os.RemoveAll(dir) }, err
}

func compareAll(n, seed uint64, icd, keep string, reduced int, loud bool, o modgen.Options) error {
	dir, done, err := scratch()
	if err != nil {
		return err
	}
	defer done()
	client, err := build(dir, icd, "client")
	if err != nil {
		return err
	}
	c := &contest{client: client, icd: icd, dir: dir, loud: loud, left: reduced, engines: []exec.Engine{interp.Engine{}, jit.Engine{}}, found: map[string]int{}}
	if c.validator, err = osexec.LookPath("spirv-val"); err != nil {
		fmt.Println("spirv-val is missing (Debian: spirv-tools): modules are not checked")
	}
	if c.peer, err = start(client, icd, loud); err != nil {
		return err
	}
	defer func() { c.peer.Stop() }()
	fmt.Printf("peer: %s, subgroups of %d, operations %#x\n", c.peer.device, c.peer.size, c.peer.groups)
	o.Subgroup, o.Groups, o.Atomics64 = int(c.peer.size), c.peer.groups, c.peer.wide == 1 && !o.Words
	for i := range n {
		if err := c.one(seed+i, modgen.New(seed+i, o), keep); err != nil {
			return fmt.Errorf("seed %d: %w", seed+i, err)
		}
		if (i+1)%500 == 0 {
			fmt.Printf("%d modules\n", i+1)
		}
	}
	fmt.Printf("%d modules, the peer died %d times\n", n, c.crashes)
	var classes []string
	for k := range c.found {
		classes = append(classes, k)
	}
	sort.Strings(classes)
	for _, k := range classes {
		fmt.Printf("%6d %s\n", c.found[k], k)
	}
	return nil
}

// one compares a module, and reduces it if the results differ.
func (c *contest) one(seed uint64, m *modgen.Module, keep string) error {
	words, err := m.Words()
	if err != nil {
		return err
	}
	what := c.differs(m)
	if what == "" && seed%16 != 0 {
		return nil
	}
	if err := c.legal(words); err != nil || what == "" {
		return err
	}
	fmt.Printf("seed %d: %s\n", seed, what)
	c.found[kindOf(what)]++
	if keep == "" || strings.HasPrefix(what, "peer died") {
		return nil
	}
	small := m
	if c.left--; c.left >= 0 {
		small = c.reduce(*m, kindOf(what))
	}
	if err := os.MkdirAll(keep, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(keep, fmt.Sprintf("%d.spvasm", seed)), []byte("; "+c.differs(small)+"\n"+small.Text), 0o644)
}

// legal runs the validator.
func (c *contest) legal(words []uint32) error {
	if c.validator == "" {
		return nil
	}
	name := filepath.Join(c.dir, "m.spv")
	if err := os.WriteFile(name, asm.Bytes(words), 0o600); err != nil {
		return err
	}
	out, err := osexec.Command(c.validator, "--target-env", "vulkan1.2", name).CombinedOutput()
	if err != nil {
		return fmt.Errorf("spirv-val: %s", out)
	}
	return nil
}

// kindOf returns the common part of the differences of one kind.
func kindOf(what string) string {
	s, _, _ := strings.Cut(what, ":")
	return s
}

// differs describes the difference between the two results; "" means none.
func (c *contest) differs(m *modgen.Module) string {
	words, err := m.Words()
	if err != nil {
		return "not assembled: " + err.Error()
	}
	var want [][]byte
	for _, e := range c.engines {
		list, err := ours(e, m, words, c.peer.size)
		if err != nil {
			return "ours: " + e.Name() + ": " + err.Error()
		}
		if what := difference(m, want, list); want != nil && what != "" {
			return "engines: " + what
		}
		want = list
	}
	got, err := c.peer.run(m, words)
	var no refused
	if errors.As(err, &no) {
		return "peer refuses: " + err.Error()
	}
	if err != nil {
		c.crashes++
		c.peer.Stop()
		if c.peer, err = start(c.client, c.icd, c.loud); err != nil {
			return "peer does not start: " + err.Error()
		}
		return "peer died"
	}
	return difference(m, want, got)
}

// difference describes the first difference between buffers.
func difference(m *modgen.Module, want, got [][]byte) string {
	for i, b := range m.Buffers {
		if want == nil {
			break
		}
		if at := firstDifference(want[i], got[i]); at >= 0 {
			return fmt.Sprintf("buffer %d: byte %d: ours %x, the other's %x", b.Binding, at, want[i][at:at+4], got[i][at:at+4])
		}
	}
	return ""
}

// firstDifference returns the first byte of the first word that differs, or −1.
func firstDifference(a, b []byte) int {
	for i := 0; i < len(a); i += 4 {
		if !bytes.Equal(a[i:i+4], b[i:i+4]) {
			return i
		}
	}
	return -1
}
