package orders

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/modules/kafka"
	"github.com/twmb/franz-go/pkg/kgo"
)

func start(t *testing.T) (brokers []string, api string) {
	t.Helper()
	container, err := kafka.Run(t.Context(), "mockbroker",
		testcontainers.WithExposedPorts("8092/tcp"),
		testcontainers.WithEnv(map[string]string{
			"MOCKBROKER_ADMIN_TOKEN":   "secret",
			"MOCKBROKER_KAFKA_VERSION": "3.9",
			"MOCKBROKER_TOPICS":        "orders:1",
		}))
	// Without a grace period: the shell that the module starts passes no signals on.
	testcontainers.CleanupContainer(t, container, testcontainers.StopTimeout(0))
	must(t, err)
	brokers, err = container.Brokers(t.Context())
	must(t, err)
	api, err = container.PortEndpoint(t.Context(), "8092/tcp", "http")
	must(t, err)
	return brokers, api + "/api/v1/"
}

func TestACommitWhoseResponseIsLostIsCommittedOnce(t *testing.T) {
	ctx := t.Context()
	brokers, api := start(t)
	call(t, http.MethodPost, api+"faults",
		`{"id": "lost", "match": {"api": "EndTxn"}, "effect": {"lose_response": "after_apply"}}`)

	producer, err := kgo.NewClient(kgo.SeedBrokers(brokers...), kgo.TransactionalID("till"))
	must(t, err)
	defer producer.Close()
	must(t, producer.BeginTransaction())
	order := &kgo.Record{Topic: "orders", Value: []byte("order-1")}
	must(t, producer.ProduceSync(ctx, order).FirstErr())
	must(t, producer.EndTransaction(ctx, kgo.TryCommit))

	consumer, err := kgo.NewClient(kgo.SeedBrokers(brokers...), kgo.ConsumeTopics("orders"),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()))
	must(t, err)
	defer consumer.Close()
	records := consumer.PollFetches(ctx).Records()
	if len(records) != 1 || string(records[0].Value) != "order-1" {
		t.Fatalf("read %v", records)
	}

	if hits := call(t, http.MethodGet, api+"faults/lost", "")["hits"]; hits != 1.0 {
		t.Errorf("the fault has %v hits", hits)
	}
	verdict := call(t, http.MethodPost, api+"assertions", `{"assertions": [{"name": "exactly-once"}]}`)
	if verdict["ok"] != true {
		t.Error(verdict["failures"])
	}
}

func call(t *testing.T, method, url, document string) (answer map[string]any) {
	t.Helper()
	request, err := http.NewRequest(method, url, strings.NewReader(document))
	must(t, err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer secret")
	response, err := http.DefaultClient.Do(request)
	must(t, err)
	defer response.Body.Close()
	must(t, json.NewDecoder(response.Body).Decode(&answer))
	if response.StatusCode >= 300 {
		t.Fatal(answer["detail"])
	}
	return answer
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
