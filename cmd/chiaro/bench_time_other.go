//go:build !unix

package main

import "time"

// processTime returns 0: processor time is not measured here.
func processTime() time.Duration { return 0 }
