//go:build !unix

package wsi

import "errors"

// errNoServer is the error of hosts without X servers.
var errNoServer = errors.New("this system has no X server")

// Display is a connection to an X server: there is none.
type Display struct{}

// OpenDisplay returns an error.
func OpenDisplay(string) (*Display, error) { return nil, errNoServer }

// Close does nothing.
func (d *Display) Close() {}

// Depth returns 0.
func (d *Display) Depth(uint32) int { return 0 }

// Window is a surface in a window: there is none.
type Window struct{ Headless }

// NewWindow returns an error.
func (d *Display) NewWindow(uint32) (*Window, error) { return nil, errNoServer }

// Close does nothing.
func (w *Window) Close() {}
