package driver

import (
	"bytes"
	"strings"
	"testing"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
)

// TestExecutables asks for the program of a compute pipeline, its numbers and its text: each in two calls (Vulkan §"Pipeline
// Compiler Feedback").
func TestExecutables(t *testing.T) {
	p := newProgram(t)
	b, _ := p.buffer(8)
	pipe, _, _ := p.kernel(numbers, b)
	var n uint32
	properties := abi.GetPipelineExecutablePropertiesKHRArgs{Device: p.device, PPipelineInfo: &abi.PipelineInfoKHR{Pipeline: pipe}, PExecutableCount: &n}
	must(p, abi.CmdGetPipelineExecutablePropertiesKHR, &properties)
	if n != 1 {
		t.Fatalf("a compute pipeline has %d executables; must have 1", n)
	}
	var x abi.PipelineExecutablePropertiesKHR
	properties.PProperties = &x
	must(p, abi.CmdGetPipelineExecutablePropertiesKHR, &properties)
	if x.Stages != abi.ShaderStageComputeBit || x.SubgroupSize == 0 || x.Name[0] == 0 || x.Description[0] == 0 {
		t.Errorf("the executable has the stages %#x, the subgroup size %d, the name %q", x.Stages, x.SubgroupSize, x.Name[:8])
	}
	info := &abi.PipelineExecutableInfoKHR{Pipeline: pipe}
	statistics := abi.GetPipelineExecutableStatisticsKHRArgs{Device: p.device, PExecutableInfo: info, PStatisticCount: &n}
	must(p, abi.CmdGetPipelineExecutableStatisticsKHR, &statistics)
	all := make([]abi.PipelineExecutableStatisticKHR, n)
	statistics.PStatistics = &all[0]
	must(p, abi.CmdGetPipelineExecutableStatisticsKHR, &statistics)
	if s := all[0]; s.Format != abi.PipelineExecutableStatisticFormatUint64KHR || s.Value[0] == 0 || !strings.HasPrefix(string(s.Name[:]), "Operations\x00") {
		t.Errorf("the first number is %q: %d of the format %d", s.Name[:12], s.Value[0], s.Format)
	}
	if n = 1; len(all) > 1 {
		if r := do(abi.CmdGetPipelineExecutableStatisticsKHR, &statistics); r != abi.Incomplete || n != 1 {
			t.Errorf("one number of %d: %d, result %d; must be VK_INCOMPLETE", len(all), n, r)
		}
	}
	var text abi.PipelineExecutableInternalRepresentationKHR
	internal := abi.GetPipelineExecutableInternalRepresentationsKHRArgs{Device: p.device, PExecutableInfo: info, PInternalRepresentationCount: &n, PInternalRepresentations: &text}
	must(p, abi.CmdGetPipelineExecutableInternalRepresentationsKHR, &internal)
	size := text.DataSize
	data := make([]byte, size)
	text.PData = unsafe.Pointer(&data[0])
	must(p, abi.CmdGetPipelineExecutableInternalRepresentationsKHR, &internal)
	if text.IsText != abi.True || bytes.IndexByte(data, 0) != int(size)-1 || !bytes.Contains(data, []byte("compute")) {
		t.Errorf("the representation is not a text of %d characters", size-1)
	}
	text.DataSize = 5
	if r := do(abi.CmdGetPipelineExecutableInternalRepresentationsKHR, &internal); r != abi.Incomplete || text.DataSize != 5 || data[4] != 0 || data[5] == 0 {
		t.Errorf("five bytes: the result is %d, %d bytes; must be VK_INCOMPLETE", r, text.DataSize)
	}
}
