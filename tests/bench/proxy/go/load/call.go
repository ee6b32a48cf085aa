package main

import (
	"bytes"
	"errors"
	"fmt"
	"time"
)

// Events that a whole stream has at least: those with content, and [DONE].
const wholeStream = 51

// call is one call and what was seen of its answer.
type call struct {
	stream    bool
	started   time.Time
	first     time.Time
	last      time.Time
	gaps      []float64
	events    int
	tail      []byte
	err       error
	latency   float64
	firstByte float64
}

// over makes the call over `line`, or a new connection; what it returns can take the next call.
func (c *call) over(line *connection, o options) *connection {
	c.started = time.Now()
	if line == nil {
		if line, c.err = dial(o.address); c.err != nil {
			return nil
		}
	}
	line.SetDeadline(c.started.Add(o.timeout))
	found, err := line.exchange(o.request, c.seen)
	c.latency = milliseconds(c.started, time.Now())
	c.firstByte = milliseconds(c.started, c.first)
	if c.err = err; err == nil {
		c.err = c.judge(found)
	}
	if err != nil || found.closes {
		line.Close()
		return nil
	}
	return line
}

// seen takes a piece of the body. The gap before an event is the time since the one before it.
func (c *call) seen(piece []byte) {
	now := time.Now()
	if c.first.IsZero() {
		c.first = now
	}
	ended := bytes.Count(append(c.tail, piece...), []byte("\n\n"))
	c.tail = append(c.tail[:0], piece[max(0, len(piece)-1):]...)
	if !c.stream || ended == 0 {
		return
	}
	if c.events > 0 {
		c.gaps = append(c.gaps, milliseconds(c.last, now))
	}
	c.events += ended
	c.last = now
}

func (c *call) judge(found head) error {
	if found.status != 200 {
		return fmt.Errorf("status %d", found.status)
	}
	if c.stream && c.events < wholeStream {
		return fmt.Errorf("a stream of %d events", c.events)
	}
	if c.first.IsZero() {
		return errors.New("an empty answer")
	}
	return nil
}

func milliseconds(from, to time.Time) float64 {
	return float64(to.Sub(from)) / float64(time.Millisecond)
}
