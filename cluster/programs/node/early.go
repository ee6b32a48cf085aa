package main

import (
	"sync"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

// earlyPods shows the policy controller the address of a pod as soon as it has one, which is before
// the pod runs. From the API server it would hear of it when the pod has been running for a while.
type earlyPods struct {
	cache.SharedIndexInformer
	node      string
	lock      sync.Mutex
	addresses map[string]string // namespace/name → address
}

func newEarlyPods(informer cache.SharedIndexInformer, node string) *earlyPods {
	return &earlyPods{SharedIndexInformer: informer, node: node, addresses: map[string]string{}}
}

func (e *earlyPods) GetIndexer() cache.Indexer {
	return earlyIndexer{Indexer: e.SharedIndexInformer.GetIndexer(), early: e}
}

func (e *earlyPods) add(key, address string) {
	e.lock.Lock()
	defer e.lock.Unlock()
	e.addresses[key] = address
}

func (e *earlyPods) forget(key string) {
	e.lock.Lock()
	defer e.lock.Unlock()
	delete(e.addresses, key)
}

func (e *earlyPods) known(key string) bool {
	_, exists, err := e.SharedIndexInformer.GetIndexer().GetByKey(key)
	return err == nil && exists
}

// complete fills in the address that the API server does not know yet, or knows from an earlier
// sandbox of the same pod.
func (e *earlyPods) complete(object any) any {
	pod, isPod := object.(*v1.Pod)
	if !isPod {
		return object
	}
	e.lock.Lock()
	defer e.lock.Unlock()
	key := pod.Namespace + "/" + pod.Name
	address, early := e.addresses[key]
	if !early {
		return object
	}
	if pod.Status.PodIP == address {
		delete(e.addresses, key)
		return object
	}
	pod = pod.DeepCopy()
	pod.Status.PodIP = address
	pod.Status.PodIPs = []v1.PodIP{{IP: address}}
	pod.Status.HostIP = e.node
	return pod
}

// earlyIndexer completes what is read by the two ways in which the controller reads.
type earlyIndexer struct {
	cache.Indexer
	early *earlyPods
}

func (i earlyIndexer) List() []any {
	return i.completed(i.Indexer.List())
}

func (i earlyIndexer) Index(name string, object any) ([]any, error) {
	found, err := i.Indexer.Index(name, object)
	return i.completed(found), err
}

func (i earlyIndexer) completed(objects []any) []any {
	complete := make([]any, len(objects))
	for at, object := range objects {
		complete[at] = i.early.complete(object)
	}
	return complete
}
