//go:build !amd64

package ray

// packetSession is the rows of a packet.
type packetSession struct{ low, high, sum, second, third [PacketLanes]float32 }

// forget has nothing to drop.
func (s *packetSession) forget() {}

// coordinates and findAll are not called with rays: no machine code exists for this processor.
func (s *packetSession) coordinates(*PacketHits) {}

func (w *Walker) findAll(uint32) {}

// blendAVX2 is not called.
func blendAVX2(*uint32, *[PacketLanes]uint32, uint32) {}
