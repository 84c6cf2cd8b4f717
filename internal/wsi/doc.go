// Package wsi shows images: in windows of an X server or of Wayland, or headless, in files or nowhere.
//
// The package opens a connection of its own to the X server by the pure-Go protocol library and puts images into the
// application's window by its number: the connection of the application is not used. Images are in shared memory if the server
// supports it (MIT-SHM), so that presenting copies nothing on this side.
//
// A window of Wayland is an object of the connection of the application, which the client library has. The host of the package
// makes the calls of the library, and images are copied into memory that the compositor shares.
//
// The package does not know Vulkan, devices and queues.
//
// # Files
//
//	surface.go    what all surfaces have in common
//	headless.go   surfaces without a window, and the files that they write
//	refresh.go    the time between two vertical blanks of an X server's displays
//	x11.go        windows of an X server; x11_other.go hosts without one
//	wayland.go    windows of Wayland; sharedfile_*.go the memory of their buffers
package wsi
