package main

import (
	"flag"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/cloudnativelabs/kube-router/v2/pkg/controllers/netpol"
	"github.com/cloudnativelabs/kube-router/v2/pkg/options"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
)

const podPause = 2 * time.Second

// networkPolicy is kube-router's firewall alone: its command would bring BGP, IPVS and the clients
// of clouds and Docker, none of which a single node has a use for.
func networkPolicy() int {
	klog.InitFlags(nil)
	kubeconfig := flag.String("kubeconfig", "", "file that says how to reach the API server")
	node := flag.String("node", "", "name of this node")
	address := flag.String("node-address", "", "address of this node")
	services := flag.String("service-cidr", "", "addresses of services")
	socket := flag.String("socket", "", "where the CNI plugin asks whether a pod may start")
	flag.Parse()

	config := options.NewKubeRouterConfig()
	config.EnableIPv4 = true
	config.ClusterIPCIDRs = []string{*services}
	config.HostnameOverride = *node
	client, err := clientOf(*kubeconfig)
	if err == nil {
		err = enforce(client, config, *address, *socket)
	}
	fmt.Fprintln(os.Stderr, "network-policy:", err)
	return 1 // it never ends by itself
}

func clientOf(kubeconfig string) (kubernetes.Interface, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	return kubernetes.NewForConfig(config)
}

func enforce(client kubernetes.Interface, config *options.KubeRouterConfig, node, socket string) error {
	forever := make(chan struct{})
	factory := informers.NewSharedInformerFactory(client, 0)
	pods := newEarlyPods(factory.Core().V1().Pods().Informer(), node)
	policies := factory.Networking().V1().NetworkPolicies().Informer()
	namespaces := factory.Core().V1().Namespaces().Informer()
	factory.Start(forever)
	factory.WaitForCacheSync(forever)

	tables, sets, err := netpol.NewIPTablesHandlers(config)
	if err != nil {
		return err
	}
	for family, handler := range tables {
		tables[family] = newSettled(handler)
	}
	written := &rounds{}
	for family, handler := range sets {
		sets[family] = watchedSets{IPSetHandler: handler, rounds: written}
	}
	var setsInUse sync.Mutex
	controller, err := netpol.NewNetworkPolicyController(
		client, config, pods, policies, namespaces, &setsInUse, tables, sets)
	if err != nil {
		return err
	}
	unhurried := &calm{request: controller.RequestFullSync, pause: podPause}
	follow(pods, unhurried.handler())
	follow(policies, controller.NetworkPolicyEventHandler)
	follow(namespaces, controller.NamespaceEventHandler)
	door := &gate{pods: pods, rounds: written, controller: controller}
	if err := door.listen(socket); err != nil {
		return err
	}
	var running sync.WaitGroup
	running.Add(1)
	controller.Run(written.heartbeats(), forever, &running)
	return nil
}

func follow(informer cache.SharedIndexInformer, handler cache.ResourceEventHandler) {
	if _, err := informer.AddEventHandler(handler); err != nil {
		klog.Fatal(err) // only an informer that has been stopped refuses
	}
}
