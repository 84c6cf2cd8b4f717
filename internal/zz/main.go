package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/chiaro-gpu/chiaro/internal/cputime"
	"github.com/chiaro-gpu/chiaro/internal/host"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/vk"
)

// ref FILE.spv groups(x,y) n|"" buf...
func main() {
	code, _ := os.ReadFile(os.Args[1])
	d, err := vk.Chiaro().NewDevice(vk.DeviceInfo{Workers: 1, DeferFree: true})
	if err != nil { panic(err) }
	var push []byte
	sgn, _ := strconv.Atoi(os.Getenv("SG"))
	sg := uint32(sgn)
	for _, f := range os.Args[4:] {
		data, _ := os.ReadFile(f)
		b, m, err := host.NewBuffer(d, uint64(len(data)), vk.StorageBuffer|vk.DeviceAddress)
		if err != nil { panic(err) }
		copy(m.Bytes(), data)
		push = binary.LittleEndian.AppendUint64(push, b.Address())
	}
	if os.Args[3] != "" {
		n, _ := strconv.Atoi(os.Args[3])
		push = binary.LittleEndian.AppendUint32(push, uint32(n))
	}
	l, err := d.NewPipelineLayout(vk.PipelineLayoutInfo{Push: []link.Range{{Size: uint32(len(push)), Stages: link.AllStages}}})
	if err != nil { panic(err) }
	p, err := d.NewComputePipeline(context.Background(), vk.ComputePipelineInfo{Stage: vk.StageInfo{Code: code, Entry: "main", SubgroupSize: sg}, Layout: l})
	if err != nil { panic(err) }
	g := [3]uint32{1, 1, 1}
	for i, s := range strings.Split(os.Args[2], ",") { n, _ := strconv.Atoi(s); g[i] = uint32(n) }
	c, _ := d.NewCommandBuffer(vk.CommandBufferInfo{})
	c.Begin(vk.BeginInfo{})
	c.BindPipeline(p)
	c.PushConstants(l, 0, push)
	c.Dispatch(g[0], g[1], g[2])
	if err := c.End(); err != nil { panic(err) }
	best := 1e9
	for start := time.Now(); time.Since(start).Seconds() < 0.4; {
		u := cputime.Now()
		if err := host.Run(d, c); err != nil { panic(err) }
		best = min(best, (cputime.Now() - u).Seconds()*1e3)
	}
	fmt.Printf("%.3f\n", best)
}
