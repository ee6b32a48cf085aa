// The peers `go` and `go-pooled`: the standard library's reverse proxy, which relays and meters nothing.
package main

import (
	"flag"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
)

func main() {
	listen := flag.String("listen", "", "address to listen on")
	upstream := flag.String("upstream", "", "URL of the upstream")
	idle := flag.Int("idle", 0, "connections that are kept for the next call; 0 as the library has it")
	flag.Parse()
	target, err := url.Parse(*upstream)
	if err != nil {
		log.Fatal(err)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	if *idle > 0 {
		// Two by default: with 20 callers it mostly dials.
		transport.MaxIdleConns, transport.MaxIdleConnsPerHost = 0, *idle
	}
	proxy := &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(target) },
		FlushInterval: -1,
		Transport:     transport,
	}
	log.Fatal(http.ListenAndServe(*listen, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Else the server closes the request's body with the answer's first byte, while the
		// transport may still look for its end: 1 stream in 100 broke off (golang/go#40747).
		http.NewResponseController(w).EnableFullDuplex()
		proxy.ServeHTTP(w, r)
	})))
}
