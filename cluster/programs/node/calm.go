package main

import (
	"sync"
	"time"

	"k8s.io/client-go/tools/cache"
)

// calm asks for a round of writing at most once in `pause`: each costs a tenth of a second of CPU,
// and a pod's life is some ten events. What must not wait does not come this way: a new pod asks
// at the gate, and a changed policy is written at once. What may wait are addresses of pods that
// are gone, and labels that change while a pod lives.
type calm struct {
	request func()
	pause   time.Duration
	lock    sync.Mutex
	planned bool
}

func (c *calm) ask() {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.planned {
		return
	}
	c.planned = true
	time.AfterFunc(c.pause, func() {
		c.lock.Lock()
		c.planned = false
		c.lock.Unlock()
		c.request()
	})
}

func (c *calm) handler() cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { c.ask() },
		UpdateFunc: func(_, _ any) { c.ask() },
		DeleteFunc: func(any) { c.ask() },
	}
}
