// Every program of the disposable cluster's node in one binary; the name it is called by chooses.
//
// One binary because Kubernetes' programs are nine tenths the same packages: they are compiled and
// linked once, and the running processes share the pages.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	proxy "k8s.io/kubernetes/cmd/kube-proxy/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

// upstream runs one of Kubernetes' own programs, as its main.go upstream does.
func upstream(command func() *cobra.Command) func() int {
	return func() int { return cli.Run(command()) }
}

var programs = map[string]func() int{
	"etcd":                    func() int { etcdmain.Main(os.Args); return 0 },
	"kube-apiserver":          upstream(apiserver.NewAPIServerCommand),
	"kube-controller-manager": upstream(controllers.NewControllerManagerCommand),
	"kube-scheduler":          upstream(func() *cobra.Command { return scheduler.NewSchedulerCommand() }),
	"kube-proxy":              upstream(proxy.NewProxyCommand),
	"kubelet":                 upstream(func() *cobra.Command { return kubelet.NewKubeletCommand(context.Background()) }),
	"network-policy":          networkPolicy,
	"coredns":                 names,
	"make-certificates":       makeCertificates,
}

func main() {
	name := filepath.Base(os.Args[0])
	program, found := programs[name]
	if !found {
		fmt.Fprintf(os.Stderr, "%s is none of the programs in this binary: call it by a symlink\n", name)
		os.Exit(2)
	}
	os.Exit(program())
}
