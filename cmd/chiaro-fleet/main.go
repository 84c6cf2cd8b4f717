// Command chiaro-fleet spreads the work of chiaro over machines. The user calls it as chiaro fleet, and chiaro calls it
// for --on. It refuses to know shaders: a chiaro beside it answers.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/chiaro-gpu/chiaro/internal/confine/filter"
	"github.com/chiaro-gpu/chiaro/internal/fleet"
	"github.com/chiaro-gpu/chiaro/internal/fleet/wire"
	"github.com/chiaro-gpu/chiaro/internal/plain"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	if !signal.Ignored(syscall.SIGINT) { // the shell ignores it for background commands
		ctx, stop = signal.NotifyContext(ctx, syscall.SIGINT)
		defer stop()
	}
	root, out := newRoot(), &output{w: os.Stdout}
	root.SetContext(ctx)
	root.SetOut(out)
	err := root.Execute()
	if err == nil {
		err = out.err
	}
	if err != nil {
		plain.Fprintf(os.Stderr, "chiaro fleet: %s\n", plain.Block(err.Error(), ""))
		os.Exit(2)
	}
}

// output is standard output. It keeps the first error.
type output struct {
	w   io.Writer
	err error
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	if err != nil && o.err == nil {
		o.err = fmt.Errorf("cannot write standard output: %w", err)
	}
	return n, err
}

const exitCodesHelp = `
Exit codes:
  0    done
  2    usage, a server that cannot be reached, or output that cannot be written
  130  interrupted by a signal, if chiaro fleet started the command
`

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "chiaro-fleet",
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: "chiaro fleet"},
		Short:         "Spread checks and runs over machines",
		Long:          "A fleet is a server of NATS with JetStream, and workers. check, run, link, test and fuzz with --on submit their work to it.",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetUsageTemplate(root.UsageTemplate() + exitCodesHelp)
	root.AddCommand(newServe(), newWork(), newConfine(), newSubmit(), newStatus(), newCancel(), newPrune())
	return root
}

// serverFlags add the flags that name a server.
func serverFlags(cmd *cobra.Command, s *fleet.Server) {
	fl := cmd.Flags()
	fl.StringVar(&s.URL, "on", orElse(os.Getenv("NATS_URL"), "nats://127.0.0.1:4222"), "server: nats://HOST:PORT or tls://HOST:PORT, several with commas between them")
	fl.StringVar(&s.Credentials, "creds", os.Getenv("NATS_CREDS"), "file of the user's JWT and key")
	fl.StringVar(&s.NKey, "nkey", os.Getenv("NATS_NKEY"), "file of the seed of the user's NKey")
	fl.StringVar(&s.CA, "tlsca", os.Getenv("NATS_CA"), "file of the certificates to trust")
	fl.StringVar(&s.Cert, "tlscert", os.Getenv("NATS_CERT"), "file of the client's certificate")
	fl.StringVar(&s.Key, "tlskey", os.Getenv("NATS_KEY"), "file of the key of the client's certificate")
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func newServe() *cobra.Command {
	var v fleet.Serving
	var page pageFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run a server of NATS with JetStream",
		Long: `Run a server of NATS with JetStream, if there is none. Without --config it listens on this machine alone.
A configuration of nats-server has users, TLS and other addresses.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if v.Store == "" {
				base, err := os.UserCacheDir()
				if err != nil {
					return fmt.Errorf("%w; --store names the folder of the server", err)
				}
				v.Store = filepath.Join(base, "chiaro", "fleet")
			}
			e, err := fleet.Serve(v)
			if err != nil {
				return err
			}
			defer e.Stop()
			plain.Fprintf(os.Stderr, "chiaro fleet: the server is at %s\n", e.URL())
			return page.serve(cmd.Context(), e.Server())
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&v.Listen, "listen", "127.0.0.1:4222", "address")
	fl.StringVar(&v.Store, "store", "", "folder of the streams (default: chiaro/fleet in the user's cache folder)")
	fl.StringVar(&v.Config, "config", "", "configuration of nats-server, instead of --listen and --store")
	fl.Var(&size{&v.Most}, "store-limit", "bytes of all streams, such as 20G")
	page.add(fl)
	return cmd
}

// workerFlags add the flags of a worker.
func workerFlags(cmd *cobra.Command, w *fleet.Worker) {
	w.Limits = fleet.Limits{Memory: 4 << 30, Output: 1 << 30, Time: 10 * time.Minute}
	w.Cache = 4 << 30
	fl := cmd.Flags()
	fl.IntVarP(&w.Slots, "jobs", "j", runtime.GOMAXPROCS(0), "number of processes")
	fl.Var(&size{&w.Limits.Memory}, "memory", "memory of a process")
	fl.Var(&size{&w.Limits.Output}, "output", "bytes of a file that a process writes")
	fl.DurationVar(&w.Limits.Time, "time", w.Limits.Time, "time for one item")
	fl.Var(&size{&w.Cache}, "inputs", "bytes of inputs to keep")
	fl.DurationVar(&w.AckWait, "ack-wait", 30*time.Second, "time after which the work of a dead worker is given to another one")
}

// command returns the command of the processes that answer, confined if the system can: the chiaro beside this binary, else the
// one on PATH.
func command() ([]string, error) {
	name := "chiaro"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	path := os.Getenv("CHIARO_FLEET_TOOL")
	if path == "" {
		if self, err := os.Executable(); err == nil {
			path = filepath.Join(filepath.Dir(self), name)
		}
		if _, err := os.Stat(path); err != nil {
			if path, err = exec.LookPath(name); err != nil {
				return nil, errors.New("chiaro is neither beside chiaro-fleet nor on PATH; go build ./cmd/chiaro makes it")
			}
		}
	}
	answer := []string{path, "answer"}
	self, err := os.Executable()
	if err != nil || !filter.Supported() {
		plain.Fprintf(os.Stderr, "chiaro fleet: this system has no seccomp: the processes that answer are not confined\n")
		return answer, nil
	}
	return append([]string{self, "confine"}, answer...), nil
}

// newConfine returns the command that workers start chiaro with.
func newConfine() *cobra.Command {
	return &cobra.Command{
		Use:                "confine COMMAND...",
		Short:              "Run a command that can neither connect nor start a process nor write a file",
		Args:               cobra.MinimumNArgs(1),
		Hidden:             true,
		DisableFlagParsing: true,
		RunE:               func(_ *cobra.Command, args []string) error { return filter.Exec(args) },
	}
}

func newWork() *cobra.Command {
	w := &fleet.Worker{Log: os.Stderr}
	cmd := &cobra.Command{
		Use:   "work",
		Short: "Work for the fleet until a signal arrives",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if w.Command, err = command(); err != nil {
				return err
			}
			return w.Run(cmd.Context())
		},
	}
	serverFlags(cmd, &w.Server)
	workerFlags(cmd, w)
	cmd.Flags().StringVar(&w.Dir, "dir", "", "folder of the inputs (default: a temporary folder)")
	return cmd
}

func newSubmit() *cobra.Command {
	var s fleet.Submission
	var sent string
	w := &fleet.Worker{}
	cmd := &cobra.Command{
		Use:    "submit",
		Short:  "Submit items that chiaro writes",
		Args:   cobra.NoArgs,
		Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if sent != "" {
				defer os.RemoveAll(sent)
			}
			err := submit(cmd.Context(), s, w)
			if err != nil {
				_ = wire.NewWriter(os.Stdout).Write(wire.Report{Error: err.Error()})
			}
			return nil
		},
	}
	serverFlags(cmd, &s.Server)
	workerFlags(cmd, w)
	cmd.Flags().StringVar(&sent, "sent", "", "folder to remove at the end: chiaro has files in it, and may be killed")
	cmd.Flags().DurationVar(&s.Audit, "audit", 0, "time without an answer after which the submitter looks for lost work")
	return cmd
}

// submit submits the items of standard input to a server, or to a fleet of this machine for "local".
func submit(ctx context.Context, s fleet.Submission, w *fleet.Worker) (err error) {
	// After the end of chiaro, a write to its pipe must fail and not end this process, which has a folder to remove.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	if s.Server.URL != wire.Local {
		return s.Submit(ctx, os.Stdin, os.Stdout)
	}
	if w.Command, err = command(); err != nil {
		return err
	}
	return fleet.Local(ctx, w, func(on fleet.Server) error {
		s.Server = on
		return s.Submit(ctx, os.Stdin, os.Stdout)
	})
}

func newStatus() *cobra.Command {
	var s fleet.Server
	format := "text"
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show the workers, the streams and the runs",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			st, err := fleet.Status(cmd.Context(), s)
			if err != nil {
				return err
			}
			switch format {
			case "json":
				e := json.NewEncoder(cmd.OutOrStdout())
				e.SetIndent("", "  ")
				return e.Encode(st)
			case "text":
				return writeState(cmd.OutOrStdout(), st)
			}
			return fmt.Errorf("--format %q; want text or json", format)
		},
	}
	serverFlags(cmd, &s)
	cmd.Flags().StringVar(&format, "format", format, "output format: text, json")
	return cmd
}

// writeState writes the state of a fleet as tables.
func writeState(w io.Writer, st *fleet.State) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "worker\tversion\tbusy\titems\tcrashes\tup")
	for _, p := range st.Workers {
		plain.Fprintf(t, "%s\t%s\t%d/%d\t%d\t%d\t%v\n", p.Name, p.Version, p.Busy, p.Slots, p.Done, p.Crashes, time.Duration(p.Seconds)*time.Second)
	}
	fmt.Fprintln(t, "\nstream\tmessages\tMB\tlimit")
	for _, s := range st.Streams {
		limit := "none"
		if s.Most > 0 {
			limit = fmt.Sprintf("%d MB", s.Most>>20)
		}
		plain.Fprintf(t, "%s\t%d\t%.1f\t%s\n", s.Name, s.Messages, float64(s.Bytes)/(1<<20), limit)
	}
	fmt.Fprintln(t, "\nrun\tbatches waiting\tdone")
	for _, r := range st.Runs {
		plain.Fprintf(t, "%s\t%d\t%d\n", r.Run, r.Waiting, r.Done)
	}
	return t.Flush()
}

func newCancel() *cobra.Command {
	var s fleet.Server
	cmd := &cobra.Command{
		Use:   "cancel RUN|all",
		Short: "Remove the waiting work of a run, and end its submitters",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			n, err := fleet.Cancel(cmd.Context(), s, args[0])
			if err == nil {
				fmt.Fprintf(cmd.OutOrStdout(), "%d batches canceled\n", n)
			}
			return err
		},
	}
	serverFlags(cmd, &s)
	return cmd
}

func newPrune() *cobra.Command {
	var s fleet.Server
	age := 7 * 24 * time.Hour
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Remove old results and files from the server",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			results, files, err := fleet.Prune(cmd.Context(), s, age)
			if err == nil {
				fmt.Fprintf(cmd.OutOrStdout(), "%d results and %d files removed\n", results, files)
			}
			return err
		},
	}
	serverFlags(cmd, &s)
	cmd.Flags().DurationVar(&age, "older", age, "least age of removed results and files")
	return cmd
}

// size is a flag of a number of bytes, with K, M, G or T for powers of 1024.
type size struct{ at *int64 }

const units = "KMGT"

func (s *size) String() string {
	if s.at == nil || *s.at == 0 {
		return ""
	}
	n, unit := *s.at, ""
	for i := 0; i < len(units) && n%1024 == 0; i++ {
		n, unit = n/1024, units[i:i+1]
	}
	return strconv.FormatInt(n, 10) + unit
}

func (s *size) Type() string { return "SIZE" }

func (s *size) Set(text string) error {
	shift := 0
	if text != "" {
		if i := strings.IndexByte(units, text[len(text)-1]); i >= 0 {
			shift, text = 10*(i+1), text[:len(text)-1]
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || n > 1<<62>>shift {
		return errors.New("want a number of bytes, such as 512M or 4G")
	}
	*s.at = n << shift
	return nil
}
