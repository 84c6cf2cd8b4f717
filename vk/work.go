package vk

// work is a recorded command that runs by itself: it holds copies of its arguments.
type work interface {
	run(x *executor) error
}

// deferred records a command that is a work.
func (c *CommandBuffer) deferred(name string, w work) {
	c.commands = append(c.commands, command{kind: runWork, a: w, b: name})
}

// name returns the name of the command in messages.
func (k *command) name() string {
	if k.kind == runWork {
		return k.b.(string)
	}
	return commandNames[k.kind]
}
