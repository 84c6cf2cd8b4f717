package web

import (
	"net"
	"net/http"
	"strings"
)

// policy lets the page use its own files and nothing else. Pictures that it draws are data of the page.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// guard refuses requests that do not come from the page, and sets the headers of all answers. The name of the host
// stops DNS rebinding, the origin stops requests of other pages, and the type of the content, which no form can send, stops those
// of browsers without Sec-Fetch-Site and Origin.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-cache") // a later chiaro has other files under the same names
		switch {
		case !s.isHost(r.Host):
			http.Error(w, "this host name is not the page's; --host permits it", http.StatusMisdirectedRequest)
		case foreign(r):
			http.Error(w, "a request of another origin", http.StatusForbidden)
		case r.Method == http.MethodPost && r.Header.Get("Content-Type") != "application/json":
			http.Error(w, "the content must be application/json", http.StatusUnsupportedMediaType)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// isHost reports whether a Host header names this server: a name of the loopback address or one of the configuration. With DNS
// rebinding the owner of another name lets it resolve to this machine, and the browser takes the page for one of that name.
func (s *Server) isHost(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.Trim(name, "[]")
	if name == "localhost" || isLoopback(name) {
		return true
	}
	for _, h := range s.config.Hosts {
		if strings.EqualFold(h, name) {
			return true
		}
	}
	return false
}

func isLoopback(address string) bool {
	ip := net.ParseIP(address)
	return ip != nil && ip.IsLoopback()
}

// foreign reports whether another origin makes a request. Browsers say so in Sec-Fetch-Site, older ones in Origin; a client that
// says neither is no browser. The user may follow a link of another origin to the page itself.
func foreign(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" {
		opened := r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" && !strings.HasPrefix(r.URL.Path, "/api/")
		return site != "same-origin" && site != "none" && !opened
	}
	origin := r.Header.Get("Origin")
	_, host, _ := strings.Cut(origin, "://")
	return origin != "" && host != r.Host
}
