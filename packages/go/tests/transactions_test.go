package tests

import (
	"errors"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"mockbroker.test/mockbroker"
)

func TestAHeldCommitEndsWhenItIsReleased(t *testing.T) {
	cluster := use(t)
	held := add(t, cluster, mockbroker.On("EndTxn").Hold())
	producer := producer(t, cluster, "orders-svc")
	send(t, producer, "order-1")

	ctx := limited(t)
	committed := make(chan error, 1)
	go func() { committed <- producer.EndTransaction(ctx, kgo.TryCommit) }()
	check(t, held.WaitHeld(t.Context(), 1))
	released, err := held.Release(t.Context())
	check(t, err)
	if released != 1 {
		t.Errorf("%d calls are released", released)
	}
	check(t, held.WaitReleased(t.Context(), 1))
	check(t, <-committed)
	cluster.Assert(t, mockbroker.NoOpenTransactions(), mockbroker.Records("orders", "order-1"))
}

func TestAJumpOfTheClockExpiresATransaction(t *testing.T) {
	cluster := use(t)
	producer := producer(t, cluster, "orders-svc", kgo.TransactionTimeout(30*time.Second))
	send(t, producer, "order-1")

	passed, err := cluster.Clock().Advance(t.Context(), time.Minute)
	check(t, err)
	if len(passed.FellDue) != 1 || passed.FellDue[0].Kind != "transaction_timed_out" {
		t.Errorf("%+v", passed.FellDue)
	}
	cluster.Assert(t, mockbroker.Aborted("orders-svc"), mockbroker.Records("orders"))
	if err := producer.EndTransaction(limited(t), kgo.TryCommit); err == nil {
		t.Error("an expired transaction is committed")
	}
}

func TestAProducerThatIsNotIdempotentDuplicatesAnAnswerThatIsLost(t *testing.T) {
	cluster := use(t)
	lost := add(t, cluster, mockbroker.On("Produce").Topic("orders").LoseResponse())
	producer := client(t, kgo.SeedBrokers(cluster.BootstrapServers()...), kgo.DisableIdempotentWrite())
	order := &kgo.Record{Topic: "orders", Value: []byte("order-1")}
	check(t, producer.ProduceSync(limited(t), order).FirstErr())
	check(t, lost.Wait(t.Context(), 1))

	err := cluster.Check(t.Context(), mockbroker.ExactlyOnce().Topic("orders"), mockbroker.NoOpenTransactions())
	var failure *mockbroker.AssertionError
	if !errors.As(err, &failure) || len(failure.Failures) != 1 || failure.Failures[0].Name != "assert_exactly_once" {
		t.Fatalf("%v", err)
	}
	has(t, err, "not exactly once", "offset 1 repeats offset 0", "DUPLICATE of 0")

	r := &recorder{}
	if cluster.Assert(r, mockbroker.ExactlyOnce()) || r.isFatal {
		t.Errorf("%+v", r)
	}
	hasText(t, r.errors[0], "not exactly once")
}
