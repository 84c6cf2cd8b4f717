package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/internal/pass"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/valid"
)

// benchFlags are the flags of bench.
type benchFlags struct {
	engine             engineFlags
	name, format       string
	buffers, dumps     []string
	images             []string
	groups, push       string
	specialize         []string
	most, least, batch int
	budget             float64
	threads            int
	subgroup           uint32
}

func newBench(c console) *cobra.Command {
	var f benchFlags
	cmd := &cobra.Command{
		Use:   "bench FILE.spv",
		Short: "Time the compilation and the dispatch of a compute shader",
		Long: `Time a compute shader: compilation, first dispatch, and the steady state.
The buffers stand at bindings 0, 1, … of set 0, in the order of -b.`,
		Example: "  chiaro bench -b 16m=unif,1 -b 16m=unif,2 -s 0=256 -g 1024,16 -p 4194304,f0.5 saxpy.spv",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return bench(c, f, args[0])
		},
	}
	fl := cmd.Flags()
	fl.StringVarP(&f.name, "name", "N", "", "name in the report; the file's name")
	fl.StringArrayVarP(&f.buffers, "buffer", "b", nil, "a storage buffer: SIZE[=FILL[,SEED]], SIZE in bytes or with k or m; SEED is 1 where not given; FILL is zero, iota, rand, byte, unif, sunif, range:LO:HI, perm, h01 or d01")
	fl.StringArrayVarP(&f.images, "image", "i", nil, "a sampled image: WxH[,SEED]; images are not supported yet")
	fl.StringVarP(&f.groups, "groups", "g", "1", "workgroups: X[,Y[,Z]]")
	fl.StringVarP(&f.push, "push", "p", "", "push constants, a 32-bit word each: 7 or u7, i-3, f1.5")
	fl.StringArrayVarP(&f.specialize, "specialize", "s", nil, "a specialization constant: ID=VALUE")
	fl.IntVarP(&f.most, "most", "n", 200, "at most so many timed dispatches")
	fl.IntVarP(&f.least, "least", "m", 5, "at least so many timed dispatches")
	fl.Float64VarP(&f.budget, "time", "t", 1, "seconds of the steady state")
	fl.IntVarP(&f.batch, "batch", "k", 1, "dispatches that are timed as one")
	fl.StringArrayVarP(&f.dumps, "dump", "d", nil, "write a buffer after the first dispatch: BINDING=FILE")
	f.engine.add(cmd)
	fl.IntVar(&f.threads, "threads", 0, "workgroups that run at once; 0 for one a core")
	fl.Uint32Var(&f.subgroup, "subgroup-size", 0, "lanes of a subgroup: 4 to 128; 0 for the default")
	fl.StringVar(&f.format, "format", "text", "text or json")
	complete(cmd, "format", "text", "json")
	return cmd
}

// benchReport is the line that bench prints; times are in milliseconds, those
// with a c in front processor time of all threads.
type benchReport struct {
	Name        string  `json:"name"`
	Device      string  `json:"device"`
	Pipe        float64 `json:"pipe"`
	First       float64 `json:"first"`
	Med         float64 `json:"med"`
	Min         float64 `json:"min"`
	P90         float64 `json:"p90"`
	CPUPipe     float64 `json:"cpipe"`
	CPUFirst    float64 `json:"cfirst"`
	CPUMed      float64 `json:"cmed"`
	CPUMin      float64 `json:"cmin"`
	N           int     `json:"n"`
	K           int     `json:"k"`
	ModuleBytes int     `json:"spv_bytes"`
	Exits       uint64  `json:"exits"`
	Threads     int     `json:"threads"`
	Level       string  `json:"level"`
}

// bench times one shader and prints the report.
func bench(c console, f benchFlags, file string) error {
	if len(f.images) > 0 {
		return unreadable("-i %s: images are not supported yet", f.images[0])
	}
	engine, err := f.engine.choose()
	if err != nil {
		return err
	}
	data, err := readInput(c, file)
	if err != nil {
		return err
	}
	args, buffers, err := f.args()
	if err != nil {
		return err
	}
	spec, err := f.spec()
	if err != nil {
		return err
	}
	r := benchReport{Name: f.name, Device: "chiaro " + engine.Name(), K: f.batch, ModuleBytes: len(data), Threads: f.threads, Level: f.engine.engine}
	if r.Name == "" {
		r.Name = strings.TrimSuffix(filepath.Base(file), ".spv")
	}
	var prog exec.Program
	r.Pipe, r.CPUPipe, err = timed(func() (err error) {
		prog, err = compileEntry(engine, data, spec, f.subgroup)
		return err
	})
	if err != nil {
		return reported(c, file, err)
	}
	defer prog.Close()
	if err := r.measure(f, prog, args, buffers); err != nil {
		return reported(c, file, err)
	}
	return r.print(c, f.format)
}

// compileEntry makes a program of the first compute entry point of a module.
func compileEntry(engine exec.Engine, data []byte, spec facts.Spec, subgroup uint32) (exec.Program, error) {
	m, err := spirv.Decode(data)
	if err != nil {
		return nil, err
	}
	g := facts.Gather(m, spec)
	i := slices.IndexFunc(g.EntryPoints, func(e facts.EntryPoint) bool { return e.Model == spirv.ExecutionModelGLCompute })
	if i < 0 {
		return nil, fmt.Errorf("no entry point of the execution model GLCompute")
	}
	p, err := lower.Stage(valid.Assume(g), &g.EntryPoints[i], lower.Options{SubgroupSize: subgroup})
	if err != nil {
		return nil, err
	}
	pass.Run(p)
	return engine.Compile(p, exec.Options{})
}

// measure runs the dispatches.
func (r *benchReport) measure(f benchFlags, prog exec.Program, args compute.Args, buffers [][]byte) error {
	once := func() error {
		for range max(1, f.batch) {
			if err := compute.Dispatch(context.Background(), prog, args); err != nil {
				return err
			}
		}
		return nil
	}
	var err error
	if r.First, r.CPUFirst, err = timed(once); err != nil {
		return err
	}
	if err := f.writeDumps(buffers); err != nil {
		return err
	}
	var wall, cpu []float64
	for start := time.Now(); len(wall) < f.most && (len(wall) < f.least || time.Since(start).Seconds() < f.budget); {
		w, p, err := timed(once)
		if err != nil {
			return err
		}
		wall, cpu = append(wall, w/float64(max(1, f.batch))), append(cpu, p/float64(max(1, f.batch)))
	}
	slices.Sort(wall)
	slices.Sort(cpu)
	r.N = len(wall)
	if n := len(wall); n > 0 {
		r.Med, r.Min, r.P90 = wall[n/2], wall[0], wall[n*9/10]
		r.CPUMed, r.CPUMin = cpu[n/2], cpu[0]
	}
	if e, ok := prog.(interface{ Exits() uint64 }); ok {
		r.Exits = e.Exits() / uint64(max(1, (r.N+1)*max(1, f.batch)))
	}
	return nil
}

// timed returns how long f took, in milliseconds of wall and processor time.
func timed(f func() error) (wall, cpu float64, err error) {
	start, used := time.Now(), processTime()
	err = f()
	return time.Since(start).Seconds() * 1e3, (processTime() - used).Seconds() * 1e3, err
}

func (r *benchReport) print(c console, format string) error {
	switch format {
	case "json":
		return json.NewEncoder(c.out).Encode(r)
	case "text":
		_, err := fmt.Fprintf(c.out, "%s on %s: compile %.3f ms, first dispatch %.3f ms, median %.4f ms (processor %.4f), least %.4f ms, %d dispatches\n",
			r.Name, r.Device, r.Pipe, r.First, r.Med, r.CPUMed, r.Min, r.N)
		return err
	}
	return unreadable("unknown format %q; want text or json", format)
}

// writeDumps writes the buffers that -d names.
func (f *benchFlags) writeDumps(buffers [][]byte) error {
	for _, d := range f.dumps {
		number, file, ok := strings.Cut(d, "=")
		i, err := parseUint(number, 32)
		if !ok || err != nil || i >= uint64(len(buffers)) {
			return unreadable("-d %q; want BINDING=FILE with the binding of a buffer", d)
		}
		if err := os.WriteFile(file, buffers[i], 0o644); err != nil {
			return unreadable("%v", err)
		}
	}
	return nil
}
