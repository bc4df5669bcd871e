package tests

import (
	"encoding/json"
	"maps"
	"reflect"
	"strings"
	"testing"
	"time"

	"mockbroker.test/mockbroker"
	"mockbroker.test/mockbroker/api"
)

// faults returns faults that have all selectors, effects, triggers and events, by a part of their notation in Python.
func faults(other *mockbroker.Fault) map[string]mockbroker.FaultSpec {
	on, second := mockbroker.On, time.Second
	produce, commit, client := on("Produce"), on("EndTxn"), on().ClientID("orders-*")
	hold := commit.Hold()
	return map[string]mockbroker.FaultSpec{
		"version=[9, 10]":                            on("Produce").Version(9, 10).Duplicate(),
		"topic=['orders'], partition=[0]":            produce.Topic("orders").Partition(0).Corrupt(),
		"transactional_id=['orders-svc']":            commit.TransactionalID("orders-svc").Observe(),
		"producer_id=[1], producer_epoch=[2]":        produce.ProducerID(1).ProducerEpoch(2).BaseSequence(3).Delay(second),
		"group=['billing']":                          on("Heartbeat").Group("billing").MemberID("m").DropRequest(),
		"principal=['User:a']":                       produce.Principal("User:a").Listener("PLAINTEXT").HoldResponse(),
		"broker=[1], connection=[7]":                 produce.Broker(1).Connection(7).Throttle(second),
		"between_brokers=True":                       on("AddPartitionsToTxn").BetweenBrokers().LoseResponse(),
		".answer('NOT_COORDINATOR', top_level=True)": commit.Answer("NOT_COORDINATOR").TopLevel().Once(),
		".apply_then_answer(":                        commit.ApplyThenAnswer("REQUEST_TIMED_OUT").Times(3),
		".lose_response(how='silence')":              commit.LoseResponse().Silently().OnCall(2),
		".every_time()":                              commit.DropRequest().EveryTime(),
		".with_probability(0.5)":                     commit.Duplicate().WithProbability(0.5),
		"latency('1s', jitter='1s'":                  client.Latency(second, second).Upstream(),
		".bandwidth(100":                             client.Bandwidth(100).Toxicity(0.5),
		".slow_close(":                               client.SlowClose(second),
		".timeout(":                                  client.Timeout(second),
		".reset_peer(":                               client.ResetPeer(second),
		".slicer(":                                   client.Slicer(10, 1, second),
		".limit_data(":                               client.LimitData(100),
		".hold(until='1s'":                           hold.Until(mockbroker.After(second)).WithoutBlocking(),
		"abort_marker('orders', 0)":                  hold.Until(mockbroker.AbortMarker("orders", 0)),
		"commit_marker('orders', 0)":                 hold.Until(mockbroker.CommitMarker("orders", 0)),
		"at.marker('orders', 0)":                     hold.Until(mockbroker.AnyMarker("orders", 0)),
		"epoch_bump('orders-svc')":                   hold.Until(mockbroker.EpochBump("orders-svc")),
		"transaction_state('orders-svc'":             hold.Until(mockbroker.TransactionIs("orders-svc", "CompleteAbort")),
		"at.fault('other', hits=2)":                  hold.Until(mockbroker.FaultHits(other, 2)),
		"held=3":                                     hold.Until(mockbroker.FaultHolds(other, 3)),
		"released=3":                                 hold.Until(mockbroker.FaultReleases(other, 3)),
		"at.records('orders', 10)":                   hold.Until(mockbroker.RecordsIn("orders", 10)),
		"log_end_offset('orders', 0, 10)":            hold.Until(mockbroker.LogEndOffset("orders", 0, 10)),
	}
}

func TestEveryPartOfAFaultIsAccepted(t *testing.T) {
	cluster := use(t, mockbroker.WithUnfiredFaults())
	other := add(t, cluster, mockbroker.On("EndTxn").Hold().Named("other"))
	used := map[string]bool{}
	for notation, spec := range faults(other) {
		fault := add(t, cluster, spec)
		view, err := fault.Describe(t.Context())
		check(t, err)
		hasText(t, view.Python, notation)
		maps.Copy(used, keys(t, view.Match))
		maps.Copy(used, keys(t, view.Trigger))
		maps.Copy(used, keys(t, view.Effect))
		if view.Effect.Until != nil {
			maps.Copy(used, keys(t, view.Effect.Until.Event))
		}
	}
	for _, kind := range []any{api.Match{}, api.Trigger{}, api.Effect{}, api.Event{}} {
		for _, field := range reflect.VisibleFields(reflect.TypeOf(kind)) {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if !used[name] {
				t.Errorf("no fault has the field %s of %T", name, kind)
			}
		}
	}
	check(t, other.Remove(t.Context()))
}

// keys returns the names of the fields that a value has as JSON.
func keys(t *testing.T, value any) map[string]bool {
	t.Helper()
	text, err := json.Marshal(value)
	check(t, err)
	fields := map[string]any{}
	check(t, json.Unmarshal(text, &fields))
	names := map[string]bool{}
	for name := range fields {
		names[name] = true
	}
	return names
}

func TestEveryArgumentOfAnAssertionIsAccepted(t *testing.T) {
	cluster := use(t)
	check(t, cluster.Partition("orders", 0).Append(t.Context(), "order-1"))
	cluster.Assert(t,
		mockbroker.NoDuplicates().Topic("orders").Key("value"),
		mockbroker.NoLoss().Topic("orders").Expected("order-1"),
		mockbroker.ExactlyOnce().AllowOpen(),
		mockbroker.Records("orders", "order-1").Partition(0).Isolation(mockbroker.ReadUncommitted),
		mockbroker.NoZombieWrites(),
		mockbroker.NoUnhandledRequests(),
		mockbroker.AllFaultsFired(),
	)
	err := cluster.Check(t.Context(), mockbroker.Fenced().ProducerID(4000).ProducerEpoch(0))
	has(t, err, "4000")
}
