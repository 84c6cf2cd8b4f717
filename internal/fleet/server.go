package fleet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/chiaro-gpu/chiaro/internal/fleet/wire"
)

// Serving describes an embedded server of NATS.
type Serving struct {
	Listen string // host:port; "" for connections of this process alone
	Store  string // folder of the streams
	Config string // a configuration file of nats-server, which has precedence over Listen and Store; "" for none
	Most   int64  // bytes of all streams; 0 for the size of the disk
}

// Embedded is a server in this process.
type Embedded struct{ s *server.Server }

// startTime bounds the start of a server, which reads its streams.
const startTime = 2 * time.Minute

// Serve starts a server.
func Serve(v Serving) (*Embedded, error) {
	opts := &server.Options{}
	if v.Config != "" {
		var err error
		if opts, err = server.ProcessConfigFile(v.Config); err != nil {
			return nil, err
		}
	} else {
		opts.StoreDir, opts.JetStream, opts.DontListen, opts.MaxPayload = v.Store, true, v.Listen == "", 1<<20
		if v.Listen != "" {
			host, port, err := listening(v.Listen)
			if err != nil {
				return nil, err
			}
			if err := isFree(host, port); err != nil {
				return nil, err
			}
			opts.Host, opts.Port = host, port
		}
	}
	if v.Most > 0 {
		opts.JetStreamMaxStore = v.Most
	}
	opts.NoSigs, opts.NoLog = true, v.Config == ""
	s, err := server.NewServer(opts)
	if err != nil {
		return nil, err
	}
	if v.Config != "" {
		s.ConfigureLogger()
	}
	s.Start()
	if !s.ReadyForConnections(startTime) {
		s.Shutdown()
		return nil, fmt.Errorf("the server does not start in %v; the address may be in use", startTime)
	}
	if !s.JetStreamEnabled() {
		s.Shutdown()
		return nil, errors.New("the configuration has no jetstream; must have it, with store_dir")
	}
	return &Embedded{s}, nil
}

// isFree returns an error if nothing can listen at an address: the server itself would try until startTime has passed.
func isFree(host string, port int) error {
	if port == server.RANDOM_PORT {
		return nil
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		return fmt.Errorf("%w; --listen names another address", err)
	}
	return l.Close()
}

// listening parses an address. Without users, which a configuration has, only this machine may connect.
func listening(address string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(address)
	if err == nil {
		port, err = strconv.Atoi(text)
	}
	if err != nil {
		return "", 0, fmt.Errorf("%s: must be HOST:PORT", address)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return "", 0, fmt.Errorf("%s: a server without users must listen on this machine alone, such as 127.0.0.1:4222; --config names a configuration of nats-server with users and TLS", address)
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	return host, port, nil
}

// URL returns the address for clients.
func (e *Embedded) URL() string { return e.s.ClientURL() }

// Server returns the server for connections of this process.
func (e *Embedded) Server() Server { return Server{URL: wire.Local, inProcess: e.s} }

// Stop stops the server.
func (e *Embedded) Stop() {
	e.s.Shutdown()
	e.s.WaitForShutdown()
}

// Local submits a run to a fleet of this machine alone: an embedded server and one process a core, which end with the run.
func Local(ctx context.Context, w *Worker, submit func(Server) error) error {
	dir, err := os.MkdirTemp("", "chiaro-fleet-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	e, err := Serve(Serving{Store: dir})
	if err != nil {
		return err
	}
	defer e.Stop()
	ctx, stop := context.WithCancel(ctx)
	w.Server, w.Dir = e.Server(), dir
	worked, submitted := make(chan error, 1), make(chan error, 1)
	go func() { worked <- w.Run(ctx) }()
	go func() { submitted <- submit(e.Server()) }()
	select {
	case err = <-worked: // before its time: no process answers
		stop()
	case err = <-submitted:
		stop()
		<-worked
	}
	return err
}
