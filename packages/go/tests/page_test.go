package tests

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
	"mockbroker.test/mockbroker"
)

func TestALostAnswerOfACommitDuplicatesNothing(t *testing.T) {
	cluster := mockbroker.Start(t, mockbroker.WithTopic("orders", 1))
	lost, err := cluster.AddFault(t.Context(), mockbroker.On("EndTxn").LoseResponse())
	if err != nil {
		t.Fatal(err)
	}

	producer, err := kgo.NewClient(
		kgo.SeedBrokers(cluster.BootstrapServers()...),
		kgo.TransactionalID("orders-svc"),
	)
	if err != nil {
		t.Fatal(err)
	}
	defer producer.Close()
	if err := producer.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	order := &kgo.Record{Topic: "orders", Value: []byte("order-1")}
	if err := producer.ProduceSync(t.Context(), order).FirstErr(); err != nil {
		t.Fatal(err)
	}
	if err := producer.EndTransaction(t.Context(), kgo.TryCommit); err != nil {
		t.Fatal(err)
	}

	if err := lost.Wait(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	cluster.Assert(t, mockbroker.ExactlyOnce().Topic("orders").Expected("order-1"))
}
