package main

import (
	"errors"
	"net"
	"slices"
	"sync"
)

// tally is what callers saw. Only whole answers count as calls and have a latency.
type tally struct {
	mutex      sync.Mutex
	calls      int
	errors     int
	firstError string
	seconds    float64
	latencies  []float64
	firstBytes []float64
	gaps       []float64
}

type quantiles struct {
	P50 float64 `json:"p50"`
	P99 float64 `json:"p99"`
}

type figures struct {
	Calls      int       `json:"calls"`
	Errors     int       `json:"errors"`
	FirstError string    `json:"first_error"`
	Seconds    float64   `json:"seconds"`
	Latency    quantiles `json:"latency_ms"`
	FirstByte  quantiles `json:"first_byte_ms"`
	Gap        quantiles `json:"gap_ms"`
}

func (t *tally) count(c *call) {
	t.gaps = append(t.gaps, c.gaps...)
	if c.err != nil {
		t.errors++
		if t.firstError == "" {
			t.firstError = text(c.err)
		}
		return
	}
	t.calls++
	t.latencies = append(t.latencies, c.latency)
	t.firstBytes = append(t.firstBytes, c.firstByte)
}

// text leaves out addresses, which differ each time.
func text(err error) string {
	var network net.Error
	if errors.As(err, &network) && network.Timeout() {
		return "not whole in time"
	}
	var operation *net.OpError
	if errors.As(err, &operation) {
		return operation.Op + ": " + operation.Err.Error()
	}
	return err.Error()
}

func (t *tally) add(other *tally) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.calls += other.calls
	t.errors += other.errors
	if t.firstError == "" {
		t.firstError = other.firstError
	}
	t.latencies = append(t.latencies, other.latencies...)
	t.firstBytes = append(t.firstBytes, other.firstBytes...)
	t.gaps = append(t.gaps, other.gaps...)
}

func (t *tally) figures() figures {
	return figures{
		Calls:      t.calls,
		Errors:     t.errors,
		FirstError: t.firstError,
		Seconds:    t.seconds,
		Latency:    of(t.latencies),
		FirstByte:  of(t.firstBytes),
		Gap:        of(t.gaps),
	}
}

func of(values []float64) quantiles {
	if len(values) == 0 {
		return quantiles{}
	}
	slices.Sort(values)
	last := len(values) - 1
	return quantiles{values[last/2], values[last*99/100]}
}
