// The last CNI plugin of a pod: waits until the network policies for the pod's new address are in
// force, so that not even its first packet is free. It changes nothing of the network itself.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"
)

const (
	patience = 30 * time.Second // more than the other side's
	interval = 20 * time.Millisecond
)

type config struct {
	CNIVersion string          `json:"cniVersion"`
	Socket     string          `json:"socket"`
	Previous   json.RawMessage `json:"prevResult"`
}

type result struct {
	IPs []struct {
		Address string `json:"address"`
	} `json:"ips"`
}

func main() {
	var err error
	switch os.Getenv("CNI_COMMAND") {
	case "ADD":
		err = add()
	case "VERSION":
		fmt.Println(`{"cniVersion": "0.4.0", "supportedVersions": ["0.3.1", "0.4.0", "1.0.0"]}`)
	}
	if err != nil {
		message, _ := json.Marshal(err.Error())
		fmt.Printf(`{"cniVersion": "0.4.0", "code": 100, "msg": %s}`+"\n", message)
		os.Exit(1)
	}
}

func add() error {
	input, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	var asked config
	var made result
	if err := errors.Join(json.Unmarshal(input, &asked), json.Unmarshal(asked.Previous, &made)); err != nil {
		return err
	}
	if len(made.IPs) == 0 {
		return errors.New("await-policy must come after a plugin that gives an address")
	}
	address, _, _ := strings.Cut(made.IPs[0].Address, "/")
	if err := await(asked.Socket, podName(os.Getenv("CNI_ARGS")), address); err != nil {
		return err
	}
	fmt.Println(string(asked.Previous))
	return nil
}

// podName reads namespace/name from CNI_ARGS, a list of KEY=VALUE between semicolons.
func podName(arguments string) string {
	values := map[string]string{}
	for _, pair := range strings.Split(arguments, ";") {
		key, value, _ := strings.Cut(pair, "=")
		values[key] = value
	}
	return values["K8S_POD_NAMESPACE"] + "/" + values["K8S_POD_NAME"]
}

func await(socket, pod, address string) error {
	deadline := time.Now().Add(patience)
	connection, err := net.Dial("unix", socket)
	for err != nil && time.Now().Before(deadline) {
		time.Sleep(interval)
		connection, err = net.Dial("unix", socket)
	}
	if err != nil {
		return fmt.Errorf("nobody enforces network policies: %w", err)
	}
	defer connection.Close()
	if err := connection.SetDeadline(deadline); err != nil {
		return err
	}
	if err := json.NewEncoder(connection).Encode(map[string]string{"pod": pod, "address": address}); err != nil {
		return err
	}
	answer, err := bufio.NewReader(connection).ReadString('\n')
	if err != nil {
		return err
	}
	if answer = strings.TrimSpace(answer); answer != "" {
		return errors.New(answer)
	}
	return nil
}
