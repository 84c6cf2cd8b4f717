package state

import "fmt"

// StateError reports invalid or inconsistent state, target or arguments.
type StateError struct{ What string }

// Error names the actual value and the requirement.
func (e *StateError) Error() string { return "draw: " + e.What }

// Errorf returns a *StateError with a formatted text.
func Errorf(format string, args ...any) error { return &StateError{fmt.Sprintf(format, args...)} }
