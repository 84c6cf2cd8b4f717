package vk

// work is a recorded command that runs by itself: it holds copies of its arguments.
type work interface {
	run(x *executor) error
}

// workName is the name of a work in messages.
type workName struct{ text string }

// deferred records a command that is a work.
func (c *CommandBuffer) deferred(name string, w work) {
	n := take[workName](c)
	n.text = name
	c.commands = append(c.commands, command{kind: runWork, a: w, b: n})
}

// name returns the name of the command in messages.
func (k *command) name() string {
	if k.kind == runWork {
		return k.b.(*workName).text
	}
	return commandNames[k.kind]
}

// takenValues are the values of one type that the commands of a recording have, and idle ones of earlier recordings.
type takenValues[T any] struct {
	list []*T
	used int
}

// taken is takenValues of any type.
type taken interface{ giveBack() }

// forgetter is a value that drops its references and keeps the memory of its lists.
type forgetter interface{ forget() }

// giveBack makes all values idle.
func (v *takenValues[T]) giveBack() {
	for _, x := range v.list[:v.used] {
		if f, ok := any(x).(forgetter); ok {
			f.forget()
		} else {
			var zero T
			*x = zero
		}
	}
	v.used = 0
}

// take returns a zero value for a command, whose lists may have memory of an earlier recording. It lives as long as the
// recording.
func take[T any](c *CommandBuffer) *T {
	if c == nil {
		return new(T)
	}
	key := any((*T)(nil))
	v, ok := c.taken[key].(*takenValues[T])
	if !ok {
		v = &takenValues[T]{}
		if c.taken == nil {
			c.taken = map[any]taken{}
		}
		c.taken[key] = v
	}
	if v.used == len(v.list) {
		v.list = append(v.list, new(T))
	}
	v.used++
	return v.list[v.used-1]
}

// emptied returns a list without elements and references, with its memory.
func emptied[T any](list []T) []T {
	clear(list)
	return list[:0]
}
