package main

import (
	_ "embed"
	"encoding/binary"
	"os"
	"time"

	"github.com/chiaro-gpu/chiaro/internal/tools/client"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
)

//go:embed client/client.cpp
var source []byte

// build compiles the client into dir and returns its path. Its error names the missing
// packages.
func build(dir string) (string, error) {
	return client.Program{
		Source: source, Name: "client.cpp", Compiler: []string{"g++", "-O2", "-Wall"},
		Libs: []string{"-lSPIRV-Tools", "-lSPIRV-Tools-opt"}, Needs: "SPIRV-Tools (Debian: spirv-tools)",
	}.Build(dir)
}

// answer is the verdict of the peer on a module.
type answer struct {
	rejected bool
	message  string
}

// patience is how long the peer may take for one module.
const patience = 10 * time.Second

// maxMessage bounds the message of the peer on a module.
const maxMessage = 1 << 24

// peer is a process of the client, which is restarted after it dies.
type peer struct {
	path, env string
	process   *client.Process
	answered  func() // it is not too late yet
}

// stop ends the process.
func (p *peer) stop() {
	if p.process != nil {
		p.process.Stop()
		p.process = nil
	}
}

// ask hands a module over. The answer comes by answer.
func (p *peer) ask(words []uint32) (err error) {
	if p.process == nil {
		if p.process, err = client.Start(p.path, []string{p.env}, os.Environ(), os.Stderr); err != nil {
			return err
		}
	}
	p.answered = p.process.Patience(patience)
	b := binary.NativeEndian.AppendUint32(nil, uint32(len(words)))
	if err := p.process.Ask(append(b, asm.Bytes(words)...)); err != nil {
		p.answered()
		p.stop()
		return err
	}
	return nil
}

// answer returns the verdict of the peer on the last module that was sent, or
// client.ErrDied if there is no answer.
func (p *peer) answer() (answer, error) {
	defer p.answered()
	rejected, err := p.process.Number()
	if err == nil {
		var text string
		if text, err = p.process.Text(maxMessage); err == nil {
			return answer{rejected != 0, text}, nil
		}
	}
	p.stop()
	return answer{}, err
}
