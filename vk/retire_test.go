package vk

import "testing"

// TestTolerantReset resets and begins command buffers that are pending: an error, and on a tolerant device a message and a wait for
// the submission.
func TestTolerantReset(t *testing.T) {
	for _, tolerant := range []bool{false, true} {
		var s *Semaphore
		var rules []string
		r := newRig(t, DeviceInfo{Tolerant: tolerant, Messages: func(m Message) {
			rules = append(rules, m.Finding.Rule)
			if err := s.Signal(1); err != nil { // the submission can end from now on
				t.Error(err)
			}
		}}, storage)
		for i, again := range []func(c *CommandBuffer) error{(*CommandBuffer).Reset, func(c *CommandBuffer) error { return c.Begin(BeginInfo{}) }} {
			rule := []string{"VUID-vkResetCommandBuffer-commandBuffer-00045", "VUID-vkBeginCommandBuffer-commandBuffer-00049"}[i]
			s = must(r.dev.NewSemaphore(0))(t)
			c := r.record(t, func(c *CommandBuffer) { c.FillBuffer(r.y, 0, 4, uint32(i+1)) })
			if err := r.dev.Queue().Submit(SubmitInfo{Wait: []SemaphoreValue{{s, 1}}, Commands: []*CommandBuffer{c}}); err != nil {
				t.Fatal(err)
			}
			rules = nil
			err := again(c)
			if !tolerant {
				wantRule(t, err, rule)
				if err := s.Signal(1); err != nil {
					t.Fatal(err)
				}
				if err := r.dev.WaitIdle(t.Context()); err != nil {
					t.Fatal(err)
				}
				continue
			}
			if err != nil || len(rules) != 1 || rules[0] != rule {
				t.Errorf("error %v, messages %v; must be the message of %s alone", err, rules, rule)
			}
			if got := getWord(r.memory.Bytes()[64:]); got != uint32(i+1) {
				t.Errorf("the word is %d after the call; must be %d", got, i+1)
			}
		}
	}
}
