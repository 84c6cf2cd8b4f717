package web

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// newServer returns a page of two folders.
func newServer(t *testing.T, c Config) *Server {
	t.Helper()
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// ask sends a request to the page and returns the answer.
func ask(s *Server, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Host = "127.0.0.1:8650"
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	return w
}

// TestGuard checks which requests the page refuses. The values of Sec-Fetch-Site are those of the W3C's Fetch Metadata.
func TestGuard(t *testing.T) {
	s := newServer(t, Config{Hosts: []string{"shaders.example"}})
	for _, c := range []struct {
		method, path string
		headers      []string
		want         int
	}{
		{"GET", "/", nil, http.StatusOK},
		{"GET", "/", []string{"Host", "localhost:8650"}, http.StatusOK},
		{"GET", "/", []string{"Host", "[::1]:8650"}, http.StatusOK},
		{"GET", "/", []string{"Host", "shaders.example"}, http.StatusOK},
		{"GET", "/", []string{"Host", "attacker.example:8650"}, http.StatusMisdirectedRequest},
		{"GET", "/", []string{"Host", "10.0.0.1:8650"}, http.StatusMisdirectedRequest},
		{"GET", "/", []string{"Host", ""}, http.StatusMisdirectedRequest},
		{"GET", "/", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"}, http.StatusOK}, // a link to the page
		{"GET", "/api/runs", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"}, http.StatusForbidden},
		{"GET", "/api/runs", []string{"Sec-Fetch-Site", "same-site"}, http.StatusForbidden},
		{"GET", "/api/runs", []string{"Sec-Fetch-Site", "same-origin"}, http.StatusOK},
		{"GET", "/api/runs", []string{"Origin", "http://attacker.example"}, http.StatusForbidden},
		{"POST", "/api/play", []string{"Sec-Fetch-Site", "cross-site"}, http.StatusForbidden},
		{"POST", "/api/play", []string{"Origin", "null"}, http.StatusForbidden},
		{"POST", "/api/play", []string{"Origin", "http://127.0.0.1:9999"}, http.StatusForbidden},
		{"POST", "/api/play", []string{"Content-Type", "text/plain"}, http.StatusUnsupportedMediaType},
		{"POST", "/api/play", []string{"Origin", "http://127.0.0.1:8650"}, http.StatusBadRequest}, // the request is empty
		{"GET", "/../server.go", nil, http.StatusTemporaryRedirect},
		{"GET", "/server.go", nil, http.StatusNotFound},
		{"GET", "/none", nil, http.StatusNotFound},
	} {
		w := ask(s, c.method, c.path, "", c.headers...)
		if w.Code != c.want {
			t.Errorf("%s %s %q: status %d; want %d: %s", c.method, c.path, c.headers, w.Code, c.want, w.Body)
		}
		for header, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Content-Security-Policy": policy, "Cross-Origin-Resource-Policy": "same-origin"} {
			if got := w.Header().Get(header); got != want {
				t.Errorf("%s %s: %s is %q; want %q", c.method, c.path, header, got, want)
			}
		}
	}
	if strings.Contains(policy, "unsafe") || strings.Contains(policy, "http") || strings.Contains(policy, "*") {
		t.Errorf("the policy permits other sources: %s", policy)
	}
}

// TestListen checks that the page listens at loopback addresses alone.
func TestListen(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", ":0", "[::]:0", "192.0.2.1:0", "example.org:0", "127.0.0.1"} {
		if l, err := Listen(address); err == nil {
			l.Close()
			t.Errorf("%s: no error", address)
		}
	}
	l, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
}

// TestStatic checks that the files of the page name no other host, which its policy would block.
func TestStatic(t *testing.T) {
	list, err := files.ReadDir("static")
	if err != nil || len(list) < 5 {
		t.Fatalf("%d files: %v", len(list), err)
	}
	for _, f := range list {
		data, err := files.ReadFile("static/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(string(data), "http://www.w3.org/2000/svg", "") // a name, which nothing loads
		for _, bad := range []string{"http:", "https:", "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", " style=\"", "onclick="} {
			if strings.Contains(text, bad) {
				t.Errorf("%s has %q", f.Name(), bad)
			}
		}
	}
}
