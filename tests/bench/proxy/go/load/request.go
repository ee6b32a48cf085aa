package main

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
)

// request is what goes over the wire, made once: every call is the same.
func request(target *url.URL, token string, body []byte) []byte {
	return fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/json\r\nAccept: */*\r\nUser-Agent: bench\r\n"+
		"Content-Length: %d\r\n\r\n%s", target.Path, target.Host, token, len(body), body)
}

func body(model string, prompt int, stream, usage bool) []byte {
	words := strings.Repeat("lorem ipsum dolor sit amet ", prompt/27+1)[:prompt]
	asked := map[string]any{
		"model":      model,
		"max_tokens": 100,
		"messages":   []map[string]string{{"role": "user", "content": words}},
	}
	if stream {
		asked["stream"] = true
		if usage {
			asked["stream_options"] = map[string]bool{"include_usage": true}
		}
	}
	made, _ := json.Marshal(asked)
	return made
}
