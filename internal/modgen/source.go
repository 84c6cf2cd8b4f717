package modgen

import "math/rand/v2"

// source provides choices: bytes while there are any, then a
// generator.
type source struct {
	data []byte
	rest *rand.Rand
}

// intn returns a number from 0 to n−1.
func (s *source) intn(n int) int {
	if len(s.data) < 2 || n > 1<<16 {
		return s.rest.IntN(n)
	}
	k := int(s.data[0])
	s.data = s.data[1:]
	if n > 256 {
		k = k<<8 | int(s.data[0])
		s.data = s.data[1:]
	}
	return k % n
}

// chance reports true once in n times.
func (s *source) chance(n int) bool { return s.intn(n) == 0 }

// choose returns one of a list.
func choose[T any](s *source, list ...T) T { return list[s.intn(len(list))] }
