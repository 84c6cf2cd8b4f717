package lower

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/asmtest"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/pass"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/graph"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// graphScript is the dispatch of an execution graph. Its lines are those of script, and:
//
//	start 0 2 5 6    node 0, with 2 payloads of a word each
type graphScript struct{ starts []graph.Start }

// parseGraph splits a script in the lines of the graph and the others.
func parseGraph(text string) (*graphScript, script, error) {
	var s graphScript
	var rest []string
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) < 3 || f[0] != "start" {
			rest = append(rest, line)
			continue
		}
		w, err := words(f[1:])
		if err != nil {
			return nil, script{}, fmt.Errorf("%q: %w", line, err)
		}
		x := graph.Start{Node: w[0], Count: w[1]}
		for _, n := range w[2:] {
			x.Payloads = binary.LittleEndian.AppendUint32(x.Payloads, n)
		}
		x.Stride = uint64(len(x.Payloads)) / uint64(x.Count)
		s.starts = append(s.starts, x)
	}
	common, err := parseScript(strings.Join(rest, ""))
	return &s, common, err
}

// runGraph runs a graph of shaders on every engine, with subgroups of several sizes, before and after the passes.
func runGraph(t *testing.T, shaders [][]byte, text string) {
	t.Helper()
	for _, size := range []uint32{1, 4, 16, 64} {
		for _, engine := range engines() {
			for _, optimized := range []bool{false, true} {
				s, common, err := parseGraph(text)
				if err != nil {
					t.Fatal(err)
				}
				common.options.SubgroupSize = size
				s.run(t, engine, shaders, &common, optimized)
			}
		}
	}
}

func (s *graphScript) run(t *testing.T, engine exec.Engine, shaders [][]byte, common *script, optimized bool) {
	t.Helper()
	var nodes []graph.Node
	var programs []*compute.Pipeline
	for _, x := range shaders {
		m := asmtest.Module(t, x, spirv.Version16)
		f := facts.Gather(m, common.spec)
		n, err := NodeOf(f, &f.EntryPoints[0])
		if err != nil {
			t.Fatal(err)
		}
		nodes = append(nodes, graph.Node{NodeName: ir.NodeName{Name: n.Name, Index: n.Index}, Node: n})
		p, err := graph.Compose(lowered(t, x, common.spec, common.options))
		if err != nil {
			t.Fatal(err)
		}
		programs = append(programs, pipelineOf(t, p, engine, optimized))
	}
	g, err := graph.New(nodes, false)
	if err != nil {
		t.Fatal(err)
	}
	least, _, _ := g.ScratchSize()
	err = g.Run(func(node int, params []byte, groups uint32) error {
		a := common.args
		a.Groups, a.Params = [3]uint32{groups, 1, 1}, params
		return programs[node].Dispatch(context.Background(), a)
	}, nil, least, 0, s.starts)
	if err != nil {
		t.Fatalf("%s: %v", engine.Name(), err)
	}
	for _, w := range common.want {
		w.check(t, engine.Name(), programs[0].IR())
	}
}

// pipelineOf returns the pipeline of a program on an engine until the end of the test. With optimized the passes run first.
func pipelineOf(t *testing.T, p *ir.Program, engine exec.Engine, optimized bool) *compute.Pipeline {
	t.Helper()
	if optimized {
		pass.Run(p)
	}
	program, err := compute.NewPipeline(p, engine, exec.Options{})
	if err != nil {
		t.Fatalf("%s: %v\n%s", engine.Name(), err, p)
	}
	t.Cleanup(func() { program.Close() })
	return program
}
