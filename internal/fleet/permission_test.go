package fleet

import (
	"context"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chiaro-gpu/chiaro/internal/fleet/wire"
)

// TestPermissions checks that the permissions of docs/fleet.md suffice, and that a submitter can neither take work nor
// store results.
func TestPermissions(t *testing.T) {
	page, err := os.ReadFile("../../docs/fleet.md")
	if err != nil {
		t.Fatal(err)
	}
	_, conf, _ := strings.Cut(string(page), "```conf\n")
	conf, _, ok := strings.Cut(conf, "```")
	if !ok {
		t.Fatal("docs/fleet.md has no configuration")
	}
	e, log := serveConfig(t, conf)
	as := func(user, password string) Server {
		u, err := url.Parse(e.URL())
		if err != nil {
			t.Fatal(err)
		}
		u.User = url.UserPassword(user, password)
		return Server{URL: u.String()}
	}
	ctx := context.Background()
	if _, err := Status(ctx, as("admin", "a")); err != nil {
		t.Fatal(err)
	}
	startWorker(t, &Worker{Server: as("worker", "w"), Command: command(t, "v1"), Slots: 1, AckWait: time.Second})
	items := makeItems(t, 6)
	if err := os.WriteFile(items[0].Files[0].Path, make([]byte, 300000), 0o600); err != nil {
		t.Fatal(err)
	}
	items[1].Kind = "large"
	answers := submitAll(t, Submission{Server: as("submitter", "s"), Audit: 500 * time.Millisecond}, wire.Head{Version: "v1", Verb: "check"}, items)
	wantResults(t, items[2:], answers[2:], "")
	wantResults(t, items[:1], answers[:1], "")
	if text, err := os.ReadFile(log); err != nil || strings.Contains(string(text), "Violation") {
		t.Errorf("%v\n%s", err, text)
	}
	st, err := connect(ctx, as("submitter", "s"), "test")
	if err != nil {
		t.Fatal(err)
	}
	defer st.close()
	short, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	if _, err := st.js.Publish(short, resultPrefix+"a.b", nil); err == nil {
		t.Error("a submitter stores a result")
	}
}
