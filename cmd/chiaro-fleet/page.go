package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/pflag"

	"github.com/chiaro-gpu/chiaro/internal/fleet"
	"github.com/chiaro-gpu/chiaro/internal/plain"
	"github.com/chiaro-gpu/chiaro/internal/web"
)

// pageFlags are the flags of the page of a server.
type pageFlags struct {
	http, reports string
	hosts         []string
}

func (f *pageFlags) add(fl *pflag.FlagSet) {
	fl.StringVar(&f.http, "http", "", "also serve the page of chiaro web at an address of this machine, such as 127.0.0.1:8650")
	fl.StringVar(&f.reports, "reports", "", "folder of the reports that the page shows (default: none)")
	fl.StringArrayVar(&f.hosts, "host", nil, "further host name of the page, such as the name of a proxy; repeatable")
}

// serve serves the page of a server, if --http is set, until the context ends.
func (f *pageFlags) serve(ctx context.Context, on fleet.Server) error {
	if f.http == "" {
		<-ctx.Done()
		return nil
	}
	answer, err := command()
	if err != nil {
		return err
	}
	page, err := web.New(web.Config{
		Tool: answer[:1], Version: "fleet", Reports: f.reports, Sources: f.reports, Hosts: f.hosts, Jobs: 2,
		Limits: web.Limits{Memory: 1 << 30, Time: 20 * time.Second},
		Fleet:  func(ctx context.Context) (any, error) { return fleet.Status(ctx, on) },
	})
	if err != nil {
		return err
	}
	defer page.Close()
	l, err := web.Listen(f.http)
	if err != nil {
		return fmt.Errorf("--http: %w", err)
	}
	plain.Fprintf(os.Stderr, "chiaro fleet: the page is at http://%s/\n", l.Addr().String())
	return page.Serve(ctx, l)
}
