// Package filter rejects the system calls that a process which answers needs none of. It is apart from package confine, so that
// chiaro, which only limits processes, does not contain a compiler of filters. It refuses to know the process.
//
// # Files
//
//	filter_linux.go  the filter (seccomp)
//	filter_other.go  likewise, where there is none
package filter
