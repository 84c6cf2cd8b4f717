package main

import (
	"context"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/internal/cputime"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/host"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/valid"
	"github.com/chiaro-gpu/chiaro/vk"
)

// benchFlags are the flags of bench.
type benchFlags struct {
	engine             engineFlags
	pipeline           pipelineFlags
	name, format       string
	allowOutside       bool
	resources          []benchResource // buffers and images, in the order of their flags
	dumps, compare     []string
	codeFiles          string
	groups, base, push string
	specialize         []string
	most, least, batch int
	budget             float64
	threads            int
	limit              time.Duration
	drawing            drawFlags
	rays, profile      bool
}

func newBench(c console) *cobra.Command {
	var f benchFlags
	cmd := &cobra.Command{
		Use:   "bench FILE.spv | NAME.launch.yaml | --draw SCENE | --draw VERTEX.spv FRAGMENT.spv | --rays SCENE [MEASUREMENT...]",
		Short: "Time the compilation and the dispatch of a compute shader, draws, or rays",
		Long: `Time a compute shader: compilation, first dispatch, and the steady state.
The buffers and images have the bindings 0, 1, … of set 0, in the order of -b and -i.

NAME.launch.yaml describes a launch of a CUDA kernel, as for run: its values replace these flags. Its buffers have the numbers 0, 1, …
in the order of their names; the first dispatch is compared with its expectations.

With --draw the command times a frame instead, which clears attachments and draws triangles into R8G8B8A8_UNORM and,
with --depth, D32_SFLOAT. A scene is two shaders in the folder --shaders, with flags and a state that no flag selects: cheap, heavy (one large
triangle), tris (many triangles of some pixels), tex (a plane by a trilinear sampler), blend (blended layers), draws (many draws in one
pass), small (many triangles of a pixel), overdraw (large triangles that hide each other), msaa (four samples, resolved), formats (blended
layers in five formats), aniso (tex with 16 times anisotropy), chain (eight passes, each sampling the target of the one before).

With --rays it builds a scene of triangles and traces rays, each measurement on a line: blas and blas_fast build the bottom level for
fast traces and fast builds, tlas the top level, and refit updates the bottom level for moved vertices; primary_rq and primary_rt trace
the rays of the pixels of a picture to their nearest hits, by ray queries of a compute shader and by a ray tracing pipeline, incoh_rq and
incoh_rt rays in random directions from these hits. Without a MEASUREMENT all are done. The scenes are soup, terrain, instances and room.`,
		Example: "  chiaro bench -b 16m=unif,1 -b 16m=unif,2 -s 0=256 -g 1024,16 -p 4194304,f0.5 saxpy.spv",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case f.limit < 0:
				return unreadable("--timeout %v; want a positive time, or 0 for no limit", f.limit)
			case f.rays && f.drawing.draw:
				return unreadable("--rays and --draw; want one of them")
			case f.rays:
				return limited(f.limit, func(ctx context.Context) error { return benchRays(ctx, c, f, args) })
			case f.drawing.draw && len(args) > 2:
				return unreadable("%d files; want a scene, or two shaders", len(args))
			case f.drawing.draw:
				return limited(f.limit, func(ctx context.Context) error { return benchDraw(ctx, c, f, args) })
			case len(args) != 1:
				return unreadable("%d files; want one, or --draw or --rays", len(args))
			}
			if f.format != "text" && f.format != "json" {
				return unreadable("unknown format %q; want text or json", f.format)
			}
			run := bench
			switch {
			case isPTX(args[0]):
				return onlyPTX(args[0])
			case isLaunch(args[0]):
				run = benchLaunch
			}
			return limited(f.limit, func(ctx context.Context) error { return run(ctx, c, f, args[0]) })
		},
	}
	f.add(cmd)
	return cmd
}

// add defines the flags of a command.
func (f *benchFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	outsideFlag(fl, &f.allowOutside)
	fl.StringVarP(&f.name, "name", "N", "", "name in the report (default: the file's name)")
	fl.VarP(resourceFlag{&f.resources, false}, "buffer", "b", "a storage buffer: SIZE[:RANGE][=FILL[,SEED]], SIZE in bytes, or with suffix k or m; RANGE is the descriptor's range in bytes; SEED defaults to 1; FILL is zero, iota, rand, byte, unif, sunif, range:LO:HI, perm, h01 or d01")
	fl.VarP(resourceFlag{&f.resources, true}, "image", "i", "an RGBA8 image with a repeating bilinear or nearest sampler: WxH[,SEED][,nearest]; filled with rand")
	fl.StringVarP(&f.groups, "groups", "g", "1", "workgroups: X[,Y[,Z]]")
	fl.StringVar(&f.base, "base", "", "first workgroup: X[,Y[,Z]]")
	fl.StringVarP(&f.push, "push", "p", "", "push constants, a 32-bit word each: 7 or u7, i-3, f1.5")
	fl.StringArrayVarP(&f.specialize, "specialize", "s", nil, "a specialization constant: ID=VALUE")
	countVar(fl, &f.most, "most", "n", 200, 0, "maximum number of timed dispatches")
	countVar(fl, &f.least, "least", "m", 5, 0, "minimum number of timed dispatches")
	fl.Float64VarP(&f.budget, "time", "t", 1, "duration of the steady state in seconds")
	countVar(fl, &f.batch, "batch", "k", 1, 1, "dispatches per timing")
	fl.StringArrayVarP(&f.dumps, "dump", "d", nil, "write a buffer after the first dispatch: BINDING=FILE")
	fl.StringArrayVar(&f.compare, "compare", nil, "compare a buffer with a file after the first dispatch: BINDING=FILE; exit code 1 if they differ")
	fl.StringVarP(&f.codeFiles, "code", "x", "", "write the machine code to PREFIX.N.ADDRESS.bin")
	fl.BoolP("robust", "r", false, "accepted for compatibility: robust buffer access is always on; see --robustness")
	f.pipeline.add(cmd)
	f.engine.add(cmd)
	fl.BoolVar(&f.profile, "profile", false, "count executions as chiaro profile does, to time the counters; the counts are not reported")
	countVar(fl, &f.threads, "threads", "", 0, 0, "worker threads; 0 for one per core")
	fl.DurationVar(&f.limit, "timeout", 10*time.Minute, "time limit of the command; 0 for none")
	d := &f.drawing
	fl.BoolVar(&d.draw, "draw", false, "time draws of a scene, or of a vertex and a fragment shader")
	fl.StringVar(&d.folder, "shaders", "shaders", "with --draw: folder with the scenes' shaders, such as raster.vert.spv")
	fl.BoolVar(&f.rays, "rays", false, "time builds and traces of a scene")
	fl.StringVar(&d.size, "size", "1920x1080", "with --draw: size of the attachments in pixels; with --rays: of the picture")
	fl.UintVar(&d.vertices, "vertices", 3, "with --draw: vertices per draw, three per triangle")
	fl.UintVar(&d.draws, "draws", 1, "with --draw: draws per frame")
	fl.BoolVar(&d.depth, "depth", false, "with --draw: test and write depth, nearer fragments pass")
	fl.BoolVar(&d.blend, "blend", false, "with --draw: blend with a factor of one quarter")
	fl.BoolVar(&d.statistics, "statistics", false, "with --draw: count the vertices, primitives and invocations of one untimed frame")
	fl.UintVar(&d.texture, "texture", 0, "with --draw: bind a square mipmapped image of that size with a trilinear sampler to set 0, binding 0")
	fl.StringVar(&f.format, "format", "text", "text or json")
	complete(cmd, "format", "text", "json")
}

// lowering returns the options of lowering of the timed shaders.
func (f *benchFlags) lowering() (lower.Options, error) {
	o, err := f.pipeline.lowering()
	o.Profile = f.profile
	return o, err
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
	Cached      float64 `json:"cached"`  // a second compilation of the same words
	CPUCached   float64 `json:"ccached"` // the same
	Exits       uint64  `json:"exits"`   // to Go, in one dispatch
	Threads     int     `json:"threads"` // that run workgroups
	Level       string  `json:"level"`   // of the jit's code; the engine's name for others
	Subgroup    uint32  `json:"subgroup"`
	Invocations uint64  `json:"invocations"` // of one dispatch

	Statistics *drawStatistics `json:"statistics,omitempty"`

	ordered bool // workgroups run in order because the result depends on it
}

// bench times one shader and prints the report.
func bench(ctx context.Context, c console, f benchFlags, file string) error {
	options, err := f.lowering()
	if err != nil {
		return err
	}
	engine, err := f.engine.choose(c)
	if err != nil {
		return err
	}
	data, err := f.module(ctx, c, file)
	if err != nil {
		return err
	}
	defer f.spare()()
	defer collectSeldom(compilePercent)()
	job, err := f.job(data)
	if err != nil {
		return err
	}
	r := benchReport{Name: f.name, K: f.batch, ModuleBytes: len(data)}
	entry, err := benchEntry(c, file, data, job.info.Stage.Specialization, spirv.ExecutionModelGLCompute)
	if err != nil {
		return err
	}
	job.info.Stage.Entry = entry.Name
	if job.bench, err = f.open(ctx, engine, options, []*iface.Entry{entry}, nil); err != nil {
		return benchError(ctx, c, file, err)
	}
	defer job.bench.device.Close()
	return f.time(ctx, c, file, &r, job)
}

// time compiles a job, runs it and prints the report.
func (f *benchFlags) time(ctx context.Context, c console, file string, r *benchReport, job *benchJob) error {
	if r.Name == "" {
		r.Name = strings.TrimSuffix(launchName(filepath.Base(file)), ".spv")
	}
	if err := r.compile(ctx, job); err != nil {
		return benchError(ctx, c, file, job.placed(err))
	}
	r.describe(job, f.threads)
	if err := f.writeCode(job.program); err != nil {
		return err
	}
	same, err := r.measure(c, *f, job)
	if err != nil {
		return benchError(ctx, c, file, job.placed(err))
	}
	if err := r.print(f.reports(c), f.format); err != nil {
		return err
	}
	return job.bench.end(same)
}

// benchError is reported, but prints nothing about work that ended with ctx: the caller knows the reason.
func benchError(ctx context.Context, c console, file string, err error) error {
	if ctx.Err() != nil {
		return err
	}
	return reported(c, file, err)
}

// benchJob is a dispatch, or a launch of a CUDA kernel.
type benchJob struct {
	bench        *benchDevice
	launch       *launchJob // nil for a dispatch
	info         vk.ComputePipelineInfo
	base, groups [3]uint32
	pipeline     *vk.ComputePipeline
	program      exec.Program // of the pipeline
}

// placed returns an error of the job; one at a line of a kernel's module has the file of the module.
func (j *benchJob) placed(err error) error {
	if j.launch == nil {
		return err
	}
	return j.launch.placed(err)
}

// job reads the flags of a dispatch.
func (f *benchFlags) job(data []byte) (*benchJob, error) {
	j := &benchJob{info: vk.ComputePipelineInfo{Stage: vk.StageInfo{Code: data}}}
	j.info.Flags = enum.PipelineFlagsDispatchBase
	var err error
	if j.info.Stage.Robustness, err = f.robustness(vk.StageCompute); err != nil {
		return nil, err
	}
	if j.groups, err = parseGroups("-g", f.groups, 1); err != nil {
		return nil, err
	}
	if f.base != "" {
		if j.base, err = parseGroups("--base", f.base, 0); err != nil {
			return nil, err
		}
	}
	j.info.Stage.Specialization, err = f.spec()
	return j, err
}

// robustness returns the robustness of a stage.
func (f *benchFlags) robustness(stage vk.ShaderStage) (*vk.Robustness, error) {
	all, stages, err := f.pipeline.robust()
	if own := stages[stage]; own != nil {
		all = *own
	}
	return &all, err
}

// record records n dispatches.
func (j *benchJob) record(n int, groups [3]uint32) (*vk.CommandBuffer, error) {
	return j.bench.record(func(c *vk.CommandBuffer) {
		if j.launch != nil {
			info := j.launch.info
			info.Grid = groups
			for range n {
				c.CudaLaunchKernel(info)
			}
			return
		}
		c.BindPipeline(j.pipeline)
		j.bench.bound(c, vk.Compute)
		for range n {
			c.DispatchBase(j.base, groups)
		}
	})
}

// compile makes the pipeline, or the kernel of a launch, unless it is there. The code of a shader with images depends on their formats,
// that of a kernel on its block: a dispatch of no workgroups compiles it.
func (j *benchJob) compile(ctx context.Context) (err error) {
	if j.launch != nil {
		err = j.launch.prepare(j.bench.device)
	} else {
		j.info.Layout = j.bench.layout
		j.pipeline, err = j.bench.device.NewComputePipeline(ctx, j.info)
	}
	if err != nil {
		return host.CompileCause(err)
	}
	list := j.bench.engine.take()
	if list == nil {
		c, err := j.record(1, [3]uint32{})
		if err != nil {
			return err
		}
		defer c.Close()
		if err := j.bench.run(c); err != nil {
			return err
		}
		list = j.bench.engine.take()
	}
	if len(list) > 0 { // the second compilation of a kernel makes no program
		j.program = list[len(list)-1]
	}
	return nil
}

// module returns the words of a module. A source is compiled and a text is assembled, for Vulkan 1.3.
func (f *benchFlags) module(ctx context.Context, c console, file string) ([]byte, error) {
	const target = "vulkan1.3"
	data, err := readModule(ctx, c, file, target, f.allowOutside)
	if err != nil {
		return nil, err
	}
	c.last.Store(&data)
	return assembled(c, file, data, target)
}

// assembled returns the words of a text by the name of its file, and other data as they are.
func assembled(c console, file string, data []byte, target string) ([]byte, error) {
	if isBinary(data) || !strings.HasSuffix(file, ".spvasm") {
		return data, nil
	}
	env, _ := valid.ParseEnv(target)
	m, err := decodeModule(data, file, env, nil)
	if err != nil {
		return nil, reported(c, file, err)
	}
	return m.Encode(), nil
}

// spare determines the number of workers, by default one per processor of Go's
// runtime, and gives the runtime one more processor until restore is called. Without
// an idle processor the scheduler preempts a goroutine in machine code once per
// batch of workgroups to look for other work.
func (f *benchFlags) spare() (restore func()) {
	have := runtime.GOMAXPROCS(0)
	if f.threads <= 0 {
		f.threads = have
	}
	if f.threads < have {
		return func() {}
	}
	runtime.GOMAXPROCS(have + 1)
	return func() { runtime.GOMAXPROCS(have) }
}

// compile times two compilations: one cold, one that hits the cache.
func (r *benchReport) compile(ctx context.Context, j *benchJob) (err error) {
	run := func() error { return j.compile(ctx) }
	if r.Pipe, r.CPUPipe, err = timed(run); err != nil {
		return err
	}
	r.Cached, r.CPUCached, err = timed(run)
	return err
}

// describe records the engine, its level and the number of workers.
func (r *benchReport) describe(j *benchJob, workers int) {
	p := j.program.IR()
	r.Device, r.Level, r.Subgroup = "chiaro interp", "interp", p.SubgroupSize
	if made, ok := j.program.(interface{ Level() target.Level }); ok {
		r.Device, r.Level = "chiaro jit", made.Level().String()
	}
	r.ordered = p.Effects.Ordered
	job := exec.Job{Groups: j.groups, Workers: workers}
	r.Threads = job.WorkerCount(p)
	r.Invocations = job.GroupCount() * uint64(p.Invocations())
}

// measure runs the dispatches. It reports whether the buffers equal the files of
// --compare.
func (r *benchReport) measure(c console, f benchFlags, j *benchJob) (same bool, err error) {
	commands, err := j.record(r.K, j.groups)
	if err != nil {
		return false, err
	}
	once := func() error { return j.bench.run(commands) }
	if err := r.first(c, j.bench, once); err != nil {
		return false, err
	}
	if err := f.writeDumps(c, j.bench.contents); err != nil {
		return false, err
	}
	if same, err = f.compareBuffers(c, j.bench.contents); err != nil {
		return false, err
	}
	if j.launch != nil {
		if err := j.launch.copyImages(j.bench.device, false); err != nil {
			return false, err
		}
		same = !j.launch.differs(c) && same
	}
	if err := r.steady(f, r.K, once); err != nil {
		return false, err
	}
	if e, ok := j.program.(interface{ Exits() uint64 }); ok {
		r.Exits = e.Exits() / uint64((r.N+1)*r.K)
	}
	return same, nil
}

// steady times runs of the steady state; each has a number of parts.
func (r *benchReport) steady(f benchFlags, parts int, once func() error) error {
	var wall, cpu []float64
	for start := time.Now(); len(wall) < f.most && (len(wall) < f.least || time.Since(start).Seconds() < f.budget); {
		w, p, err := timed(once)
		if err != nil {
			return err
		}
		wall, cpu = append(wall, w/float64(parts)), append(cpu, p/float64(parts))
	}
	slices.Sort(wall)
	slices.Sort(cpu)
	if r.N = len(wall); r.N > 0 {
		r.Med, r.Min, r.P90 = wall[r.N/2], wall[0], wall[r.N*9/10]
		r.CPUMed, r.CPUMin = cpu[r.N/2], cpu[0]
	}
	return nil
}

// timed returns the wall and processor time of f in milliseconds. Processor time is 0
// on systems that do not report it.
func timed(f func() error) (wall, cpu float64, err error) {
	start, used := time.Now(), cputime.Now()
	err = f()
	wall = time.Since(start).Seconds() * 1e3
	if cputime.Measured {
		cpu = (cputime.Now() - used).Seconds() * 1e3
	}
	return wall, cpu, err
}
