package main

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"github.com/cloudnativelabs/kube-router/v2/pkg/controllers/netpol"
	"github.com/cloudnativelabs/kube-router/v2/pkg/healthcheck"
	"github.com/cloudnativelabs/kube-router/v2/pkg/utils"
)

const (
	gatePatience = 20 * time.Second
	gateInterval = 5 * time.Millisecond
	roundTime    = 2 * time.Second // one that takes longer has failed: ask for another
)

// rounds tells whether the policies have been written since a moment: the controller sends a
// heartbeat when it starts to write, and saves the ipsets once, as the last thing of a round.
type rounds struct {
	lock              sync.Mutex
	started, finished int
}

func (r *rounds) heartbeats() chan<- *healthcheck.ControllerHeartbeat {
	beats := make(chan *healthcheck.ControllerHeartbeat)
	go func() {
		for range beats {
			r.lock.Lock()
			r.started++
			r.lock.Unlock()
		}
	}()
	return beats
}

func (r *rounds) count() (started, finished int) {
	r.lock.Lock()
	defer r.lock.Unlock()
	return r.started, r.finished
}

type watchedSets struct {
	utils.IPSetHandler
	rounds *rounds
}

func (w watchedSets) Save() error {
	err := w.IPSetHandler.Save()
	w.rounds.lock.Lock()
	defer w.rounds.lock.Unlock()
	w.rounds.finished = w.rounds.started
	return err
}

// gate lets a pod start when the policies for its address are in force. The CNI plugin
// await-policy asks at it; where it does not open, the pod does not start and is tried again.
type gate struct {
	pods       *earlyPods
	rounds     *rounds
	controller *netpol.NetworkPolicyController
}

type gateRequest struct {
	Pod     string `json:"pod"` // namespace/name
	Address string `json:"address"`
}

func (g *gate) listen(path string) error {
	if err := os.RemoveAll(path); err != nil {
		return err
	}
	listener, err := net.Listen("unix", path)
	if err != nil {
		return err
	}
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				fmt.Fprintln(os.Stderr, "network-policy:", err)
				os.Exit(1)
			}
			go g.serve(connection)
		}
	}()
	return nil
}

// serve answers with an empty line, or with what went wrong.
func (g *gate) serve(connection net.Conn) {
	defer connection.Close()
	var request gateRequest
	err := json.NewDecoder(connection).Decode(&request)
	if err == nil {
		err = g.pass(request)
	}
	message := ""
	if err != nil {
		message = err.Error()
	}
	fmt.Fprintln(connection, message)
}

func (g *gate) pass(request gateRequest) error {
	deadline := time.Now().Add(gatePatience)
	for !g.pods.known(request.Pod) {
		if time.Now().After(deadline) {
			return fmt.Errorf("the API server knows no pod %s", request.Pod)
		}
		time.Sleep(gateInterval)
	}
	g.pods.add(request.Pod, request.Address)
	for time.Now().Before(deadline) {
		if g.round() {
			return nil
		}
	}
	g.pods.forget(request.Pod)
	return fmt.Errorf("the policies for %s could not be written", request.Pod)
}

// round asks for a round of writing and tells whether one that began since has ended well.
func (g *gate) round() bool {
	before, _ := g.rounds.count()
	g.controller.RequestFullSync()
	for end := time.Now().Add(roundTime); time.Now().Before(end); time.Sleep(gateInterval) {
		if _, finished := g.rounds.count(); finished > before {
			return true
		}
	}
	return false
}
