package driver

import (
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/vk"
)

var executableCalls = map[int]call{
	abi.CmdGetPipelineExecutablePropertiesKHR: on(func(a *abi.GetPipelineExecutablePropertiesKHRArgs) abi.Result {
		all, r := executablesOf(a.Device, a.PPipelineInfo.Pipeline)
		if r != abi.Success {
			return r
		}
		return list(a.PExecutableCount, a.PProperties, all, func(to *abi.PipelineExecutablePropertiesKHR, x vk.Executable) {
			to.Stages, to.SubgroupSize = x.Stages, x.SubgroupSize
			putName(&to.Name, &to.Description, x.Name, x.Description)
		})
	}),
	abi.CmdGetPipelineExecutableStatisticsKHR: on(func(a *abi.GetPipelineExecutableStatisticsKHRArgs) abi.Result {
		x, r := executableOf(a.Device, a.PExecutableInfo)
		if r != abi.Success {
			return r
		}
		return list(a.PStatisticCount, a.PStatistics, x.Statistics(), func(to *abi.PipelineExecutableStatisticKHR, s vk.Statistic) {
			to.Format, to.Value = abi.PipelineExecutableStatisticFormatUint64KHR, abi.PipelineExecutableStatisticValueKHR{s.Value}
			putName(&to.Name, &to.Description, s.Name, s.Description)
		})
	}),
	abi.CmdGetPipelineExecutableInternalRepresentationsKHR: on(func(a *abi.GetPipelineExecutableInternalRepresentationsKHRArgs) abi.Result {
		x, r := executableOf(a.Device, a.PExecutableInfo)
		if r != abi.Success {
			return r
		}
		short := false
		r = list(a.PInternalRepresentationCount, a.PInternalRepresentations, []string{x.Representation()}, func(to *abi.PipelineExecutableInternalRepresentationKHR, text string) {
			putName(&to.Name, &to.Description, "IR", "the optimized program in the intermediate representation")
			to.IsText = abi.True
			short = putText(to, text)
		})
		if short {
			return abi.Incomplete
		}
		return r
	}),
}

// putName writes the name and the description of an executable or of a part of it.
func putName(name, description *[abi.MaxDescriptionSize]byte, n, d string) {
	abi.PutString(name[:], n)
	abi.PutString(description[:], d)
}

// putText writes a text with a final zero to the memory of a representation, or only its size if there is none. It reports
// whether the memory is too short: it has the first bytes then.
func putText(to *abi.PipelineExecutableInternalRepresentationKHR, text string) (short bool) {
	size := uint(len(text)) + 1
	if to.PData == nil {
		to.DataSize = size
		return false
	}
	short, to.DataSize = to.DataSize < size, min(to.DataSize, size)
	if to.DataSize > 0 {
		abi.PutString(unsafe.Slice((*byte)(to.PData), to.DataSize), text)
	}
	return short
}

// executablesOf returns the programs of a pipeline.
func executablesOf(device *abi.Dispatch, h abi.Pipeline) ([]vk.Executable, abi.Result) {
	d, p := deviceOf(device), pipelines.get(uint64(h))
	if d == nil || p == nil {
		return nil, abi.ErrorDeviceLost
	}
	all, err := d.vk.Executables(p.vk())
	return all, d.result(err)
}

// executableOf returns the program that an application asks for.
func executableOf(device *abi.Dispatch, i *abi.PipelineExecutableInfoKHR) (*vk.Executable, abi.Result) {
	all, r := executablesOf(device, i.Pipeline)
	if r != abi.Success {
		return nil, r
	}
	if uint64(i.ExecutableIndex) >= uint64(len(all)) {
		return &vk.Executable{}, abi.Success
	}
	return &all[i.ExecutableIndex], abi.Success
}
