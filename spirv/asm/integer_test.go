package asm

import "testing"

func TestIntegers(t *testing.T) {
	const good, syntax, negative, outside = intGood, intSyntax, intNegative, intRange
	tests := []struct {
		text   string
		width  uint
		signed bool
		want   uint64
		fault  intFault
	}{
		{"0", 32, false, 0, good},
		{"4294967295", 32, false, 0xffffffff, good},
		{"4294967296", 32, false, 0, outside},
		{"2147483647", 32, true, 0x7fffffff, good},
		{"2147483648", 32, true, 0, outside},
		{"-2147483648", 32, true, 0xffffffff80000000, good},
		{"-2147483649", 32, true, 0, outside},
		{"-1", 32, false, 0, negative},
		{"-0", 32, false, 0, negative},
		{"-0", 32, true, 0, good},
		{"+5", 32, true, 5, good},
		{"010", 32, false, 8, good},
		{"08", 32, false, 0, syntax},
		{"-010", 32, true, 0xfffffffffffffff8, good},
		{"0x10", 32, false, 16, good},
		{"0X1f", 32, false, 31, good},
		{"-0x10", 32, true, 0xfffffffffffffff0, good},
		{"0x", 32, false, 0, syntax},
		{"0x1.0", 32, false, 0, syntax},
		{"1u", 32, false, 0, syntax},
		{"--1", 32, true, 0, syntax},
		{"-", 32, true, 0, syntax},
		{"", 32, false, 0, syntax},
		{"0x8000", 16, true, 0xffffffffffff8000, good},
		{"0x8000", 16, false, 0x8000, good},
		{"0x10000", 16, true, 0, outside},
		{"32768", 16, true, 0, outside},
		{"-32768", 16, true, 0xffffffffffff8000, good},
		{"65536", 16, false, 0, outside},
		{"255", 8, false, 255, good},
		{"1", 1, false, 1, good},
		{"-1", 1, true, ^uint64(0), good},
		{"0x800000000000", 48, true, 0xffff800000000000, good},
		{"18446744073709551615", 64, false, ^uint64(0), good},
		{"18446744073709551616", 64, false, 0, outside},
		{"0xffffffffffffffff", 64, true, ^uint64(0), good},
		{"9223372036854775808", 64, true, 0, outside},
		{"-9223372036854775808", 64, true, 1 << 63, good},
		{"99999999999999999999999999999999999999", 64, true, 0, outside},
	}
	for _, tt := range tests {
		got, fault := parseInt(tt.text, tt.width, tt.signed)
		if fault != tt.fault || fault == intGood && got != tt.want {
			t.Errorf("%q in %d bits, signed %v: %#x, fault %d; want %#x, fault %d", tt.text, tt.width, tt.signed, got, fault, tt.want, tt.fault)
		}
	}
}
