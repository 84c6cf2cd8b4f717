// Command vkdiff compares Chiaro with a Vulkan driver: it makes modules at
// random that leave nothing open (package modgen), runs them here and there, and
// says where buffers differ. The driver runs in a client of its own, written in
// C, which gcc compiles against libvulkan; one process takes many modules, and
// another one follows where it dies.
//
// It refuses to know which side is right: a difference is reduced as far as it
// stays, and printed.
//
//	go run ./internal/tools/vkdiff -n 1000 -seed 1
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
	"github.com/chiaro-gpu/chiaro/internal/modgen"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
)

// contest is one run of the command.
type contest struct {
	client, icd, dir string
	validator        string // path, or empty
	peer             *peer
	engine           exec.Engine
	subgroup         uint32
	crashes          int
	found            map[string]int // classes of differences
}

func main() {
	n := flag.Uint64("n", 100, "modules to run")
	seed := flag.Uint64("seed", 1, "the first seed")
	icd := flag.String("icd", "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json", "the peer's driver, a manifest of the loader")
	keep := flag.String("keep", "", "a directory for the modules that differ, made small")
	size := flag.Int("size", 60, "statements of a module")
	subgroup := flag.Uint("subgroup-size", 0, "have group operations; the peer's subgroup size")
	flag.Parse()
	if err := compareAll(*n, *seed, *icd, *keep, *size, uint32(*subgroup)); err != nil {
		fmt.Fprintln(os.Stderr, "vkdiff:", err)
		os.Exit(1)
	}
}

func compareAll(n, seed uint64, icd, keep string, size int, subgroup uint32) error {
	dir, err := os.MkdirTemp("", "vkdiff")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	client, err := build(dir, icd)
	if err != nil {
		return err
	}
	c := &contest{client: client, icd: icd, dir: dir, engine: interp.Engine{}, subgroup: subgroup, found: map[string]int{}}
	if c.validator, err = osexec.LookPath("spirv-val"); err != nil {
		fmt.Println("spirv-val is missing (Debian: spirv-tools): modules are not checked")
	}
	if c.peer, err = start(client, icd); err != nil {
		return err
	}
	defer func() { c.peer.stop() }()
	fmt.Println("peer:", c.peer.device)
	o := modgen.Options{Peers: true, Size: size, Subgroups: subgroup != 0}
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

// one compares a module, and makes it small where it differs.
func (c *contest) one(seed uint64, m *modgen.Module, keep string) error {
	words, err := m.Words()
	if err != nil {
		return err
	}
	if err := c.legal(words); err != nil {
		return err
	}
	what := c.differs(m)
	if what == "" {
		return nil
	}
	fmt.Printf("seed %d: %s\n", seed, what)
	c.found[kindOf(what)]++
	if keep == "" || strings.HasPrefix(what, "peer died") {
		return nil
	}
	small := c.reduce(*m, kindOf(what))
	if err := os.MkdirAll(keep, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(keep, fmt.Sprintf("%d.spvasm", seed)), []byte("; "+c.differs(small)+"\n"+small.Text), 0o644)
}

// legal asks the validator.
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

// kindOf is what differences of one kind have in common.
func kindOf(what string) string {
	s, _, _ := strings.Cut(what, ":")
	return s
}

// differs says where the two differ; "" is nowhere.
func (c *contest) differs(m *modgen.Module) string {
	words, err := m.Words()
	if err != nil {
		return "not assembled: " + err.Error()
	}
	want, err := ours(c.engine, m, words, c.subgroup)
	if err != nil {
		return "ours: " + err.Error()
	}
	got, err := c.peer.run(m, words)
	var no refused
	if errors.As(err, &no) {
		return "peer refuses: " + err.Error()
	}
	if err != nil {
		c.crashes++
		c.peer.stop()
		if c.peer, err = start(c.client, c.icd); err != nil {
			return "peer does not start: " + err.Error()
		}
		return "peer died"
	}
	for i, b := range m.Buffers {
		if at := firstDifference(want[i], got[i]); at >= 0 {
			return fmt.Sprintf("buffer %d: byte %d: ours %x, peer's %x", b.Binding, at, want[i][at:at+4], got[i][at:at+4])
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

// reduce takes lines out of the module, or makes their values null, as long as
// the difference stays and the validator finds no fault. What keeps the places
// of invocations apart stays.
func (c *contest) reduce(m modgen.Module, kind string) *modgen.Module {
	lines := strings.Split(strings.TrimSpace(m.Text), "\n")
	try := func(i, j int, with ...string) bool {
		for _, l := range lines[i:j] {
			if strings.HasPrefix(l, "OpStore %lin") {
				return false
			}
		}
		next := append(append(append([]string(nil), lines[:i]...), with...), lines[j:]...)
		k := m
		k.Text = strings.Join(next, "\n") + "\n"
		words, err := k.Words()
		if err != nil || c.legal(words) != nil || kindOf(c.differs(&k)) != kind {
			return false
		}
		lines = next
		return true
	}
	for n := 64; n > 0; n /= 2 {
		for i := len(lines) - n; i >= 0; i -= n {
			if i+n > len(lines) || try(i, i+n) || n > 1 {
				continue
			}
			word := strings.Fields(lines[i])
			if len(word) > 4 && strings.HasPrefix(word[0], "%v") && word[2] != "OpPhi" && word[2] != "OpConstantNull" {
				try(i, i+1, word[0]+" = OpCopyObject "+word[3]+" %null_"+word[3][1:])
			}
		}
	}
	m.Text = strings.Join(lines, "\n") + "\n"
	return &m
}
