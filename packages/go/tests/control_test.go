package tests

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"mockbroker.test/mockbroker"
	"mockbroker.test/mockbroker/api"
)

func TestTheEndOfATransactionIsHeldAndStepped(t *testing.T) {
	cluster := use(t)
	producer := producer(t, cluster, "orders-svc")
	transaction := cluster.Transaction("orders-svc")
	send(t, producer, "order-1")
	check(t, transaction.HoldMarker(t.Context(), "orders", 0))
	check(t, transaction.HoldEnding(t.Context()))
	check(t, producer.EndTransaction(limited(t), kgo.TryCommit))
	check(t, transaction.WaitForState(limited(t), "PrepareCommit"))
	partition := cluster.Partition("orders", 0)
	if values, err := partition.Values(t.Context(), mockbroker.ReadCommitted); len(values) != 0 || err != nil {
		t.Errorf("%v, %v", values, err)
	}

	done, err := transaction.Step(t.Context())
	check(t, err)
	hasText(t, done, "orders")
	check(t, transaction.Release(t.Context()))
	if state, err := transaction.State(t.Context()); state != "CompleteCommit" || err != nil {
		t.Errorf("%s, %v", state, err)
	}
	values, err := partition.Values(t.Context(), mockbroker.ReadCommitted)
	if !slices.Equal(values, []string{"order-1"}) || err != nil {
		t.Errorf("%v, %v", values, err)
	}
	batches, err := partition.Batches(t.Context())
	if len(batches) != 2 || err != nil || *batches[1].Marker != "commit" {
		t.Errorf("%+v, %v", batches, err)
	}
}

func TestAnOpenTransactionIsSeenAndAborted(t *testing.T) {
	cluster := use(t)
	producer := producer(t, cluster, "orders-svc")
	send(t, producer, "order-1")
	err := cluster.Check(t.Context(), mockbroker.NoOpenTransactions())
	has(t, err, "orders-svc")

	producers, err := cluster.Partition("orders", 0).Producers(t.Context())
	if len(producers) != 1 || err != nil || *producers[0].TransactionFirstOffset != 0 {
		t.Errorf("%+v, %v", producers, err)
	}
	transaction := cluster.Transaction("orders-svc")
	check(t, transaction.Abort(t.Context()))
	cluster.Assert(t, mockbroker.Aborted("orders-svc"), mockbroker.NoHangingTransactions())
	check(t, transaction.Expire(t.Context()))
	if known, err := cluster.Transactions(t.Context()); len(known) != 0 || err != nil {
		t.Errorf("%+v, %v", known, err)
	}
}

func TestAWaitThatTimesOutTellsWhatThereIs(t *testing.T) {
	cluster := use(t, mockbroker.WithUnfiredFaults())
	check(t, cluster.Partition("orders", 0).Append(t.Context(), "order-1"))
	fault := add(t, cluster, mockbroker.On("Produce").Answer("NOT_LEADER_OR_FOLLOWER"))
	soon, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()

	err := fault.Wait(soon, 1)
	has(t, err, "no hits=1 within", "matched 0 calls")
	if !mockbroker.IsTimeout(err) {
		t.Errorf("%T", err)
	}
	err = cluster.Transaction("orders-svc").WaitForState(soon, "Ongoing")
	if !mockbroker.IsTimeout(err) {
		t.Errorf("%v", err)
	}
	has(t, err, "the wait timed out")
}

func TestAHeldBatchArrivesAfterTheAbortMarker(t *testing.T) {
	cluster := use(t)
	producer := producer(t, cluster, "orders-svc")
	late := add(t, cluster, mockbroker.On("Produce").Topic("orders").
		Hold().Until(mockbroker.AbortMarker("orders", 0)).WithoutBlocking().OnCall(2))
	send(t, producer, "in time")
	producer.Produce(t.Context(), &kgo.Record{Topic: "orders", Value: []byte("late")}, nil)
	check(t, late.WaitHeld(limited(t), 1))
	check(t, cluster.Transaction("orders-svc").Abort(t.Context()))
	if hanging, err := cluster.HangingTransactions(t.Context()); len(hanging) != 0 || err != nil {
		t.Errorf("%+v, %v", hanging, err)
	}
	check(t, late.WaitReleased(limited(t), 1))
	cluster.Assert(t, mockbroker.Aborted("orders-svc"), mockbroker.NoHangingTransactions())
}

func TestLeadersAndCoordinatorsMove(t *testing.T) {
	cluster := use(t)
	producer := producer(t, cluster, "orders-svc")
	send(t, producer, "order-1")

	before, err := cluster.Transaction("orders-svc").Coordinator(t.Context())
	check(t, err)
	after, err := cluster.Transaction("orders-svc").MoveCoordinator(t.Context(), mockbroker.NextBroker)
	if after == before || err != nil {
		t.Errorf("%d, %v", after, err)
	}
	partition, err := cluster.Partition("orders", 0).Describe(t.Context())
	check(t, err)
	leader, err := cluster.Partition("orders", 0).Elect(t.Context(), mockbroker.NextBroker)
	if leader == partition.Leader || err != nil {
		t.Errorf("%d, %v", leader, err)
	}
	check(t, producer.EndTransaction(limited(t), kgo.TryCommit))
	cluster.Assert(t, mockbroker.ExactlyOnce().Topic("orders").Expected("order-1"))
}

func TestABrokerIsKilledAndStarted(t *testing.T) {
	cluster := use(t)
	check(t, cluster.Partition("orders", 0).Append(t.Context(), "order-1"))
	check(t, cluster.Broker(1).Kill(t.Context()))
	brokers, err := cluster.Brokers(t.Context())
	if err != nil || brokers[0].State != "killed" || brokers[1].State != "running" {
		t.Errorf("%+v, %v", brokers, err)
	}
	var problem *mockbroker.ProblemError
	if err := cluster.Broker(1).Isolate(t.Context()); !errors.As(err, &problem) || problem.Document.Code != "conflict" {
		t.Errorf("%v", err)
	}
	check(t, cluster.Broker(1).StartWith(t.Context(), api.FullSnapshot))
	check(t, cluster.Broker(2).Isolate(t.Context()))
	check(t, cluster.Broker(2).Rejoin(t.Context()))
	check(t, cluster.Broker(2).Lag(t.Context()))
	check(t, cluster.Broker(2).CatchUp(t.Context()))
	check(t, cluster.Broker(2).Stop(t.Context()))
	check(t, cluster.Broker(2).Start(t.Context()))
	check(t, cluster.Flush(t.Context()))
	check(t, cluster.Broker(1).Crash(t.Context()))
	check(t, cluster.Crash(t.Context()))
	cluster.Assert(t, mockbroker.Records("orders", "order-1"))
}

func TestTheJournalHasTheRequests(t *testing.T) {
	cluster := use(t)
	journal := cluster.Journal()
	check(t, journal.Start(t.Context()))
	producer := producer(t, cluster, "orders-svc")
	send(t, producer, "order-1")
	check(t, producer.EndTransaction(limited(t), kgo.TryCommit))

	commits := api.JournalSelection{API: []string{"EndTxn"}, TransactionalID: []string{"orders-svc"}}
	check(t, journal.WaitForRequests(limited(t), commits, 1))
	entries, err := journal.Entries(t.Context(), commits)
	if err != nil || len(entries) == 0 || *entries[0].API != "EndTxn" {
		t.Errorf("%+v, %v", entries, err)
	}
	check(t, journal.Clear(t.Context()))
	if count, err := journal.Count(t.Context(), commits); count != 0 || err != nil {
		t.Errorf("%d, %v", count, err)
	}
	soon, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	has(t, journal.WaitForRequests(soon, commits, 1), "found 0 of 1 requests")
	check(t, journal.Stop(t.Context()))
}

func TestAGroupIsSeenAndItsMemberFenced(t *testing.T) {
	cluster := use(t)
	check(t, cluster.Partition("orders", 0).Append(t.Context(), "order-1"))
	consumer := client(t, kgo.SeedBrokers(cluster.BootstrapServers()...), kgo.ConsumerGroup("billing"),
		kgo.ConsumeTopics("orders"), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	if fetched := consumer.PollFetches(limited(t)); fetched.NumRecords() != 1 {
		t.Fatalf("%v", fetched.Errors())
	}
	check(t, consumer.CommitUncommittedOffsets(limited(t)))

	group := cluster.Group("billing")
	view, err := group.Describe(t.Context())
	if err != nil || len(view.Members) != 1 || len(view.Offsets) != 1 || view.Offsets[0].Offset != 1 {
		t.Fatalf("%+v, %v", view, err)
	}
	if groups, err := cluster.Groups(t.Context()); len(groups) != 1 || err != nil {
		t.Errorf("%+v, %v", groups, err)
	}
	before, err := group.Coordinator(t.Context())
	check(t, err)
	check(t, group.Rebalance(t.Context()))
	check(t, group.Fence(t.Context(), view.Members[0].MemberID))
	after, err := group.MoveCoordinator(t.Context(), mockbroker.NextBroker)
	if after == before || err != nil {
		t.Errorf("%d, %v", after, err)
	}
	check(t, group.HoldReconciliation(t.Context()))
	has(t, group.Step(t.Context(), "nobody"), "nobody")
	check(t, group.Release(t.Context()))
}

func TestAPartitionsLogIsChanged(t *testing.T) {
	cluster := use(t)
	check(t, cluster.CreateTopic(t.Context(), api.NewTopicDocument{Name: "payments"}))
	partition := cluster.Partition("payments", 0)
	check(t, partition.Append(t.Context(), "one", "two", "three", "four"))
	check(t, partition.LoseTail(t.Context(), 1))
	check(t, partition.DeleteRecords(t.Context(), 1))
	check(t, partition.MoveLogStart(t.Context(), 2))
	records, err := partition.Records(t.Context(), mockbroker.ReadUncommitted)
	if err != nil || len(records) != 1 || records[0].Offset != 2 || string(records[0].Value.Bytes()) != "three" {
		t.Errorf("%+v, %v", records, err)
	}
	if was, err := partition.ForgetProducer(t.Context(), 42); was || err != nil {
		t.Errorf("%v, %v", was, err)
	}
	check(t, cluster.RecreateTopic(t.Context(), "payments", api.RecreateDocument{}))
	view, err := cluster.Topic(t.Context(), "payments")
	if err != nil || view.Partitions[0].LogEndOffset != 0 {
		t.Errorf("%+v, %v", view, err)
	}
	if topics, err := cluster.Topics(t.Context()); len(topics) != 3 || err != nil {
		t.Errorf("%+v, %v", topics, err)
	}
}

func TestALogIsCompacted(t *testing.T) {
	cluster := use(t)
	compacted := map[string]string{"cleanup.policy": "compact"}
	check(t, cluster.CreateTopic(t.Context(), api.NewTopicDocument{Name: "states", Config: compacted}))
	key, value := "order-1", "paid"
	for range 2 {
		appended, err := cluster.AppendRecord(t.Context(), "states", api.RecordDocument{Key: &key, Value: &value})
		if appended.Partition != 0 || err != nil {
			t.Errorf("%+v, %v", appended, err)
		}
	}
	if removed, err := cluster.Partition("states", 0).Compact(t.Context()); removed != 1 || err != nil {
		t.Errorf("%d, %v", removed, err)
	}
	has(t, cluster.Partition("states", 0).Append(t.Context(), "no key"), "key")
}

func TestReplicasDiffer(t *testing.T) {
	cluster := use(t)
	partition := cluster.Partition("orders", 0)
	check(t, partition.Append(t.Context(), "order-1"))
	view, err := partition.Describe(t.Context())
	check(t, err)
	follower := 3 - view.Leader
	if len(view.Replicas) != 2 {
		t.Fatalf("%+v", view)
	}
	replica := partition.Replica(follower)
	check(t, partition.Lag(t.Context(), follower))
	check(t, partition.Append(t.Context(), "order-2"))
	replicas, err := partition.Replicas(t.Context())
	if err != nil || replicas[0].LogEndOffset != 2 || replicas[1].LogEndOffset != 1 {
		t.Errorf("%+v, %v", replicas, err)
	}
	check(t, replica.CatchUp(t.Context()))
	check(t, replica.HoldOffsets(t.Context()))
	check(t, replica.ReleaseOffsets(t.Context()))
	check(t, replica.ReloadProducers(t.Context(), api.FullSnapshot))
	if was, err := replica.ForgetProducer(t.Context(), 42); was || err != nil {
		t.Errorf("%v, %v", was, err)
	}
	check(t, replica.MoveLogStart(t.Context(), 1))
	check(t, partition.LoseReplica(t.Context(), follower))
	check(t, partition.CatchUp(t.Context()))
}

func TestTimeIsSetAndFrozen(t *testing.T) {
	cluster := use(t)
	clock := cluster.Clock()
	check(t, clock.Freeze(t.Context()))
	before, err := clock.Now(t.Context())
	check(t, err)
	check(t, clock.Set(t.Context(), before.Add(time.Hour)))
	_, err = clock.AdvanceSessions(t.Context(), time.Minute)
	check(t, err)
	after, err := clock.Now(t.Context())
	if after.Sub(before) != time.Hour+time.Minute || err != nil {
		t.Errorf("%v, %v", after.Sub(before), err)
	}
	check(t, clock.Resume(t.Context()))
}

func TestMarkersAreDelayed(t *testing.T) {
	cluster := use(t)
	check(t, cluster.DelayMarkers(t.Context(), time.Millisecond, 1))
	check(t, cluster.DelayMarkers(t.Context(), 0, 1))
}

func TestWhatWasDoneIsRecorded(t *testing.T) {
	cluster := use(t)
	check(t, cluster.StartLedger(t.Context(), 10))
	check(t, cluster.Partition("orders", 0).Append(t.Context(), "order-1"))
	ledger, err := cluster.Ledger(t.Context())
	if err != nil || ledger.RowsMax != 10 || !ledger.IsOn {
		t.Errorf("%+v, %v", ledger, err)
	}
	recording, err := cluster.RecordedScenario(t.Context())
	if err != nil || len(recording.Scenario) == 0 {
		t.Errorf("%+v, %v", recording, err)
	}
	_, err = cluster.CertificateAuthority(t.Context())
	has(t, err, "the cluster issues no certificates")
}

func TestARefusalTellsWhatIsWrong(t *testing.T) {
	cluster := use(t)
	_, err := cluster.AddFault(t.Context(), mockbroker.On("Prodce").LoseResponse())
	has(t, err, "POST /api/v1/faults", "$.match.api", "Produce")
	_, err = cluster.AddFault(t.Context(), mockbroker.On("Produce").LoseResponse().Upstream())
	has(t, err, "effects on the network")
	has(t, cluster.Check(t.Context(), mockbroker.NoOpenTransactions().Topic("orders")), "has no argument 'topic'")
	_, err = cluster.Partition("order", 0).Describe(t.Context())
	has(t, err, "there is no topic 'order'; did you mean orders?")
}

func TestAFaultThatNeverFiredFailsATest(t *testing.T) {
	r := &recorder{}
	cluster := mockbroker.Use(r, shared.AdminURL())
	fault := add(t, cluster, mockbroker.On("EndTxn").Hold().Named("held-commit"))
	if fault.ID() != "held-commit" {
		t.Errorf("%s", fault)
	}
	r.end()
	hasText(t, r.errors[0], "a fault never fired: held-commit", "matched 0 calls")
	hasText(t, r.logs[0], "mockbroker timeline")
	hasText(t, r.logs[1], "mockbroker fault: held-commit")
	if faults, err := cluster.Faults(t.Context()); len(faults) != 0 || err != nil {
		t.Errorf("%+v, %v", faults, err)
	}
}

func TestEveryAssertionHasAFunction(t *testing.T) {
	cluster := use(t)
	known := []mockbroker.Assertion{
		mockbroker.ExactlyOnce(), mockbroker.NoDuplicates(), mockbroker.NoLoss(), mockbroker.Records(""),
		mockbroker.NoHangingTransactions(), mockbroker.NoOpenTransactions(), mockbroker.NoZombieWrites(),
		mockbroker.Committed(""), mockbroker.Aborted(""), mockbroker.Fenced(), mockbroker.HasProducerEpoch("", 0),
		mockbroker.ErrorHandled("", ""), mockbroker.NoPartitionOwnedTwice(""),
		mockbroker.NoRecordDeliveredBeyondLimit(""), mockbroker.EachRecordAcknowledgedOnce(""),
		mockbroker.NoUnhandledRequests(), mockbroker.AllFaultsFired(),
	}
	var names []string
	for _, assertion := range known {
		names = append(names, "assert_"+assertion.Name())
	}
	available, err := cluster.AvailableAssertions(t.Context())
	check(t, err)
	var wanted []string
	for _, assertion := range available {
		wanted = append(wanted, assertion.Name)
	}
	if !slices.Equal(names, wanted) {
		t.Errorf("%v\ninstead of\n%v", names, wanted)
	}
}
