package vk

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/link"
)

// TestHostThreads lets goroutines use one device at the same time: they submit to all queues, update a set that submissions
// use, make and close objects, read results, and at the end one closes the device. It is for the race detector; no call
// fails but with the loss of the device.
func TestHostThreads(t *testing.T) {
	for _, deferred := range []bool{false, true} {
		testHostThreads(t, deferred)
	}
}

func testHostThreads(t *testing.T, deferred bool) {
	r := newRig(t, DeviceInfo{Queues: allQueues, Workers: 2, DeferFree: deferred}, storage)
	after := must(r.dev.NewSetLayout(SetLayoutInfo{Flags: enum.SetFlagsUpdateAfterBindPool, Bindings: []link.Binding{
		{Binding: 0, Type: storage, Count: 1, Stages: link.AllStages, Flags: enum.BindingFlagsUpdateAfterBind},
		{Binding: 1, Type: storage, Count: 1, Stages: link.AllStages, Flags: enum.BindingFlagsUpdateAfterBind},
	}}))(t)
	pool := must(r.dev.NewPool(PoolInfo{MaxSets: 1, Flags: UpdateAfterBind}))(t)
	set := must(pool.Allocate(after))(t)
	layout := must(r.dev.NewPipelineLayout(PipelineLayoutInfo{Sets: []*SetLayout{after}, Push: []link.Range{{Size: 4, Stages: link.AllStages}}}))(t)
	bind := func(b *Buffer) error {
		return set.Update(Write{Binding: 0, Buffers: []BufferDescriptor{{b, 0, WholeSize}}}, Write{Binding: 1, Buffers: []BufferDescriptor{{r.y, 0, 32}}})
	}
	if err := bind(r.x); err != nil {
		t.Fatal(err)
	}
	module := must(r.dev.NewShaderModule(context.Background(), code(t, saxpy)))(t)
	pipeline := must(r.dev.NewComputePipeline(context.Background(), ComputePipelineInfo{Stage: StageInfo{Module: module}, Layout: layout}))(t)
	total := must(r.dev.NewSemaphore(0))(t)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	dispatches := func(family int) func() error {
		c := must(r.recordFor(t, family, func(c *CommandBuffer) {
			c.BindPipeline(pipeline)
			c.BindSets(Compute, layout, 0, []*Set{set}, nil)
			c.PushConstants(layout, 0, push(1))
			c.Dispatch(2, 1, 1)
		}))(t)
		f := must(r.dev.NewFence(false))(t)
		return func() error {
			return errors.Join(r.dev.FamilyQueue(family, 0).Submit(SubmitInfo{Commands: []*CommandBuffer{c}, Fence: f}), f.Wait(ctx), f.Reset())
		}
	}
	jobs := []func() error{
		dispatches(0), dispatches(1),
		func() error { return bind(r.x) },
		func() error { // the set has another buffer for a while, whose objects close when no submission uses them
			m, err := r.dev.Allocate(MemoryInfo{Size: 64, DeviceAddress: true})
			if err != nil {
				return err
			}
			b, err := r.dev.NewBuffer(BufferInfo{Size: 32, Usage: StorageBuffer})
			if err != nil {
				return err
			}
			if err := errors.Join(b.Bind(m, 0), bind(b), bind(r.x)); err != nil {
				return err
			}
			for _, x := range []Object{b, m} {
				for err := x.Close(); err != nil; err = x.Close() {
					if lost := r.dev.Err(); lost != nil {
						return lost // a queue that ends may still use the object
					}
					if used := (*InUseError)(nil); !errors.As(err, &used) {
						return err
					}
					time.Sleep(time.Microsecond)
				}
			}
			return nil
		},
		func() error {
			q := r.dev.FamilyQueue(2, 1)
			err := q.Submit(SubmitInfo{Signal: []SemaphoreValue{{total, total.Value() + 1}}})
			return errors.Join(err, q.WaitIdle(ctx))
		},
		func() error {
			total.Wait(ctx, total.Value())
			set.SetName("set")
			_ = set.String()
			r.dev.Used()
			r.dev.Objects()
			return r.dev.WaitIdle(ctx)
		},
	}
	rounds := 30
	if os.Getenv("CHIARO_LONG") != "" {
		rounds = 3000
	}
	var wait sync.WaitGroup
	ended := make(chan struct{})
	for i, job := range jobs {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for n := 0; r.dev.Err() == nil; n++ {
				if err := job(); err != nil && r.dev.Err() != nil {
					return // the device closed during the job: its objects are closed too
				} else if err != nil {
					t.Errorf("job %d: %v", i, err)
					return
				}
				if n == rounds && i == 0 {
					close(ended)
				}
			}
		}()
	}
	select {
	case <-ended:
	case <-ctx.Done():
		t.Error("the jobs do not advance")
	}
	r.dev.Close()
	wait.Wait()
	if err := r.dev.Close(); err != nil {
		t.Error(err)
	}
}
