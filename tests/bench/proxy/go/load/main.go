// A load generator for chat completions: a fixed number of callers, one JSON object of figures.
//
// It speaks HTTP/1.1 itself: net/http's client would cost as much CPU as the proxies measured.
package main

import (
	"encoding/json"
	"flag"
	"log"
	"net/url"
	"os"
	"time"
)

type options struct {
	address     string
	request     []byte
	stream      bool
	concurrency int
	count       int
	seconds     time.Duration
	spread      time.Duration
	timeout     time.Duration
	rate        float64
}

func main() {
	var o options
	var target, token, model string
	var prompt int
	var usage bool
	flag.StringVar(&target, "url", "", "URL to POST to")
	flag.StringVar(&token, "token", "", "bearer token")
	flag.StringVar(&model, "model", "chat", "model to ask for")
	flag.IntVar(&prompt, "prompt", 40, "bytes of the prompt")
	flag.BoolVar(&o.stream, "stream", false, "ask for a stream")
	flag.BoolVar(&usage, "usage", true, "ask for the usage of a stream")
	flag.IntVar(&o.concurrency, "concurrency", 1, "calls at the same time")
	flag.IntVar(&o.count, "count", 0, "calls in all; 0 is no bound")
	flag.DurationVar(&o.seconds, "seconds", 0, "no call starts later than this; 0 is no bound")
	flag.DurationVar(&o.spread, "spread", 0, "callers start spread over this")
	flag.DurationVar(&o.timeout, "timeout", 20*time.Second, "longest call")
	flag.Float64Var(&o.rate, "rate", 0, "calls started a second; 0 is as many as can be")
	flag.Parse()
	if o.count == 0 && o.seconds == 0 {
		log.Fatal("load: -count or -seconds is needed")
	}
	parsed, err := url.Parse(target)
	if err != nil {
		log.Fatal(err)
	}
	o.address = parsed.Host
	o.request = request(parsed, token, body(model, prompt, o.stream, usage))
	if err := json.NewEncoder(os.Stdout).Encode(run(o).figures()); err != nil {
		log.Fatal(err)
	}
}
