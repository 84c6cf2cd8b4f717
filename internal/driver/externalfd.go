package driver

import (
	"os"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/vk"
)

// Memory is exported to and imported from files of memory: handles of the type OPAQUE_FD. Payloads of semaphores and fences are
// exported as the sync file −1, which is signaled: an export waits for the payload.
var externalCalls = map[int]call{
	abi.CmdGetMemoryFdKHR: on(func(a *abi.GetMemoryFdKHRArgs) abi.Result {
		f, err := memories.get(uint64(a.PGetFdInfo.Memory)).File()
		if err != nil {
			return deviceOf(a.Device).result(err)
		}
		defer f.Close()
		n, ok := duplicate(int(f.Fd()))
		if !ok {
			return abi.ErrorTooManyObjects
		}
		*a.PFd = int32(n)
		return abi.Success
	}),
	abi.CmdGetMemoryFdPropertiesKHR: on(func(*abi.GetMemoryFdPropertiesKHRArgs) abi.Result {
		return abi.ErrorInvalidExternalHandle // no type that the command accepts can be imported
	}),
	abi.CmdGetSemaphoreFdKHR:    on(getSemaphoreFd),
	abi.CmdImportSemaphoreFdKHR: on(importSemaphoreFd),
	abi.CmdGetFenceFdKHR:        on(getFenceFd),
	abi.CmdImportFenceFdKHR:     on(importFenceFd),
}

// importMemory reads the file of an import. The driver owns the number of the file after a successful import: taken closes it.
func importMemory(i *abi.ImportMemoryFdInfoKHR, info *vk.MemoryInfo) (taken func(bool)) {
	n, ok := duplicate(int(i.Fd))
	if i.HandleType != abi.ExternalMemoryHandleTypeOpaqueFdBit || !ok {
		n = -1
	}
	info.File = os.NewFile(uintptr(n), "memory")
	if info.File == nil {
		info.File = &os.File{} // which holds no exported memory: the import fails
	}
	return func(imported bool) {
		_ = info.File.Close()
		if imported {
			closeNumber(int(i.Fd))
		}
	}
}

// externalSync has the properties of external semaphores and fences: exported payloads can be imported again.
func externalSync(handle, syncFd, features uint32) (export, compatible, does uint32) {
	if handle != syncFd || !hasFiles {
		return 0, 0, 0
	}
	return syncFd, syncFd, features
}

func externalSemaphore(a *abi.GetPhysicalDeviceExternalSemaphorePropertiesArgs) {
	p, i := a.PExternalSemaphoreProperties, a.PExternalSemaphoreInfo
	p.ExportFromImportedHandleTypes, p.CompatibleHandleTypes, p.ExternalSemaphoreFeatures = externalSync(i.HandleType,
		abi.ExternalSemaphoreHandleTypeSyncFdBit, abi.ExternalSemaphoreFeatureExportableBit|abi.ExternalSemaphoreFeatureImportableBit)
	if t := abi.Find[abi.SemaphoreTypeCreateInfo](i.PNext, abi.StructureTypeSemaphoreTypeCreateInfo); t != nil && t.SemaphoreType == abi.SemaphoreTypeTimeline {
		p.ExportFromImportedHandleTypes, p.CompatibleHandleTypes, p.ExternalSemaphoreFeatures = 0, 0, 0
	}
}

func externalFence(a *abi.GetPhysicalDeviceExternalFencePropertiesArgs) {
	p := a.PExternalFenceProperties
	p.ExportFromImportedHandleTypes, p.CompatibleHandleTypes, p.ExternalFenceFeatures = externalSync(a.PExternalFenceInfo.HandleType,
		abi.ExternalFenceHandleTypeSyncFdBit, abi.ExternalFenceFeatureExportableBit|abi.ExternalFenceFeatureImportableBit)
}

// exportTime bounds the wait of an export in nanoseconds: a submission that waits for a timeline may never signal its fence.
const exportTime = 60e9

// getSemaphoreFd waits for a semaphore, as a queue does: it is unsignaled afterwards.
func getSemaphoreFd(a *abi.GetSemaphoreFdKHRArgs) abi.Result {
	d, s := deviceOf(a.Device), semaphores.get(uint64(a.PGetFdInfo.Semaphore))
	if d == nil || s == nil || a.PGetFdInfo.HandleType != abi.ExternalSemaphoreHandleTypeSyncFdBit {
		return unknownResult
	}
	ctx, end := timeout(exportTime)
	defer end()
	*a.PFd = -1
	return d.result(s.Export(ctx))
}

// importSemaphoreFd waits for a sync file and signals a semaphore.
func importSemaphoreFd(a *abi.ImportSemaphoreFdKHRArgs) abi.Result {
	d, i := deviceOf(a.Device), a.PImportSemaphoreFdInfo
	s := semaphores.get(uint64(i.Semaphore))
	if d == nil || s == nil || i.HandleType != abi.ExternalSemaphoreHandleTypeSyncFdBit {
		return abi.ErrorInvalidExternalHandle
	}
	return d.importSync(i.Fd, s.Import)
}

// getFenceFd waits for a fence and resets it.
func getFenceFd(a *abi.GetFenceFdKHRArgs) abi.Result {
	d, f := deviceOf(a.Device), fences.get(uint64(a.PGetFdInfo.Fence))
	if d == nil || f == nil || a.PGetFdInfo.HandleType != abi.ExternalFenceHandleTypeSyncFdBit {
		return unknownResult
	}
	ctx, end := timeout(exportTime)
	defer end()
	*a.PFd = -1
	return d.result(f.Export(ctx))
}

// importFenceFd waits for a sync file and signals a fence.
func importFenceFd(a *abi.ImportFenceFdKHRArgs) abi.Result {
	d, i := deviceOf(a.Device), a.PImportFenceFdInfo
	f := fences.get(uint64(i.Fence))
	if d == nil || f == nil || i.HandleType != abi.ExternalFenceHandleTypeSyncFdBit {
		return abi.ErrorInvalidExternalHandle
	}
	return d.importSync(i.Fd, f.Import)
}

// importSync waits for a sync file and signals an object. The driver owns the number of the file after a successful import, and
// closes it. The number −1 is a file that is signaled.
func (d *device) importSync(fd int32, signal func() error) abi.Result {
	if fd != -1 && !waitNumber(int(fd)) {
		return abi.ErrorInvalidExternalHandle
	}
	r := d.result(signal())
	if r == abi.Success && fd != -1 {
		closeNumber(int(fd))
	}
	return r
}

// unknownResult is the result of a call whose arguments are not valid.
const unknownResult abi.Result = abi.ErrorUnknown

// exports reports whether the chain of an allocation exports its memory.
func exports(s unsafe.Pointer) bool {
	return (*abi.ExportMemoryAllocateInfo)(s).HandleTypes&abi.ExternalMemoryHandleTypeOpaqueFdBit != 0
}
