//go:build !unix

package main

// ignorePipe does nothing: this system has no signal for closed pipes.
func ignorePipe() {}
