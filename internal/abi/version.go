package abi

import "fmt"

// Minor is the minor version of Vulkan that the driver has.
const Minor = 4

// Version returns the version of Vulkan that the driver has, as text: "1.4.300".
func Version() string { return fmt.Sprintf("1.%d.%d", Minor, HeaderVersion) }
