// kfake runs franz-go's fake cluster as a process of its own, for the bench.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/twmb/franz-go/pkg/kfake"
)

func main() {
	port := flag.Int("port", 9092, "the broker's port on loopback")
	backoff := flag.String("cleaner-backoff-ms", "3600000", "how often kfake looks for what a topic need not keep")
	flag.Parse()
	configs := kfake.BrokerConfigs(map[string]string{"log.cleaner.backoff.ms": *backoff})
	cluster, err := kfake.NewCluster(kfake.Ports(*port), kfake.AllowAutoTopicCreation(), configs)
	if err != nil {
		fmt.Fprintln(os.Stderr, "kfake:", err)
		os.Exit(1)
	}
	defer cluster.Close()
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, os.Interrupt)
	<-stop
}
