// Package host has the code that the clients of package vk inside the module share: scripts and the run of one shader.
// They take the options of Chiaro's own engine and report its errors.
package host

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/vk"
)

// Engine is the engine of a device, and Lowering are the options of its compilation (vk.DeviceInfo).
type (
	Engine   = exec.Engine
	Lowering = lower.Options
)

// DefaultBudget is the budget of a device if its client has none.
const DefaultBudget = exec.DefaultBudget

// MinSubgroup and MaxSubgroup are the bounds of the size of a subgroup.
const (
	MinSubgroup = lower.MinSubgroup
	MaxSubgroup = lower.MaxSubgroup
)

// EngineLacks reports whether an error is that the engine does not have something.
func EngineLacks(err error) bool {
	var lacks *exec.UnsupportedError
	return errors.As(err, &lacks)
}

// CompilerLacks reports whether an error is that the compiler does not have something.
func CompilerLacks(err error) bool {
	var lacks *lower.Unsupported
	return errors.As(err, &lacks)
}

// CompilerRejects reports whether an error is that a shader is malformed.
func CompilerRejects(err error) bool {
	var malformed *lower.Malformed
	return errors.As(err, &malformed)
}

// Cause returns the error of the engine that lost the device or that a rule limits, else the error itself.
func Cause(err error) error {
	var lost *vk.LostError
	if errors.As(err, &lost) {
		err = lost.Cause
	}
	var rule *vk.UsageError
	var missing *vk.UnsupportedError
	switch {
	case errors.As(err, &rule) && rule.Cause != nil:
		return rule.Cause
	case errors.As(err, &missing) && missing.Cause != nil:
		return missing.Cause
	}
	return err
}

// CompileCause returns the error of the compiler that the error of a pipeline contains, else the error itself.
func CompileCause(err error) error {
	var failed *vk.StageError
	if errors.As(err, &failed) {
		err = failed.Cause
	}
	var missing *vk.UnsupportedError
	if errors.As(err, &missing) && missing.Cause != nil {
		err = missing.Cause
	}
	var malformed *lower.Malformed
	if errors.As(err, &malformed) {
		return malformed
	}
	return err
}

// CheckPush returns an error if there are fewer bytes of push constants than a shader declares: a command would have
// zeros for the others.
func CheckPush(e *iface.Entry, have uint64) error {
	for i := range e.PushConstants {
		if x := &e.PushConstants[i]; x.Bank == 0 && x.Used && x.Size > have {
			return &exec.JobError{Problem: fmt.Sprintf("%d bytes of push constants; must be at least the %d that the program declares", have, x.Size)}
		}
	}
	return nil
}

// CheckBank returns an error if a bank of push constants is too large.
func CheckBank(number uint32, bytes int) error {
	if bytes > vk.MaxPushBytes {
		return &exec.LimitError{Quantity: fmt.Sprintf("bytes of bank %d of push constants", number), Value: uint64(bytes), Max: vk.MaxPushBytes}
	}
	return nil
}

// WholeWords returns data with zeros up to a multiple of 4 bytes, as push constants need it.
func WholeWords(data []byte) []byte {
	if rest := len(data) % 4; rest != 0 {
		data = append(slices.Clone(data), make([]byte, 4-rest)...)
	}
	return data
}

// NewBuffer makes a buffer with memory of its own, which has a device address if the usage does.
func NewBuffer(d *vk.Device, size uint64, usage vk.BufferUsage) (*vk.Buffer, *vk.Memory, error) {
	memory, err := d.Allocate(vk.MemoryInfo{Size: size, DeviceAddress: usage&vk.DeviceAddress != 0})
	if err != nil {
		return nil, nil, err
	}
	b, err := d.NewBuffer(vk.BufferInfo{Size: size, Usage: usage})
	if err == nil {
		err = b.Bind(memory, 0)
	}
	return b, memory, err
}

// Run executes recorded commands on the first queue and waits for their end, which comes at the latest with the device.
func Run(d *vk.Device, c ...*vk.CommandBuffer) error {
	q := d.Queue()
	if err := q.Submit(vk.SubmitInfo{Commands: c}); err != nil {
		return err
	}
	return q.WaitIdle(context.Background())
}
