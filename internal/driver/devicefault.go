package driver

import (
	"encoding/binary"
	"errors"
	"time"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/internal/exec"
)

// faultCalls are the commands of VK_EXT_device_fault and VK_KHR_device_fault. A lost device has one report: the cause as text.
var faultCalls = map[int]call{
	abi.CmdGetDeviceFaultInfoEXT: on(func(a *abi.GetDeviceFaultInfoEXTArgs) abi.Result {
		d := deviceOf(a.Device)
		c := a.PFaultCounts
		c.AddressInfoCount, c.VendorInfoCount, c.VendorBinarySize = 0, 0, 0
		if a.PFaultInfo != nil {
			abi.PutString(a.PFaultInfo.Description[:], d.fault())
		}
		return abi.Success
	}),
	abi.CmdGetDeviceFaultReportsKHR: on(getFaultReports),
	abi.CmdGetDeviceFaultDebugInfoKHR: on(func(a *abi.GetDeviceFaultDebugInfoKHRArgs) abi.Result {
		a.PDebugInfo.VendorBinarySize = 0
		if m := abi.Find[abi.DeviceFaultShaderAbortMessageInfoKHR](a.PDebugInfo.PNext, abi.StructureTypeDeviceFaultShaderAbortMessageInfoKHR); m != nil {
			m.MessageDataSize = putMessage(m, deviceOf(a.Device))
		}
		return abi.Success
	}),
}

// fault returns the cause of the loss of the device; "" if it is not lost.
func (d *device) fault() string {
	if d == nil {
		return ""
	}
	if err := d.vk.Err(); err != nil {
		return err.Error()
	}
	return ""
}

// putMessage writes the message of OpAbortKHR with which the device was lost, after its length in 8 bytes, as far as the memory of
// the structure reaches. It returns the bytes that it has written, or could write without memory.
func putMessage(m *abi.DeviceFaultShaderAbortMessageInfoKHR, d *device) uint64 {
	var aborted *exec.AbortError
	if d == nil || !errors.As(d.vk.Err(), &aborted) {
		return 0
	}
	text := aborted.Message()
	data := append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...)
	if m.PMessageData == nil {
		return uint64(len(data))
	}
	return uint64(copy(abi.Bytes(m.PMessageData, m.MessageDataSize), data))
}

// getFaultReports waits for the loss of the device.
func getFaultReports(a *abi.GetDeviceFaultReportsKHRArgs) abi.Result {
	ctx, end := timeout(a.Timeout)
	defer end()
	d := deviceOf(a.Device)
	for d.fault() == "" {
		select {
		case <-ctx.Done():
			*a.PFaultCounts = 0
			return abi.Timeout
		case <-time.After(lossInterval):
		}
		if d = deviceOf(a.Device); d == nil {
			return abi.Timeout // it was destroyed
		}
	}
	return list(a.PFaultCounts, a.PFaultInfo, []string{d.fault()}, func(to *abi.DeviceFaultInfoKHR, text string) {
		to.Flags, to.GroupId = abi.DeviceFaultFlagDeviceLostKHR, 0
		to.FaultAddressInfo, to.InstructionAddressInfo, to.VendorInfo = abi.DeviceFaultAddressInfoKHR{}, abi.DeviceFaultAddressInfoKHR{}, abi.DeviceFaultVendorInfoKHR{}
		abi.PutString(to.Description[:], text)
	})
}
