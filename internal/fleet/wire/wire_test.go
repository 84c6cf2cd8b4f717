package wire

import "testing"

// TestShown checks that an address is shown without its user, password or token.
func TestShown(t *testing.T) {
	for servers, want := range map[string]string{
		"local":                                "local",
		"nats://host:4222":                     "nats://host:4222",
		"nats://user:secret@host:4222":         "nats://***@host:4222",
		"tls://token@a,nats://b,nats://u:p@@c": "tls://***@a,nats://b,nats://***@c",
		"user:secret@host":                     "***@host",
	} {
		if got := Shown(servers); got != want {
			t.Errorf("%s: %s; want %s", servers, got, want)
		}
	}
}
