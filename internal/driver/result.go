package driver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/vk"
)

// outOfHost is the result if memory of the host, or space in a table of handles, is exhausted.
const outOfHost abi.Result = abi.ErrorOutOfHostMemory

// resultOf returns the result of an error.
func resultOf(err error) abi.Result {
	var memory *vk.OutOfMemoryError
	var pool *vk.OutOfPoolMemoryError
	var unsupported *vk.UnsupportedError
	var module *vk.InvalidModuleError
	switch {
	case err == nil:
		return abi.Success
	case errors.Is(err, vk.ErrDeviceLost):
		return abi.ErrorDeviceLost
	case errors.Is(err, vk.ErrTimeout), errors.Is(err, context.DeadlineExceeded):
		return abi.Timeout
	case errors.Is(err, vk.ErrNotReady):
		return abi.NotReady
	case errors.Is(err, vk.ErrCompileRequired):
		return abi.PipelineCompileRequired
	case errors.Is(err, vk.ErrIncompatibleBinary):
		return abi.IncompatibleShaderBinaryEXT
	case errors.Is(err, vk.ErrIncompatiblePipelineBinary), errors.Is(err, vk.ErrPipelineBinaryMissing):
		return abi.PipelineBinaryMissingKHR
	case errors.Is(err, vk.ErrExternalHandle):
		return abi.ErrorInvalidExternalHandle
	case errors.Is(err, vk.ErrOpaqueAddress):
		return abi.ErrorInvalidOpaqueCaptureAddress
	case errors.As(err, &memory):
		return abi.ErrorOutOfDeviceMemory
	case errors.As(err, &pool):
		return abi.ErrorOutOfPoolMemory
	case errors.As(err, &unsupported):
		return abi.ErrorFeatureNotPresent
	case errors.As(err, &module):
		return abi.ErrorInvalidShaderNV
	}
	return abi.ErrorValidationFailed
}

// result returns the result of an error, and passes the error to the messengers with the objects of the call. d may be nil.
func (d *device) result(err error, objects ...reporter) abi.Result {
	r := resultOf(err)
	if r < 0 && d != nil {
		d.tell(err, objects)
	}
	return r
}

// tell passes an error to the messengers. A device is lost once, with a report of the cause.
func (d *device) tell(err error, objects []reporter) {
	if lost := (*vk.LostError)(nil); errors.As(err, &lost) || errors.Is(err, vk.ErrDeviceLost) {
		if d.lost.Swap(true) {
			return
		}
		report(err, stackOf(err))
	} else if list, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range list.Unwrap() {
			d.tell(e, objects)
		}
		return
	} else if stack := stackOf(err); stack != nil {
		report(err, stack)
	}
	x := message{severity: severeError, types: ofGeneral, text: err.Error(), objects: []named{d.named()}}
	for _, o := range objects {
		x.objects = append([]named{o.named()}, x.objects...)
	}
	for _, m := range x.split(err) {
		if last := d.told.Load(); last != nil && *last == m.text && m.types&ofValidation != 0 && d.told.CompareAndSwap(last, nil) {
			continue // the messengers have it
		}
		d.physical.instance.messengers.send(&m)
	}
}

// tell passes the rules that a call of the instance breaks to the messengers.
func (i *instance) tell(err error) {
	if list, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range list.Unwrap() {
			i.tell(e)
		}
		return
	}
	if err == nil {
		return
	}
	for _, m := range (message{severity: severeError, types: ofGeneral, text: err.Error()}).split(err) {
		i.messengers.send(&m)
	}
}

// split returns the messages of an error: one for each finding on a module or on a pipeline.
func (x message) split(err error) (out []message) {
	var (
		lost     *vk.LostError
		usage    *vk.UsageError
		use      *vk.InUseError
		module   *vk.InvalidModuleError
		pipeline *vk.LinkError
	)
	if errors.As(err, &lost) {
		x.labels = lost.Labels
	}
	switch {
	case errors.As(err, &usage):
		x.types, x.rule = ofValidation, usage.Rule
	case errors.As(err, &use):
		x.types, x.rule = ofValidation, use.Rule
	case errors.As(err, &module) && module.Cause == nil:
		for i := range module.Findings {
			f := &module.Findings[i]
			text := fmt.Sprintf("%v: %s", f.Pos, f.Message)
			if f.HasSource {
				text = fmt.Sprintf("%s:%d: %s", f.Source.File, f.Source.Line, text)
			}
			out = append(out, x.finding(f.Severity, f.Code, text))
		}
		return out
	case errors.As(err, &pipeline):
		for i := range pipeline.Findings {
			f := &pipeline.Findings[i]
			out = append(out, x.finding(f.Severity, f.Code, f.Message))
		}
		return out
	}
	return []message{x}
}

// finding returns the message with a finding.
func (x message) finding(severity diag.Severity, rule, text string) message {
	x.types, x.rule, x.text = ofValidation, rule, text
	switch severity {
	case diag.Warning:
		x.severity = severeWarning
	case diag.Note:
		x.severity = severeInfo
	}
	return x
}

// found passes a finding on a command to the messengers: DeviceInfo.Messages of full checking.
func (d *device) found(m vk.Message) {
	text := m.Finding.Error()
	d.told.Store(&text)
	if m.Command != "" {
		text = fmt.Sprintf("%s, command %d (%s): %s", m.Buffer, m.Index, m.Command, text)
	}
	d.physical.instance.messengers.send(&message{severity: severeError, types: ofValidation, rule: m.Finding.Rule, text: text, objects: []named{d.named()}, labels: m.Labels})
}

// printed passes a line of debugPrintf to the messengers: information, of the type that the validation layers use for it.
func (d *device) printed(text string) {
	d.physical.instance.messengers.send(&message{severity: severeInfo, types: ofValidation, text: text, objects: []named{d.named()}})
}

// reported passes the first report of a sanitizer on an instruction and a fault to the messengers, as a warning. The device calls
// it for one report at a time.
func (d *device) reported(r vk.Report) {
	if !d.reports.Add(r) {
		return
	}
	m := &message{severity: severeWarning, types: ofValidation, text: r.Sanitizer + ": " + r.Text(), objects: []named{d.named()}}
	if strings.HasPrefix(r.Rule, "VUID-") {
		m.rule = r.Rule
	}
	d.physical.instance.messengers.send(m)
}

// stackOf is the stack of an internal fault; nil of other errors.
func stackOf(err error) []byte {
	if fault := (*vk.InternalError)(nil); errors.As(err, &fault) {
		return fault.Stack
	}
	return nil
}

// report writes the report of a fault of the driver, or of the loss of a device, into the folder that the variable CHIARO_REPORT
// names, if it is set.
func report(cause any, stack []byte) {
	folder := os.Getenv("CHIARO_REPORT")
	if folder == "" {
		return
	}
	name := filepath.Join(folder, fmt.Sprintf("chiaro-%d-%d.txt", os.Getpid(), time.Now().UnixNano()))
	text := fmt.Appendf(nil, "%v\n", cause)
	if len(stack) > 0 {
		text = fmt.Appendf(text, "\n%s", stack)
	}
	_ = os.WriteFile(name, text, 0o600) // there is no place for an error
}
