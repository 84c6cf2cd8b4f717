//go:build !amd64

package ray

// The operations of rows_amd64.go are not called.

func copyRowsAVX2(*uint32, *uint32, int, int) {}

func blendRowsAVX2(*uint32, int, *uint32, int, uint32) {}

func fillRowAVX2(*uint32, uint32, uint32) {}

func differsAVX2(*uint32, uint32, uint32) bool { return false }

func beginsAVX2(*uint32, int, uint64, uint32) bool { return false }

func equalAVX2(*[PacketLanes]uint32, uint32) uint32 { return 0 }

func beginAVX2(*PacketRays, *rows, *rows, uint32) (uint32, bool) { return 0, false }
