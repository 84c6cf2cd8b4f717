//go:build !amd64

package ray

// packetSession is the rows of a packet.
type packetSession struct{ low, high, sum, second, third rows }

// rows is a number of each ray of a packet.
type rows = [PacketLanes]float32

// forget has nothing to drop.
func (s *packetSession) forget() {}

// coordinates and findAll are not called with rays: no machine code exists for this processor.
func (s *packetSession) coordinates(*PacketHits) {}

func (w *Walker) findAll(uint32) {}
