package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

const pollWait = 100 * time.Millisecond

// A member shares the partitions of a topic with the other members of its group.
type member struct {
	client *kgo.Client
	owned  *ownership
}

// An ownership is what a client has been told that it owns.
type ownership struct {
	mutex      sync.Mutex
	partitions map[int32]bool
}

type members map[string]member

func (m members) commands() commands {
	return commands{
		"join": done(m.join),
		"poll": func(words []string) ([]string, error) {
			records, err := poll(m[words[0]].client, -1)
			return texts(records), err
		},
		"assignment": func(words []string) ([]string, error) { return m[words[0]].owned.sorted(), nil },
		"commit-offsets": done(func(words []string) error {
			ctx, cancel := context.WithTimeout(context.Background(), timeout)
			defer cancel()
			return m[words[0]].client.CommitUncommittedOffsets(ctx)
		}),
		"leave": done(func(words []string) error {
			m[words[0]].client.Close()
			delete(m, words[0])
			return nil
		}),
	}
}

func (m members) join(words []string) error {
	owned := &ownership{partitions: map[int32]bool{}}
	options := append(
		memberOptions(words[1], words[2], words[3]),
		kgo.OnPartitionsAssigned(owned.change(true)),
		kgo.OnPartitionsRevoked(owned.change(false)),
		kgo.OnPartitionsLost(owned.change(false)),
	)
	if instanceID := words[4]; instanceID != "" {
		options = append(options, kgo.InstanceID(instanceID))
	}
	client, err := kgo.NewClient(options...)
	if err != nil {
		return err
	}
	m[words[0]] = member{client, owned}
	return nil
}

// memberOptions are those of a member that hears of a rebalance at once.
func memberOptions(bootstrap, group, topic string) []kgo.Opt {
	options := []kgo.Opt{
		kgo.SeedBrokers(strings.Split(bootstrap, ",")...),
		kgo.ConsumerGroup(group),
		kgo.ConsumeTopics(topic),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.DisableAutoCommit(),
		kgo.SessionTimeout(10 * time.Second),
		kgo.HeartbeatInterval(pollWait),
		kgo.FetchMaxWait(pollWait / 2),
	}
	if slices.Contains(os.Args[1:], "consumer") {
		options = append(options, kgo.ServerSideBalancer())
	}
	return options
}

// poll returns what comes within the wait, and at most this many records; -1 is all of them.
func poll(client *kgo.Client, recordsMax int) ([]*kgo.Record, error) {
	ctx, cancel := context.WithTimeout(context.Background(), pollWait)
	defer cancel()
	fetches := client.PollRecords(ctx, recordsMax)
	if err := fetches.Err(); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return nil, err
	}
	return fetches.Records(), nil
}

func texts(records []*kgo.Record) []string {
	var texts []string
	for _, record := range records {
		texts = append(texts, fmt.Sprintf("%d:%d:%s", record.Partition, record.Offset, record.Value))
	}
	return texts
}

func (o *ownership) change(isOwned bool) func(context.Context, *kgo.Client, map[string][]int32) {
	return func(_ context.Context, _ *kgo.Client, topics map[string][]int32) {
		o.mutex.Lock()
		defer o.mutex.Unlock()
		for _, partitions := range topics {
			for _, partition := range partitions {
				o.partitions[partition] = isOwned
			}
		}
	}
}

func (o *ownership) sorted() []string {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	var owned []string
	for partition, isOwned := range o.partitions {
		if isOwned {
			owned = append(owned, strconv.Itoa(int(partition)))
		}
	}
	slices.SortFunc(owned, func(one, other string) int {
		return cmp.Or(cmp.Compare(len(one), len(other)), cmp.Compare(one, other))
	})
	return owned
}
