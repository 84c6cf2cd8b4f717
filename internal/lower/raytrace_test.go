package lower

import (
	"context"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/pass"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/trace"
)

// traceScript is a ray tracing pipeline and its launch. Its lines are those of script, and:
//
//	launch 4 2 1         the size of the launch
//	depth 2 1            the depth of the recursion, and of callable shaders
//	group 0 - - -        the shaders of a group by their numbers: general, closest-hit, any-hit, intersection
//	raygen 64 0          a table: the bytes of a record, and the records: a group, or a group and the word of its data
//	miss 64 1:5 1:6
//	hit, callable
type traceScript struct {
	pipeline trace.Pipeline
	launch   trace.Launch
	tables   []byte
}

// tableAddress is the device address of all tables.
const tableAddress = 1 << 40

// item adds a line. It returns false if the line is not one of these.
func (s *traceScript) item(key string, f []string) (ok bool, err error) {
	switch key {
	case "launch", "depth":
		var w []uint32
		if w, err = words(f); err == nil && key == "launch" {
			s.launch.Size = [3]uint32(w)
		} else if err == nil {
			s.pipeline.Depth, s.pipeline.CallableDepth = w[0], w[1]
		}
	case "group":
		n := [4]int{}
		for i, x := range f {
			if n[i] = trace.Unused; x != "-" {
				n[i], err = strconv.Atoi(x)
			}
		}
		s.pipeline.Groups = append(s.pipeline.Groups, trace.Group{General: n[0], ClosestHit: n[1], AnyHit: n[2], Intersection: n[3]})
	case "raygen", "miss", "hit", "callable":
		err = s.table(map[string]*trace.Table{"raygen": &s.launch.RayGen, "miss": &s.launch.Miss, "hit": &s.launch.Hit, "callable": &s.launch.Callable}[key], f)
	default:
		return false, nil
	}
	return true, err
}

func (s *traceScript) table(t *trace.Table, f []string) error {
	stride, err := strconv.Atoi(f[0])
	if err != nil {
		return err
	}
	*t = trace.Table{Address: tableAddress + uint64(len(s.tables)), Size: uint64(stride * (len(f) - 1)), Stride: uint64(stride)}
	for _, x := range f[1:] {
		record := make([]byte, stride)
		group, data, more := strings.Cut(x, ":")
		if group != "null" {
			n, err := strconv.Atoi(group)
			if err != nil {
				return err
			}
			binary.LittleEndian.PutUint32(record, uint32(n)+1)
		}
		if more {
			n, err := strconv.Atoi(data)
			if err != nil {
				return err
			}
			binary.LittleEndian.PutUint32(record[trace.HandleSize:], uint32(n))
		}
		s.tables = append(s.tables, record...)
	}
	return nil
}

// parseTrace splits a script in the lines of the pipeline and the others.
func parseTrace(text string) (*traceScript, script, error) {
	var s traceScript
	var rest []string
	for _, line := range strings.Split(text, "\n") {
		f := strings.Fields(line)
		if len(f) > 0 {
			if ok, err := s.item(f[0], f[1:]); err != nil {
				return nil, script{}, fmt.Errorf("%q: %w", line, err)
			} else if ok {
				continue
			}
		}
		rest = append(rest, line)
	}
	common, err := parseScript(strings.Join(rest, "\n"))
	common.args.Regions = append(common.args.Regions, exec.Region{Address: tableAddress, Bytes: s.tables})
	return &s, common, err
}

// runTrace runs a pipeline as it was composed and after the passes, on every engine, with subgroups of several sizes.
func runTrace(t *testing.T, shaders [][]byte, text string) {
	t.Helper()
	for _, size := range []uint32{4, 16, 64} {
		for _, engine := range engines() {
			for _, optimized := range []bool{false, true} {
				s, common, err := parseTrace(text)
				if err != nil {
					t.Fatal(err)
				}
				common.options.SubgroupSize = size
				for _, x := range shaders {
					s.pipeline.Shaders = append(s.pipeline.Shaders, lowered(t, x, common.spec, common.options))
				}
				p, err := trace.Compose(&s.pipeline, trace.Options{})
				if err != nil {
					t.Fatal(err)
				}
				if optimized {
					pass.Run(p)
				}
				runLaunch(t, engine, p, s, &common)
			}
		}
	}
}

func runLaunch(t *testing.T, engine exec.Engine, p *ir.Program, s *traceScript, common *script) {
	t.Helper()
	prog, err := compute.NewPipeline(p, engine, exec.Options{})
	if err != nil {
		t.Fatalf("%s: %v\n%s", engine.Name(), err, p)
	}
	defer prog.Close()
	common.args.Rays = common.scene.service()
	err = s.pipeline.Run(context.Background(), prog, common.args, &s.launch)
	if (err != nil) != (common.fails != "") || err != nil && !strings.HasPrefix(err.Error(), common.fails) {
		t.Fatalf("%s: %v", engine.Name(), err)
	}
	for _, w := range common.want {
		w.check(t, engine.Name(), p)
	}
}
