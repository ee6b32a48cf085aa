// A fake provider of chat completions that costs as little CPU as it can.
//
// The model's name says how a stream comes: "paced-4" has 4 ms between events, any other none.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"log"
	"net/http"
	"strconv"
	"sync"
	"time"
)

const events = 50

const usage = `{"prompt_tokens":1200,"completion_tokens":50,"total_tokens":1250,` +
	`"prompt_tokens_details":{"cached_tokens":1000},` +
	`"completion_tokens_details":{"reasoning_tokens":10}}`

var bodies = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func main() {
	listen := flag.String("listen", "", "address to listen on")
	flag.Parse()
	http.HandleFunc("/v1/chat/completions", chat)
	log.Fatal(http.ListenAndServe(*listen, nil))
}

func chat(w http.ResponseWriter, r *http.Request) {
	body := bodies.Get().(*bytes.Buffer)
	defer bodies.Put(body)
	body.Reset()
	if _, err := body.ReadFrom(r.Body); err != nil {
		return
	}
	asked := body.Bytes()
	model := text(field(asked, "model"))
	if !bytes.HasPrefix(field(asked, "stream"), []byte("true")) {
		answer(w, model)
		return
	}
	stream(w, model, bytes.HasPrefix(field(asked, "include_usage"), []byte("true")))
}

// field is what follows a field's name and colon. Decoding 400 KB for three fields would cost more
// than all the rest, and prompts here have no quotes in them.
func field(body []byte, name string) []byte {
	_, rest, _ := bytes.Cut(body, []byte(`"`+name+`"`))
	return bytes.TrimLeft(rest, ": ")
}

func text(value []byte) string {
	found, _, _ := bytes.Cut(bytes.TrimPrefix(value, []byte(`"`)), []byte(`"`))
	return string(found)
}

func answer(w http.ResponseWriter, model string) {
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"id":"chatcmpl-bench","object":"chat.completion","created":1700000000,`+
		`"model":%q,"choices":[{"index":0,"message":{"role":"assistant","content":"A short answer."},`+
		`"logprobs":null,"finish_reason":"stop"}],"usage":%s,"system_fingerprint":"fp"}`, model, usage)
}

func stream(w http.ResponseWriter, model string, withUsage bool) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	gap, started := pace(model), time.Now()
	middle := event(model, `[{"index":0,"delta":{"content":"token "},"finish_reason":null}]`, "null")
	for n := range events {
		// By the clock, not by sleeping a gap: what one event is late the next ones are not.
		time.Sleep(time.Until(started.Add(time.Duration(n) * gap)))
		if n == events-1 {
			middle = event(model, `[{"index":0,"delta":{},"finish_reason":"stop"}]`, "null")
		}
		if _, err := w.Write(middle); err != nil {
			return
		}
		w.(http.Flusher).Flush()
	}
	if withUsage {
		w.Write(event(model, "[]", usage))
	}
	w.Write([]byte("data: [DONE]\n\n"))
}

func pace(model string) time.Duration {
	milliseconds, _ := strconv.Atoi(string(bytes.TrimPrefix([]byte(model), []byte("paced-"))))
	return time.Duration(milliseconds) * time.Millisecond
}

func event(model, choices, usage string) []byte {
	return fmt.Appendf(nil, `data: {"id":"chatcmpl-bench","object":"chat.completion.chunk",`+
		`"created":1700000000,"model":%q,"choices":%s,"usage":%s}`+"\n\n", model, choices, usage)
}
