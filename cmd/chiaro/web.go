package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/chiaro-gpu/chiaro/internal/fleet/wire"
	"github.com/chiaro-gpu/chiaro/internal/plain"
	"github.com/chiaro-gpu/chiaro/internal/web"
)

func newWeb(c console) *cobra.Command {
	var listen, on string
	var megabytes int
	page := web.Config{Version: version(), Jobs: 2}
	cmd := &cobra.Command{
		Use:   "web [DIRECTORY]",
		Short: "Show reports, pictures, a fleet and a playground for shaders in a browser",
		Long: `Serve a page for the browser of this machine. It shows the reports of check, run, test and fuzz that a folder has as *.json and *.jsonl
(default: the working directory), while they are written too: results, failures by their cause, sources with their findings and
counts, pictures and their differences. Its playground runs a shader and shows the picture or the buffers, the reports of
sanitizers and the disassembly side by side, in a process with limits of time and memory.`,
		Example: "  chiaro web\n  chiaro check --out jsonl=reports/check.jsonl shaders/ & chiaro web reports\n  chiaro web --on nats://host:4222",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			page.Reports = "."
			if len(args) > 0 {
				page.Reports = args[0]
			}
			if page.Limits.Time <= 0 {
				return unreadable("--time %v; want more than 0", page.Limits.Time)
			}
			page.Limits.Memory = int64(megabytes) << 20
			if on == wire.Local {
				return unreadable("--on %s: must be a server, nats://HOST:PORT", on)
			}
			if on != "" {
				page.Fleet = func(ctx context.Context) (any, error) { return fleetState(ctx, on) }
			}
			return serveWeb(c, page, listen)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&listen, "listen", "127.0.0.1:8650", "address of this machine; port 0 for a free one")
	fl.StringVar(&page.Sources, "sources", ".", "folder of the files that reports name; others are not shown")
	fl.StringArrayVar(&page.Hosts, "host", nil, "further host name of the page, such as the name of a proxy; repeatable")
	fl.StringVar(&on, "on", "", "show the fleet of a server: nats://HOST:PORT; see chiaro fleet")
	fl.DurationVar(&page.Limits.Time, "time", 20*time.Second, "time for one process of the playground")
	countVar(fl, &megabytes, "memory", "", 1024, 1, "memory of a process of the playground, in MB")
	return cmd
}

// serveWeb serves a page until a signal arrives.
func serveWeb(c console, page web.Config, listen string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	page.Tool = []string{self}
	s, err := web.New(page)
	if err != nil {
		return unreadable("%v", err)
	}
	defer s.Close()
	l, err := web.Listen(listen)
	if err != nil {
		return unreadable("--listen: %v", err)
	}
	ctx, stop := interruptible()
	defer stop()
	plain.Fprintf(c.err, "chiaro web: http://%s/\n", l.Addr().String())
	if err := s.Serve(ctx, l); err != nil {
		return unreadable("%v", err)
	}
	return &coded{code: exitInterrupt}
}

// fleetState asks chiaro-fleet for the state of a fleet.
func fleetState(ctx context.Context, on string) (any, error) {
	path, err := fleetBinary()
	if err != nil {
		return nil, err
	}
	var log bytes.Buffer
	cmd := exec.CommandContext(ctx, path, "status", "--format=json", "--on="+on)
	cmd.Stderr = &log
	out, err := cmd.Output()
	if err != nil {
		return nil, errors.New(orElse(strings.TrimSpace(log.String()), err.Error()))
	}
	return json.RawMessage(out), nil
}
