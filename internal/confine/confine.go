// Package confine bounds the processes that run shaders for others: their memory, the size of the files that they write, and
// their life, which ends with the life of the process that started them. It refuses to know the programs.
//
// # Files
//
//	confine.go      the limits and the environment
//	limit_linux.go  limits of a process
//	limit_other.go  likewise, where there are none
//	group_unix.go   a process with all that it starts
//	group_other.go  likewise, where a process has no group
package confine

import "strings"

// Limits bound a process. They hold on Linux.
type Limits struct {
	Memory int64 // bytes of its data; 0 for none
	Output int64 // bytes of a file that it writes; 0 for none
}

// Environment returns an environment without the credentials of the fleet.
func Environment(all []string) (out []string) {
	for _, v := range all {
		if !strings.HasPrefix(v, "NATS_") && !strings.HasPrefix(v, "CHIARO_FLEET_") {
			out = append(out, v)
		}
	}
	return out
}
