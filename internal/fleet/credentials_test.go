package fleet

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nkeys"

	"github.com/chiaro-gpu/chiaro/internal/fleet/wire"
)

// listeningConf begins a configuration for serveConfig.
const listeningConf = "listen: \"127.0.0.1:-1\"\njetstream { store_dir: \"STORE\" }\n"

// serveConfig starts a server with a configuration, in which STORE is a folder, and returns the file of its log.
func serveConfig(t *testing.T, conf string) (e *Embedded, log string) {
	t.Helper()
	log = filepath.Join(t.TempDir(), "log")
	file := secretFile(t, []byte("log_file: '"+log+"'\n"+strings.Replace(conf, "STORE", t.TempDir(), 1)))
	e, err := Serve(Serving{Config: file})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Stop)
	return e, log
}

// secretFile writes a file of credentials.
func secretFile(t *testing.T, data []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// wantAdmitted checks that a run with the credentials has its answers.
func wantAdmitted(t *testing.T, s Server) {
	t.Helper()
	startWorker(t, &Worker{Server: s, Command: command(t, "v1"), Slots: 1})
	items := makeItems(t, 2)
	wantResults(t, items, submitAll(t, Submission{Server: s}, wire.Head{Version: "v1"}, items), "")
}

// wantRejected checks the error of a run with other credentials. It has no secret.
func wantRejected(t *testing.T, s Server, want string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	run := Submission{Server: s}
	err := run.Submit(ctx, input(t, wire.Head{Version: "v1"}, nil), &bytes.Buffer{})
	if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "SUA") {
		t.Errorf("%+v: %v; want %q", s, err, want)
	}
}

// pair makes a key of a user, an account or an operator.
func pair(t *testing.T, prefix nkeys.PrefixByte) (key nkeys.KeyPair, public string, seed []byte) {
	t.Helper()
	key, err := nkeys.CreatePair(prefix)
	if err == nil {
		public, err = key.PublicKey()
	}
	if err == nil {
		seed, err = key.Seed()
	}
	if err != nil {
		t.Fatal(err)
	}
	return key, public, seed
}

// TestNKey checks that a server with an NKey accepts its seed and no other one.
func TestNKey(t *testing.T) {
	t.Parallel()
	_, public, seed := pair(t, nkeys.PrefixByteUser)
	_, _, other := pair(t, nkeys.PrefixByteUser)
	e, _ := serveConfig(t, listeningConf+"authorization { users: [ { nkey: "+public+" } ] }")
	wantAdmitted(t, Server{URL: e.URL(), NKey: secretFile(t, seed)})
	wantRejected(t, Server{URL: e.URL(), NKey: secretFile(t, other)}, "the server rejects the credentials")
	wantRejected(t, Server{URL: e.URL()}, "the server rejects the credentials")
	wantRejected(t, Server{URL: e.URL(), NKey: secretFile(t, []byte("no seed"))}, "must be the seed of an NKey")
	wantRejected(t, Server{URL: e.URL(), NKey: "/absent"}, "/absent")
}

// TestJWT checks that a server of an operator accepts the users of its accounts alone.
func TestJWT(t *testing.T) {
	t.Parallel()
	operator, operatorID, _ := pair(t, nkeys.PrefixByteOperator)
	account, accountID, _ := pair(t, nkeys.PrefixByteAccount)
	_, systemID, _ := pair(t, nkeys.PrefixByteAccount)
	stranger, _, _ := pair(t, nkeys.PrefixByteAccount)
	o := jwt.NewOperatorClaims(operatorID)
	o.SystemAccount = systemID
	operatorJWT, err := o.Encode(operator)
	if err != nil {
		t.Fatal(err)
	}
	encode := func(id string) string {
		c := jwt.NewAccountClaims(id)
		if id != systemID {
			c.Limits.JetStreamLimits = jwt.JetStreamLimits{MemoryStorage: -1, DiskStorage: -1, Streams: -1, Consumer: -1}
		}
		text, err := c.Encode(operator)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	e, _ := serveConfig(t, listeningConf+fmt.Sprintf("operator: %s\nsystem_account: %s\nresolver: MEMORY\nresolver_preload: { %s: %s, %s: %s }\n",
		operatorJWT, systemID, accountID, encode(accountID), systemID, encode(systemID)))
	user := func(by nkeys.KeyPair, expires time.Time) Server {
		_, id, seed := pair(t, nkeys.PrefixByteUser)
		c := jwt.NewUserClaims(id)
		c.Expires = expires.Unix()
		text, err := c.Encode(by)
		if err != nil {
			t.Fatal(err)
		}
		creds, err := jwt.FormatUserConfig(text, seed)
		if err != nil {
			t.Fatal(err)
		}
		return Server{URL: e.URL(), Credentials: secretFile(t, creds)}
	}
	later := time.Now().Add(time.Hour)
	wantAdmitted(t, user(account, later))
	wantRejected(t, user(stranger, later), "the server rejects the credentials")
	wantRejected(t, user(account, time.Now().Add(-time.Hour)), "the server rejects the credentials")
	wantRejected(t, Server{URL: e.URL()}, "the server rejects the credentials")
	wantRejected(t, Server{URL: e.URL(), Credentials: "/absent"}, "/absent")
	wantRejected(t, Server{URL: e.URL(), Credentials: secretFile(t, []byte("none"))}, "must be a file of a JWT with its key")
}

// authority is a certificate authority.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	file string // of its certificate
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	a := &authority{t: t, key: key}
	a.cert = &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, a.cert, a.cert, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	a.file = secretFile(t, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	return a
}

// issue writes a certificate for this machine, which is valid for two hours from a time on, with its key.
func (a *authority) issue(from time.Time) (cert, key string) {
	a.t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "node"}, NotBefore: from, NotAfter: from.Add(2 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	der, err := x509.CreateCertificate(rand.Reader, c, a.cert, &k.PublicKey, a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	text, err := x509.MarshalECPrivateKey(k)
	if err != nil {
		a.t.Fatal(err)
	}
	return secretFile(a.t, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})), secretFile(a.t, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: text}))
}

// TestTLS checks that both ends verify the certificate of the other one.
func TestTLS(t *testing.T) {
	t.Parallel()
	ours, other := newAuthority(t), newAuthority(t)
	now := time.Now().Add(-time.Hour)
	cert, key := ours.issue(now)
	otherCert, otherKey := other.issue(now)
	server := func(from time.Time) string {
		cert, key := ours.issue(from)
		e, _ := serveConfig(t, listeningConf+fmt.Sprintf("tls { cert_file: %q, key_file: %q, ca_file: %q, verify: true }", cert, key, ours.file))
		return strings.Replace(e.URL(), "nats://", "tls://", 1)
	}
	url := server(now)
	wantAdmitted(t, Server{URL: url, CA: ours.file, Cert: cert, Key: key})
	wantRejected(t, Server{URL: url, CA: other.file, Cert: cert, Key: key}, "--tlsca must name")
	wantRejected(t, Server{URL: url, Cert: cert, Key: key}, "--tlsca must name")
	wantRejected(t, Server{URL: url, CA: ours.file}, "--tlscert and --tlskey must name")
	wantRejected(t, Server{URL: url, CA: ours.file, Cert: otherCert, Key: otherKey}, "--tlscert and --tlskey must name")
	wantRejected(t, Server{URL: url, CA: ours.file, Cert: cert, Key: otherKey}, "private key does not match")
	wantRejected(t, Server{URL: server(time.Now().Add(24 * time.Hour)), CA: ours.file, Cert: cert, Key: key}, "its clock may be wrong")
	wantRejected(t, Server{URL: url, CA: "/absent"}, "/absent")
}
