package vk

import (
	"github.com/chiaro-gpu/chiaro/device"
	"github.com/chiaro-gpu/chiaro/valid"
)

// PhysicalDevice is a device that can be made: Chiaro itself, or another device that Chiaro plays by its profile.
type PhysicalDevice struct {
	Name    string
	Version valid.Version // of Vulkan
	Limits  *valid.Device // features, limits and extensions; nil if all are Chiaro's
}

// Chiaro returns the physical device with all of Chiaro's features and limits.
func Chiaro() *PhysicalDevice {
	return &PhysicalDevice{Name: "Chiaro", Version: valid.Vulkan14}
}

// limit returns a limit or a property of the profile, at most the one of Chiaro; that if there is no profile, or it lacks the limit.
func (p *PhysicalDevice) limit(name string, own uint64) uint64 {
	if n, known := p.Limits.Limit(name); known {
		return min(n, own)
	}
	return own
}

// Play returns a physical device with the features and limits of a profile. Programs that need more fail on it as they
// would on the device of the profile, if Checking is on; more than Chiaro has is not there all the same.
func Play(p device.Profile) *PhysicalDevice {
	v := p.Version
	if v == 0 {
		v = valid.Vulkan14
	}
	return &PhysicalDevice{Name: p.Name, Version: v, Limits: p.Device}
}
