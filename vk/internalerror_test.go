package vk

import (
	"context"
	"errors"
	"strings"
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
