// Command vvl compares the findings of Chiaro in pipelines with the findings of Vulkan's
// validation layers. It generates random pipelines that satisfy every rule, breaks most of
// them in one place (breaks.go), and checks each with both: Chiaro reads an archive as
// Fossilize records it, for the device as vulkaninfo describes it; the layers run over a
// driver, in a separate client, written in C++, which g++ compiles against libvulkan.
//
// They agree on a pipeline if both find an error or neither does. The command does not know
// which side is right: it counts differences by the broken rule and by the findings of each
// side.
//
//	go run ./internal/tools/vvl -n 5000 -seed 1
package main

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/tools/client"
	"github.com/chiaro-gpu/chiaro/valid"
)

func main() {
	n := flag.Uint64("n", 500, "pipelines to judge")
	seed := flag.Uint64("seed", 1, "the first seed")
	icd := flag.String("icd", "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json", "the driver below the layers, a manifest of the loader")
	keep := flag.String("keep", "", "a directory for archives of the pipelines that differ")
	only := flag.String("only", "", "break in this way alone; legal breaks nothing")
	loud := flag.Bool("loud", false, "show what the layers say")
	codes := flag.Bool("codes", false, "count where both find an error and the rules are others, too")
	ours := flag.Bool("ours", false, "break rules that the layers do not judge, too")
	alone := flag.Bool("alone", false, "break states in which no stage takes part, too, whose rules Chiaro leaves to others")
	flag.Parse()
	c := &contest{icd: *icd, keep: *keep, only: *only, loud: *loud, codes: *codes, breaks: breaks, found: map[string]*class{}, broken: map[string]int{}}
	if *ours {
		c.breaks = slices.Concat(c.breaks, oursBreaks)
	}
	if *alone {
		c.breaks = slices.Concat(c.breaks, stateAloneBreaks)
	}
	if err := c.all(*n, *seed); err != nil {
		fmt.Fprintln(os.Stderr, "vvl:", err)
		os.Exit(1)
	}
	c.report(os.Stdout)
}

// off are the features that the device does not get, so that their rules count.
var off = []string{"independentBlend", "dualSrcBlend", "logicOp", "depthBiasClamp", "fillModeNonSolid", "wideLines", "alphaToOne", "multiViewport", "shaderInt16"}

// contest is one run of the command.
type contest struct {
	icd, keep, only string
	loud, codes     bool
	breaks          []fault
	client          string
	env             *valid.Env
	peer            *peer

	total, agree, both int
	crashes            int
	found              map[string]*class // of differences
	broken             map[string]int    // pipelines by the way they were broken
}

// class is differences that are alike.
type class struct {
	count   int
	seed    uint64
	message string
}

// prepare builds the client and reads the profile of the device.
func (c *contest) prepare(dir string) (err error) {
	if c.client, err = build(dir, c.icd); err != nil {
		return err
	}
	if c.env, err = profile(dir, c.icd, off); err != nil {
		return err
	}
	c.peer, err = start(c.client, c.icd, off, c.loud)
	return err
}

func (c *contest) all(n, seed uint64) error {
	dir, err := os.MkdirTemp("", "vvl")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := c.prepare(dir); err != nil {
		return err
	}
	defer func() { c.peer.Stop() }()
	for i := range n {
		if err := c.one(seed + i); err != nil {
			return fmt.Errorf("seed %d: %w", seed+i, err)
		}
	}
	return nil
}

// generate returns the pipeline of a seed and how it was broken: every sixth one
// is not. only is the name of one way, legal for none, empty for any.
func generate(seed uint64, only string, breaks []fault) (*pipeline, string, error) {
	r := rand.New(rand.NewPCG(seed, 7))
	for {
		p, how := newPipeline(r), "legal"
		b := breaks[r.IntN(len(breaks))]
		if only != "" && only != "legal" {
			i := slices.IndexFunc(breaks, func(b fault) bool { return b.name == only })
			if i < 0 {
				return nil, "", fmt.Errorf("there is no way to break called %q", only)
			}
			b = breaks[i]
		}
		if seed%6 != 0 && only != "legal" || only != "" && only != "legal" {
			if how = b.name; !b.apply(r, p) {
				continue
			}
		}
		return p, how, p.finish()
	}
}

// one compares one pipeline.
func (c *contest) one(seed uint64) error {
	p, how, err := generate(seed, c.only, c.breaks)
	if err != nil {
		return err
	}
	ours, messages, err := judge(p, c.env)
	if err != nil {
		return fmt.Errorf("%s: %w", how, err)
	}
	theirs, err := c.peer.judge(p)
	if errors.Is(err, client.ErrDied) { // no verdict to compare with
		c.crashes++
		c.peer.Stop()
		if c.peer, err = start(c.client, c.icd, off, c.loud); err != nil {
			return err
		}
		c.found[how+": the peer died"] = &class{1, seed, ""}
		return nil
	} else if err != nil {
		return err
	}
	c.total++
	c.broken[how]++
	agree := (len(ours) > 0) == (len(theirs) > 0)
	if agree {
		c.agree++
		if len(ours) > 0 {
			c.both++
		}
	}
	if agree && (!c.codes || slices.ContainsFunc(ours, func(s string) bool { return slices.Contains(theirs, s) }) || len(ours) == 0) {
		return nil
	}
	key := fmt.Sprintf("%s: ours %s; theirs %s", how, list(ours), list(theirs))
	x := c.found[key]
	if x == nil {
		x = &class{seed: seed, message: strings.Join(messages, "\n\t\t")}
		c.found[key] = x
	}
	x.count++
	if c.keep == "" || agree {
		return nil
	}
	data, err := archive(p)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(c.keep, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(c.keep, fmt.Sprintf("%d.foz", seed)), data, 0o644)
}

func list(codes []string) string {
	if len(codes) == 0 {
		return "nothing"
	}
	return strings.Join(codes, ", ")
}

// report writes the results.
func (c *contest) report(w *os.File) {
	fmt.Fprintf(w, "driver: %s\n%d pipelines in %d ways, %d with errors on both sides, the peer died %d times\nagreement %.4f\n",
		c.peer.device, c.total, len(c.broken), c.both, c.crashes, float64(c.agree)/float64(max(c.total, 1)))
	for _, k := range slices.Sorted(maps.Keys(c.found)) {
		x := c.found[k]
		fmt.Fprintf(w, "%6d %s (seed %d)\n", x.count, k, x.seed)
		if x.message != "" {
			fmt.Fprintf(w, "\t\t%s\n", x.message)
		}
	}
}
