//go:build !amd64

package ray

// packetSession is the rows of a packet.
type packetSession struct {
	low, high, sum, second, third rows
	place, instance               [PacketLanes]uint32
}

// rows is a number of each ray of a packet.
type rows = [PacketLanes]float32

// forget has nothing to drop.
func (s *packetSession) forget() {}

// sumBits, describe, coordinates and findAll are not called with rays: no machine code exists for this processor.
func (s *packetSession) sumBits() *[PacketLanes]uint32 { return nil }

func (s *packetSession) describe(*PacketHits, *describedHits, uint32) {}

func (s *packetSession) coordinates(*PacketHits) {}

func (w *Walker) findAll(uint32) {}
