package tests

import (
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"mockbroker.test/mockbroker"
	"mockbroker.test/mockbroker/api"
)

// fromTheStart lets the members of a share group read a topic from its start.
func fromTheStart(t *testing.T, admin *kgo.Client, group string) {
	t.Helper()
	start := "earliest"
	request := kmsg.NewPtrIncrementalAlterConfigsRequest()
	request.Resources = []kmsg.IncrementalAlterConfigsRequestResource{{
		ResourceType: kmsg.ConfigResourceTypeGroupConfig,
		ResourceName: group,
		Configs:      []kmsg.IncrementalAlterConfigsRequestResourceConfig{{Name: "share.auto.offset.reset", Value: &start}},
	}}
	_, err := request.RequestWith(limited(t), admin)
	check(t, err)
}

func TestTheLocksOfAShareGroupExpire(t *testing.T) {
	cluster := use(t)
	check(t, cluster.Partition("orders", 0).Append(t.Context(), "order-1"))
	fromTheStart(t, client(t, kgo.SeedBrokers(cluster.BootstrapServers()...)), "billing")
	consumer := client(t, kgo.SeedBrokers(cluster.BootstrapServers()...), kgo.ShareGroup("billing"),
		kgo.ConsumeTopics("orders"), kgo.FetchMaxWait(50*time.Millisecond))
	if fetched := consumer.PollFetches(limited(t)); fetched.NumRecords() != 1 {
		t.Fatalf("%v", fetched.Errors())
	}

	group := cluster.Group("billing")
	partitions, err := group.SharePartitions(t.Context())
	if err != nil || len(partitions) != 1 || len(partitions[0].InFlight) != 1 {
		t.Fatalf("%+v, %v", partitions, err)
	}
	check(t, group.HoldDeadLetters(t.Context()))
	records, err := group.ExpireLocks(t.Context(), api.LocksDocument{})
	if records != 1 || err != nil {
		t.Errorf("%d, %v", records, err)
	}
	if waiting, err := group.DeadLetters(t.Context()); len(waiting) != 0 || err != nil {
		t.Errorf("%v, %v", waiting, err)
	}
	if done, err := group.StepDeadLetters(t.Context()); done != "" || err != nil {
		t.Errorf("%s, %v", done, err)
	}
	check(t, group.ReleaseDeadLetters(t.Context()))
	before := partitions[0].ShareCoordinator
	after, err := group.MoveShareCoordinator(t.Context(), "orders", 0, mockbroker.NextBroker)
	if after == before || err != nil {
		t.Errorf("%d, %v", after, err)
	}
}
