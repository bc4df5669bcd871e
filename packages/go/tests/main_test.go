// Package tests tests the module with franz-go, unmodified.
package tests

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"mockbroker.test/mockbroker"
)

// launches names the variable that makes this program launch a cluster, print its address, and wait.
const launches = "MOCKBROKER_TEST_LAUNCHES"

// shared is the cluster of most tests; each resets it.
var shared *mockbroker.Cluster

func TestMain(m *testing.M) {
	cluster, err := mockbroker.Launch(context.Background(),
		mockbroker.WithTopic("orders", 1),
		mockbroker.WithTopic("invoices", 2),
		mockbroker.WithBrokers(2),
		// Members of share groups hear of their partitions at once.
		mockbroker.WithConfig("group.share.min.heartbeat.interval.ms", "100"),
		mockbroker.WithConfig("group.share.heartbeat.interval.ms", "100"),
		mockbroker.WithConfig("group.share.assignment.interval.ms", "0"),
	)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if os.Getenv(launches) != "" {
		fmt.Println(cluster.BootstrapServers()[0])
		_, _ = bufio.NewReader(os.Stdin).ReadByte()
		os.Exit(0)
	}
	shared = cluster
	code := m.Run()
	if err := cluster.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// use returns the shared cluster as it was at the start.
func use(t *testing.T, options ...mockbroker.Option) *mockbroker.Cluster {
	t.Helper()
	return mockbroker.Use(t, shared.AdminURL(), options...)
}

// producer returns a transactional producer that ends with the test.
func producer(t *testing.T, cluster *mockbroker.Cluster, transactionalID string, more ...kgo.Opt) *kgo.Client {
	t.Helper()
	options := append([]kgo.Opt{
		kgo.SeedBrokers(cluster.BootstrapServers()...),
		kgo.TransactionalID(transactionalID),
	}, more...)
	return client(t, options...)
}

// client returns a client that retries soon and ends with the test.
func client(t *testing.T, options ...kgo.Opt) *kgo.Client {
	t.Helper()
	soon := []kgo.Opt{
		kgo.MetadataMinAge(10 * time.Millisecond),
		kgo.RetryBackoffFn(func(int) time.Duration { return time.Millisecond }),
	}
	made, err := kgo.NewClient(append(soon, options...)...)
	check(t, err)
	t.Cleanup(made.Close)
	return made
}

// limited returns the context of a test, with a limit.
func limited(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// send begins a transaction and sends values to orders.
func send(t *testing.T, client *kgo.Client, values ...string) {
	t.Helper()
	check(t, client.BeginTransaction())
	for _, value := range values {
		record := &kgo.Record{Topic: "orders", Value: []byte(value)}
		check(t, client.ProduceSync(limited(t), record).FirstErr())
	}
}

func add(t *testing.T, cluster *mockbroker.Cluster, fault mockbroker.FaultSpec) *mockbroker.Fault {
	t.Helper()
	added, err := cluster.AddFault(t.Context(), fault)
	check(t, err)
	return added
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// has fails the test unless an error has a text with all parts.
func has(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("there is no error; expected: %q", parts)
	}
	hasText(t, err.Error(), parts...)
}
