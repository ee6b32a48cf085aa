package main

import (
	"errors"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// callers are all who call at the same time.
type callers struct {
	options
	started time.Time
	tickets atomic.Int64
}

func run(o options) *tally {
	all, total := &callers{options: o, started: time.Now()}, &tally{}
	var group sync.WaitGroup
	for n := range o.concurrency {
		group.Add(1)
		go func() {
			defer group.Done()
			time.Sleep(o.spread * time.Duration(n) / time.Duration(o.concurrency))
			total.add(all.work())
		}()
	}
	group.Wait()
	total.seconds = time.Since(all.started).Seconds()
	return total
}

// work is one caller: one call after the other over one connection. A server that is gone is not
// asked again.
func (c *callers) work() *tally {
	mine := &tally{}
	var line *connection
	for refused := false; !refused && c.next(); {
		call := &call{stream: c.stream}
		line = call.over(line, c.options)
		mine.count(call)
		refused = errors.Is(call.err, syscall.ECONNREFUSED)
	}
	if line != nil {
		line.Close()
	}
	return mine
}

// next waits until it is time for another call; false if there is to be none.
func (c *callers) next() bool {
	ticket := c.tickets.Add(1)
	if c.count > 0 && ticket > int64(c.count) {
		return false
	}
	if c.rate > 0 {
		due := time.Duration(float64(ticket) / c.rate * float64(time.Second))
		if c.seconds > 0 && due > c.seconds {
			return false
		}
		time.Sleep(time.Until(c.started.Add(due)))
	}
	return c.seconds == 0 || time.Since(c.started) < c.seconds
}
