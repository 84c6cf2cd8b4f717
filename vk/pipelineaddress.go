package vk

import (
	"encoding/binary"
	"sync"
)

// indirectPipelines are the compute pipelines that sequences can select by addresses, by their serials.
type indirectPipelines struct {
	mu   sync.Mutex
	last uint64
	list map[uint64]*ComputePipeline
}

// add returns a serial for a pipeline.
func (l *indirectPipelines) add(p *ComputePipeline) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.list == nil {
		l.list = map[uint64]*ComputePipeline{}
	}
	l.last++
	l.list[l.last] = p
	return l.last
}

func (l *indirectPipelines) remove(serial uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.list, serial)
}

func (l *indirectPipelines) find(serial uint64) *ComputePipeline {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.list[serial]
}

// pipelineAt returns the pipeline that UpdateIndirect has stored at an address.
func (w *generating) pipelineAt(x *executor, address uint64) (*ComputePipeline, error) {
	b, err := x.copyFrom(address, IndirectInfoBytes, nil)
	if err != nil {
		return nil, err
	}
	serial := binary.LittleEndian.Uint64(b)
	if p, ok := w.held[serial].(*ComputePipeline); ok {
		return p, nil
	}
	p := x.dev.indirect.find(serial)
	if p == nil {
		return nil, usage("VUID-VkBindPipelineIndirectCommandNV-None-09093", "a sequence selects a pipeline at the address %#x, where the data of none is stored; must be stored", address)
	}
	w.held[serial] = p
	return p, x.work.hold(&p.object)
}

// IndirectPlace is the memory for the data of a pipeline that sequences select by the address (VkComputePipelineIndirectBufferInfoNV).
type IndirectPlace struct{ Address, Size uint64 }

// check checks the place.
func (p *IndirectPlace) check() error {
	const rule = "VUID-VkComputePipelineIndirectBufferInfoNV-"
	switch {
	case p.Address == 0 && p.Size == 0:
		return nil
	case p.Address%IndirectInfoBytes != 0:
		return usage(rule+"deviceAddress-09011", "the data of the pipeline is at the address %#x; must be a multiple of %d", p.Address, IndirectInfoBytes)
	case p.Size < IndirectInfoBytes:
		return usage(rule+"size-09013", "the data of the pipeline has %d bytes; must have %d", p.Size, IndirectInfoBytes)
	}
	return nil
}

// IndirectAddress returns the address that selects the pipeline, 0 without a place (vkGetPipelineIndirectDeviceAddressNV).
func (p *ComputePipeline) IndirectAddress() uint64 {
	if p == nil {
		return 0
	}
	return p.indirect.Address
}

// updateIndirect is a recorded UpdateIndirect.
type updateIndirect struct{ pipeline *ComputePipeline }

func (*updateIndirect) flags() QueueFlags { return QueueTransfer | shaderQueue }

func (w *updateIndirect) run(x *executor) error {
	p := w.pipeline
	b, release, err := x.memoryAt(p.indirect.Address, IndirectInfoBytes)
	if err != nil {
		return err
	}
	defer release()
	clear(b)
	binary.LittleEndian.PutUint64(b, p.serial)
	return nil
}

// UpdateIndirect stores the data of a pipeline at its place (vkCmdUpdatePipelineIndirectBufferNV).
func (c *CommandBuffer) UpdateIndirect(p *ComputePipeline) {
	if !c.begin() {
		return
	}
	err := check(c.dev, "the pipeline", p)
	if err == nil && p.indirect.Address == 0 {
		err = usage("VUID-vkCmdUpdatePipelineIndirectBufferNV-pipeline-09020", "%v has no place for its data; must have one", &p.object)
	}
	if err != nil {
		c.fail(err)
		return
	}
	c.refer(&p.object)
	w := take[updateIndirect](c)
	w.pipeline = p
	c.action()
	c.deferred("update pipeline indirect buffer", w)
}
