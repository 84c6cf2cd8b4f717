//go:build !linux || !(amd64 || arm64)

package codemem

import "errors"

const pageSize = 64 << 10

var errNone = errors.New("codemem: executable memory needs linux on amd64 or arm64")

func mapTwice(int) (mapping, error) { return mapping{}, errNone }
func mapOnce(int) (mapping, error)  { return mapping{}, errNone }
func unmap(mapping) error           { return nil }
