//go:build unix

package wsi

import (
	"encoding/binary"
	"io"
	"net"
	"testing"

	"github.com/jezek/xgb"
)

// server answers a client of the X protocol: each request is a QueryExtension of an extension with these numbers.
func server(c net.Conn, opcode, event, failure byte) {
	defer c.Close()
	read := func(n int) []byte {
		b := make([]byte, n)
		if _, err := io.ReadFull(c, b); err != nil {
			return nil
		}
		return b
	}
	hello := read(12)
	if hello == nil {
		return
	}
	padded := func(at int) int { return (int(binary.LittleEndian.Uint16(hello[at:])) + 3) &^ 3 }
	read(padded(6) + padded(8)) // the authorization
	setup := make([]byte, 40)
	setup[0], setup[2], setup[6] = 1, 11, 8 // success, version 11.0, words after the first two
	binary.LittleEndian.PutUint32(setup[16:], 1<<21-1)
	c.Write(setup)
	for n := uint16(1); ; n++ {
		head := read(4)
		if head == nil || read(4*int(binary.LittleEndian.Uint16(head[2:]))-4) == nil {
			return
		}
		reply := make([]byte, 32)
		reply[0], reply[8], reply[9], reply[10], reply[11] = 1, 1, opcode, event, failure
		binary.LittleEndian.PutUint16(reply[2:], n)
		c.Write(reply)
	}
}

// TestExtend checks that the maps of package xgb are written once for the connections to a server, and that each connection knows
// the opcode of the extension.
func TestExtend(t *testing.T) {
	runs := 0
	for _, c := range []struct{ opcode, event, failure, runs byte }{{130, 65, 128, 1}, {130, 65, 128, 1}, {131, 65, 128, 1}, {130, 70, 128, 2}, {130, 65, 130, 3}} {
		client, other := net.Pipe()
		go server(other, c.opcode, c.event, c.failure)
		conn, err := xgb.NewConnNet(client)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		init := func(x *xgb.Conn) error {
			runs++
			x.ExtLock.Lock()
			defer x.ExtLock.Unlock()
			x.Extensions["TEST"] = c.opcode
			return nil
		}
		if !extend(conn, "TEST", init) || runs != int(c.runs) || conn.Extensions["TEST"] != c.opcode {
			t.Errorf("%+v: after %d runs of Init the opcode is %d", c, runs, conn.Extensions["TEST"])
		}
	}
}
