package driver

import (
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/vk"
)

var instrumentations table[vk.ShaderInstrumentation]

var instrumentationCalls = map[int]call{
	abi.CmdEnumeratePhysicalDeviceShaderInstrumentationMetricsARM: on(func(a *abi.EnumeratePhysicalDeviceShaderInstrumentationMetricsARMArgs) abi.Result {
		var metrics []vk.MetricDescription
		if p := physicalOf(a.PhysicalDevice); p != nil {
			metrics = p.vk.ShaderInstrumentationMetrics()
		}
		return list(a.PDescriptionCount, a.PDescriptions, metrics, func(to *abi.ShaderInstrumentationMetricDescriptionARM, m vk.MetricDescription) {
			abi.PutString(to.Name[:], m.Name)
			abi.PutString(to.Description[:], m.Description)
		})
	}),
	abi.CmdCreateShaderInstrumentationARM: on(func(a *abi.CreateShaderInstrumentationARMArgs) abi.Result {
		d := deviceOf(a.Device)
		if d == nil {
			return abi.ErrorDeviceLost
		}
		s, err := d.vk.NewShaderInstrumentation()
		return created(d, &instrumentations, s, err, unsafe.Pointer(a.PInstrumentation))
	}),
	abi.CmdDestroyShaderInstrumentationARM: run(func(a *abi.DestroyShaderInstrumentationARMArgs) {
		destroy(&instrumentations, uint64(a.Instrumentation))
	}),
	abi.CmdGetShaderInstrumentationValuesARM: on(getInstrumentationValues),
	abi.CmdClearShaderInstrumentationMetricsARM: run(func(a *abi.ClearShaderInstrumentationMetricsARMArgs) {
		if s := instrumentations.get(uint64(a.Instrumentation)); s != nil {
			_ = s.Clear() // the call has no result
		}
	}),
}

var instrumentationCommands = map[int]recorder{
	abi.CmdCmdBeginShaderInstrumentationARM: rec(func(c *commandBuffer, a *abi.CmdBeginShaderInstrumentationARMArgs) {
		c.vk.BeginShaderInstrumentation(instrumentations.get(uint64(a.Instrumentation)))
	}),
	abi.CmdCmdEndShaderInstrumentationARM: rec(func(c *commandBuffer, _ *abi.CmdEndShaderInstrumentationARMArgs) { c.vk.EndShaderInstrumentation() }),
}

// getInstrumentationValues answers a query for blocks of metrics in two calls: each block has a header and its values.
func getInstrumentationValues(a *abi.GetShaderInstrumentationValuesARMArgs) abi.Result {
	s := instrumentations.get(uint64(a.Instrumentation))
	if s == nil {
		return abi.ErrorDeviceLost
	}
	blocks, err := s.Blocks()
	var values []byte
	if err == nil {
		values, err = s.Values()
	}
	if err != nil || len(blocks) == 0 {
		*a.PMetricBlockCount = 0
		return deviceOf(a.Device).result(err)
	}
	space := *a.PMetricBlockCount
	if *a.PMetricBlockCount = uint32(len(blocks)); a.PMetricValues == nil {
		return abi.Success
	}
	n := min(space, uint32(len(blocks)))
	size := len(values) / len(blocks) * int(n)
	copy(unsafe.Slice((*byte)(a.PMetricValues), size), values[:size])
	if *a.PMetricBlockCount = n; int(n) < len(blocks) {
		return abi.Incomplete
	}
	return abi.Success
}
