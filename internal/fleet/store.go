package fleet

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"github.com/chiaro-gpu/chiaro/internal/fleet/wire"
)

// Names of the streams and stores on a server. docs/fleet.md lists them with the permissions that they need.
const (
	jobsStream    = "CHIARO_JOBS"
	resultsStream = "CHIARO_RESULTS"
	inputsBucket  = "CHIARO_INPUTS"
	outputsBucket = "CHIARO_OUTPUTS"
	notesBucket   = "CHIARO_NOTES" // of batches that a worker gave up

	jobPrefix    = "chiaro.job."    // VERSION.SCOPE.BATCH
	resultPrefix = "chiaro.result." // SCOPE.BATCH
	cancelPrefix = "chiaro.cancel." // SCOPE
	pingSubject  = "chiaro.ping"
)

// kept is how long results and inputs stay on the server.
const kept = 30 * 24 * time.Hour

// ackTime is how long a message waits for its acknowledgement. It is then sent again, which has no effect if the server has it.
const ackTime = 5 * time.Second

// keptBriefly is how long the server keeps a result with a brief answer, such as a timeout: until its submitters, which may
// have to reconnect, have it.
const keptBriefly = 2 * time.Minute

// errSubjectFull is the code of JetStream for a second message of a subject that may have one.
const errSubjectFull = 10077

// Server names a server and the credentials for it.
type Server struct {
	URL         string // nats://host:4222 or tls://host, several with commas between them
	Credentials string // file of a JWT with its key
	NKey        string // file of the seed of an NKey
	CA          string // file of the certificates to trust
	Cert, Key   string // files of the client's certificate

	inProcess nats.InProcessConnProvider // a server in this process; nil for none
}

// store is a connection to a server with the streams of the fleet.
type store struct {
	conn            *nats.Conn
	js              jetstream.JetStream
	jobs, results   jetstream.Stream
	inputs, outputs jetstream.ObjectStore
	notes           jetstream.KeyValue
}

// options returns the options of a connection. name is shown by the server.
func (s *Server) options(name string) ([]nats.Option, error) {
	opts := []nats.Option{nats.Name(name), nats.MaxReconnects(-1), nats.ReconnectWait(250 * time.Millisecond),
		nats.ReconnectJitter(100*time.Millisecond, 100*time.Millisecond), nats.Timeout(5 * time.Second),
		nats.PingInterval(10 * time.Second), nats.MaxPingsOutstanding(3), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {})}
	if s.inProcess != nil {
		opts = append(opts, nats.InProcessServer(s.inProcess))
	}
	if s.Credentials != "" {
		data, err := os.ReadFile(s.Credentials)
		if err == nil {
			_, err = nkeys.ParseDecoratedNKey(data)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w; must be a file of a JWT with its key", s.Credentials, err)
		}
		opts = append(opts, nats.UserCredentials(s.Credentials))
	}
	if s.NKey != "" {
		o, err := nats.NkeyOptionFromSeed(s.NKey)
		if err != nil {
			return nil, fmt.Errorf("%s: %w; must be the seed of an NKey", s.NKey, err)
		}
		opts = append(opts, o)
	}
	if s.CA != "" {
		opts = append(opts, nats.RootCAs(s.CA), nats.Secure(&tls.Config{MinVersion: tls.VersionTLS12}))
	}
	if s.Cert != "" {
		opts = append(opts, nats.ClientCert(s.Cert, s.Key))
	}
	return opts, nil
}

// connect connects to a server and makes the streams that are absent.
func connect(ctx context.Context, s Server, name string) (*store, error) {
	if s.URL == wire.Local && s.inProcess == nil {
		return nil, fmt.Errorf("%s: such a fleet exists only during its run; want the address of a server, nats://HOST:PORT", s.URL)
	}
	opts, err := s.options(name)
	if err != nil {
		return nil, err
	}
	conn, err := nats.Connect(s.URL, opts...)
	if err != nil {
		return nil, explained(s.URL, err)
	}
	st := &store{conn: conn}
	if st.js, err = jetstream.New(conn, jetstream.WithPublishAsyncMaxPending(512), jetstream.WithPublishAsyncTimeout(ackTime), jetstream.WithDefaultTimeout(10*time.Second)); err == nil {
		err = st.open(ctx)
	}
	if err != nil {
		conn.Close()
		return nil, explained(s.URL, err)
	}
	return st, nil
}

// open opens the streams. It leaves the configuration of streams that exist, which are their administrator's.
func (st *store) open(ctx context.Context) (err error) {
	st.jobs, err = st.stream(ctx, jetstream.StreamConfig{Name: jobsStream, Subjects: []string{jobPrefix + ">"}, Description: "Work of chiaro's fleet",
		Retention: jetstream.WorkQueuePolicy, Discard: jetstream.DiscardNew, MaxMsgsPerSubject: 1, DiscardNewPerSubject: true, AllowDirect: true})
	if err != nil {
		return err
	}
	st.results, err = st.stream(ctx, jetstream.StreamConfig{Name: resultsStream, Subjects: []string{resultPrefix + ">"}, Description: "Results of chiaro's fleet",
		Discard: jetstream.DiscardNew, MaxMsgsPerSubject: 1, DiscardNewPerSubject: true, AllowDirect: true, MaxAge: kept, AllowMsgTTL: true})
	if err != nil {
		return err
	}
	if st.inputs, err = st.bucket(ctx, inputsBucket); err != nil {
		return err
	}
	if st.outputs, err = st.bucket(ctx, outputsBucket); err != nil {
		return err
	}
	st.notes, err = st.js.KeyValue(ctx, notesBucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		if st.notes, err = st.js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: notesBucket, TTL: 24 * time.Hour}); errors.Is(err, jetstream.ErrBucketExists) {
			st.notes, err = st.js.KeyValue(ctx, notesBucket)
		}
	}
	return err
}

// stream returns a stream, which it makes if it is absent.
func (st *store) stream(ctx context.Context, cfg jetstream.StreamConfig) (jetstream.Stream, error) {
	s, err := st.js.Stream(ctx, cfg.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		if s, err = st.js.CreateStream(ctx, cfg); errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
			s, err = st.js.Stream(ctx, cfg.Name)
		}
	}
	return s, err
}

// bucket returns an object store, which it makes if it is absent.
func (st *store) bucket(ctx context.Context, name string) (jetstream.ObjectStore, error) {
	b, err := st.js.ObjectStore(ctx, name)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		if b, err = st.js.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: name, TTL: kept}); errors.Is(err, jetstream.ErrBucketExists) {
			b, err = st.js.ObjectStore(ctx, name)
		}
	}
	return b, err
}

func (st *store) close() { st.conn.Close() }

// explained adds advice for the user to an error.
func explained(url string, err error) error {
	text := err.Error()
	url = wire.Shown(url)
	var invalid x509.CertificateInvalidError
	switch {
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired), strings.Contains(text, "Authorization Violation"):
		return fmt.Errorf("%s: the server rejects the credentials (%w); --creds or --nkey must name those of a user of it", url, err)
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return fmt.Errorf("%s: the certificate of the server is not valid at the time of this machine (%w); its clock may be wrong", url, err)
	case errors.As(err, new(*tls.CertificateVerificationError)):
		return fmt.Errorf("%s: the certificate of the server is not trusted (%w); --tlsca must name the certificates to trust", url, err)
	case strings.Contains(text, "remote error: tls"), strings.Contains(text, "closed by remote after TLS handshake"):
		return fmt.Errorf("%s: the server rejects the certificate of the client (%w); --tlscert and --tlskey must name one that it trusts", url, err)
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount), errors.Is(err, nats.ErrNoResponders):
		return fmt.Errorf("%s: the server has no JetStream for this user (%w); nats-server -js has, and so has chiaro fleet serve", url, err)
	case errors.Is(err, nats.ErrNoServers):
		return fmt.Errorf("%s: no server answers (%w); chiaro fleet serve starts one", url, err)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, nats.ErrTimeout):
		return fmt.Errorf("%s: the server does not answer in time (%w); the user may lack the permissions that docs/fleet.md lists", url, err)
	}
	return fmt.Errorf("%s: %w", url, err)
}

// subjectFull reports whether a message was not stored because its subject has one.
func subjectFull(err error) bool {
	var api *jetstream.APIError
	if errors.As(err, &api) {
		return api.ErrorCode == errSubjectFull && strings.Contains(api.Description, "per subject")
	}
	return err != nil && strings.Contains(err.Error(), "maximum messages per subject exceeded")
}
