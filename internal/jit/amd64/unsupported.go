package amd64

import "errors"

var errUnsupported = errors.New("the jit needs linux/amd64 with AVX-512")
