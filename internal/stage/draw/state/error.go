package state

import "fmt"

// StateError is state, a target or arguments that do not fit each other.
type StateError struct{ What string }

// Error says what is and what must be.
func (e *StateError) Error() string { return "draw: " + e.What }

func Errorf(format string, args ...any) error { return &StateError{fmt.Sprintf(format, args...)} }
