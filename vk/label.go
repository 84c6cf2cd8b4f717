package vk

import (
	"slices"
	"strconv"
	"strings"
)

// maxLabels bounds the depth of open labels; deeper ones have no name.
const maxLabels = 1 << 10

// labels are the open labels of a queue, the outermost first (VkDebugUtilsLabelEXT). [LostError] has those of the command
// that failed.
type labels struct {
	list     []string
	deeper   int    // open labels beyond maxLabels
	inserted string // since the last begin or end; "" is none
}

func (l *labels) begin(name string) {
	l.inserted = ""
	if len(l.list) >= maxLabels {
		l.deeper++
		return
	}
	l.list = append(l.list, name)
}

func (l *labels) end() {
	l.inserted = ""
	switch n := len(l.list); {
	case l.deeper > 0:
		l.deeper--
	case n > 0:
		l.list[n-1] = ""
		l.list = l.list[:n-1]
	}
}

// all returns a copy of the names.
func (l *labels) all() []string {
	list := slices.Clone(l.list)
	if l.inserted != "" {
		list = append(list, l.inserted)
	}
	return list
}

// labelWork is a recorded command of a label.
type labelWork struct {
	do   labelAction
	name string
}

// labelAction is the action of a command on labels.
type labelAction uint8

const (
	beginLabel labelAction = iota
	endLabel
	insertLabel
)

func (l *labels) run(w labelWork) {
	switch w.do {
	case beginLabel:
		l.begin(w.name)
	case endLabel:
		l.end()
	case insertLabel:
		l.inserted = w.name
	}
}

func (w *labelWork) run(x *executor) error {
	x.labels.run(*w)
	return nil
}

func (*labelWork) flags() QueueFlags { return anyQueue }

// label records an action on labels.
func (c *CommandBuffer) label(command string, do labelAction, name string) {
	if c.begin() {
		w := take[labelWork](c)
		*w = labelWork{do, name}
		c.deferred(command, w)
	}
}

// BeginLabel opens a label for the commands up to EndLabel, which may be in a later command buffer of the queue.
func (c *CommandBuffer) BeginLabel(name string) {
	c.label("begin label", beginLabel, name)
}

// EndLabel closes the label that opened last. Without an open label it does nothing.
func (c *CommandBuffer) EndLabel() {
	c.label("end label", endLabel, "")
}

// InsertLabel adds a label for the commands up to the next label.
func (c *CommandBuffer) InsertLabel(name string) {
	c.label("insert label", insertLabel, name)
}

// BeginLabel opens a label for the submissions up to EndLabel.
func (q *Queue) BeginLabel(name string) { q.label(labelWork{beginLabel, name}) }

// EndLabel closes the label that opened last. Without an open label it does nothing.
func (q *Queue) EndLabel() { q.label(labelWork{endLabel, ""}) }

// InsertLabel adds a label for the submissions up to the next label.
func (q *Queue) InsertLabel(name string) { q.label(labelWork{insertLabel, name}) }

func (q *Queue) label(w labelWork) {
	if q == nil || q.dev == nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.labels.run(w)
	q.labeled = q.labels.all()
}

// labelText returns the names for a message, such as ` in "frame" > "shadows"`.
func labelText(list []string) string {
	if len(list) == 0 {
		return ""
	}
	var quoted []string
	for _, name := range list {
		quoted = append(quoted, strconv.Quote(name))
	}
	return " in " + strings.Join(quoted, " > ")
}
