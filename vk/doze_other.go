//go:build !linux

package vk

import "time"

func doze(d time.Duration) { time.Sleep(d) }
