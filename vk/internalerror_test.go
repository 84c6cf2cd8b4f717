package vk

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// broken is a command that panics, by design.
type broken struct{}

func (broken) run(*executor) error { panic("by design") }
func (broken) flags() QueueFlags   { return shaderQueue }

// brokenEngine is an engine that panics when it compiles.
type brokenEngine struct{ exec.Engine }

func (brokenEngine) Compile(*ir.Program, exec.Options) (exec.Program, error) { panic("by design") }

// TestPanicOfCommand runs a command that panics: the process goes on, the device is lost with the panic and its stack as the
// cause, and everything can be closed.
func TestPanicOfCommand(t *testing.T) {
	r := newRig(t, DeviceInfo{}, storage)
	c := r.record(t, func(c *CommandBuffer) { c.deferred("break", broken{}) })
	err := r.submit(t, c)
	var failure *InternalError
	if !errors.Is(err, ErrDeviceLost) || !errors.As(err, &failure) || failure.Panic != "by design" || !strings.Contains(string(failure.Stack), "broken.run") {
		t.Fatalf("%v; want a loss by the panic", err)
	}
	if err := r.set.Close(); err != nil {
		t.Error(err)
	}
	if err := r.dev.Close(); err != nil {
		t.Error(err)
	}
}

// TestPanicOfCreation makes a pipeline with an engine that panics: the error is the panic.
func TestPanicOfCreation(t *testing.T) {
	whole := must(Chiaro().NewDevice(DeviceInfo{}))(t)
	defer whole.Close()
	dev := must(Chiaro().NewDevice(DeviceInfo{Engine: brokenEngine{whole.engine}}))(t)
	defer dev.Close()
	layout := must(dev.NewSetLayout(SetLayoutInfo{}))(t)
	pipeline := must(dev.NewPipelineLayout(PipelineLayoutInfo{Sets: []*SetLayout{layout}}))(t)
	p, err := dev.NewComputePipeline(context.Background(), ComputePipelineInfo{Stage: StageInfo{Code: code(t, saxpy)}, Layout: pipeline})
	var failure *InternalError
	if p != nil || !errors.As(err, &failure) || failure.Panic != "by design" {
		t.Errorf("%v; want the panic as an error", err)
	}
}

// brokenWorkers is an engine with programs that cannot run: each of their workers panics.
type brokenWorkers struct{ exec.Engine }

func (e brokenWorkers) Compile(p *ir.Program, o exec.Options) (exec.Program, error) {
	x, err := e.Engine.Compile(p, o)
	return brokenProgram{x}, err
}

type brokenProgram struct{ exec.Program }

func (p brokenProgram) Run(ctx context.Context, j *exec.Job) error { return exec.Run(ctx, p, j) }

func (p brokenProgram) AcquireWorker(context.Context, *atomic.Bool) (exec.Worker, error) {
	panic("by design")
}

// TestPanicOfWorker runs a dispatch and a draw with one worker and with four, all of which panic: the process goes on, and
// the panic of a goroutine that is not the queue's is the cause of the loss too.
func TestPanicOfWorker(t *testing.T) {
	whole := must(Chiaro().NewDevice(DeviceInfo{}))(t)
	defer whole.Close()
	for _, workers := range []int{1, 4} {
		s := newSceneOn(t, 1, DeviceInfo{Engine: brokenWorkers{whole.engine}, Workers: workers})
		s.build(t)
		r := newRig(t, DeviceInfo{Engine: brokenWorkers{whole.engine}, Workers: workers}, storage)
		p := must(r.dev.NewComputePipeline(context.Background(), r.computeInfo(t, Creation{})))(t)
		for _, test := range []struct {
			rig    *rig
			record func(c *CommandBuffer)
		}{
			{r, func(c *CommandBuffer) {
				c.BindPipeline(p)
				c.BindSets(Compute, r.pipeline, 0, []*Set{r.set}, nil)
				c.PushConstants(r.pipeline, 0, push(3))
				c.Dispatch(8, 1, 1)
			}},
			{s.rig, func(c *CommandBuffer) {
				c.BindGraphicsPipeline(s.pipeline)
				c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
				s.paint(c, 1, 0, 0, 1)
				c.BeginRendering(s.rendering())
				c.Draw(6, 1, 0, 0)
				c.EndRendering()
			}},
		} {
			err := test.rig.submit(t, test.rig.record(t, test.record))
			var failure *InternalError
			if !errors.Is(err, ErrDeviceLost) || !errors.As(err, &failure) || !strings.Contains(failure.Error(), "by design") {
				t.Errorf("%d workers: %v; want a loss by the panic", workers, err)
			}
			if err := test.rig.dev.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
