package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const noEnd = "no end"

// A transactor is a producer whose every call tells what it raised, and what the promises were told.
type transactor struct {
	client          *kgo.Client
	transactionalID string
	callTimeout     time.Duration
	mutex           sync.Mutex
	reports         []string
}

type transactors map[string]*transactor

func (t transactors) commands() commands {
	return commands{
		"transactor": done(func(words []string) error { return t.make(words[0], words[1:]) }),
		"attempt": func(words []string) ([]string, error) {
			return t[words[0]].attempt(words[1], words[2:]), nil
		},
		"reports": func(words []string) ([]string, error) { return t[words[0]].reported(), nil },
		"dismiss": done(func(words []string) error {
			go t[words[0]].client.Close() // it may wait for what it cannot deliver
			delete(t, words[0])
			return nil
		}),
	}
}

func (t transactors) make(name string, words []string) error {
	settings := map[string]string{}
	for _, word := range words {
		key, value, _ := strings.Cut(word, "=")
		settings[key] = value
	}
	milliseconds := func(key string) time.Duration {
		count, _ := strconv.Atoi(settings[key])
		return time.Duration(count) * time.Millisecond
	}
	options := []kgo.Opt{
		kgo.SeedBrokers(strings.Split(settings["bootstrap.servers"], ",")...),
		kgo.ClientID(settings["client.id"]),
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ProducerLinger(0),
		kgo.ProducerBatchCompression(kgo.NoCompression()),
		kgo.RecordDeliveryTimeout(milliseconds("delivery.timeout.ms")),
		kgo.ProduceRequestTimeout(milliseconds("request.timeout.ms")),
		kgo.RequestTimeoutOverhead(milliseconds("request.timeout.ms")),
		kgo.RetryTimeout(milliseconds("max.block.ms")),
		kgo.RetryBackoffFn(func(int) time.Duration { return 20 * time.Millisecond }),
		kgo.MetadataMinAge(20 * time.Millisecond),
	}
	if id := settings["transactional.id"]; id != "" {
		options = append(options, kgo.TransactionalID(id))
	}
	client, err := kgo.NewClient(options...)
	if err != nil {
		return err
	}
	t[name] = &transactor{
		client:          client,
		transactionalID: settings["transactional.id"],
		callTimeout:     milliseconds("max.block.ms"),
	}
	return nil
}

// attempt returns what a call raised, or that it does not come back.
func (t *transactor) attempt(call string, words []string) []string {
	ctx, cancel := context.WithTimeout(context.Background(), t.callTimeout)
	defer cancel()
	raised := make(chan error, 1)
	go func() { raised <- t.step(ctx, call, words) }()
	select {
	case err := <-raised:
		return named(err)
	case <-time.After(t.callTimeout + t.callTimeout/2):
		return []string{noEnd}
	}
}

func (t *transactor) step(ctx context.Context, call string, words []string) error {
	switch call {
	case "init_transactions":
		_, _, err := t.client.ProducerID(ctx)
		return err
	case "begin_transaction":
		return t.client.BeginTransaction()
	case "send":
		return t.send(words)
	case "flush":
		return t.client.Flush(ctx)
	case "send_offsets_to_transaction":
		return t.sendOffsets(ctx, words)
	case "commit_transaction":
		if err := t.client.Flush(ctx); err != nil {
			return err
		}
		return t.client.EndTransaction(ctx, kgo.TryCommit)
	case "abort_transaction":
		if err := t.client.AbortBufferedRecords(ctx); err != nil {
			return err
		}
		return t.client.EndTransaction(ctx, kgo.TryAbort)
	}
	return fmt.Errorf("%s: no such call", call)
}

func (t *transactor) send(words []string) error {
	partition, err := strconv.Atoi(words[1])
	if err != nil {
		return err
	}
	record := &kgo.Record{Topic: words[0], Partition: int32(partition), Value: []byte(words[2])}
	t.client.Produce(context.Background(), record, func(_ *kgo.Record, err error) {
		if err != nil {
			t.mutex.Lock()
			defer t.mutex.Unlock()
			t.reports = append(t.reports, strings.Join(named(err), " < "))
		}
	})
	return nil
}

// sendOffsets sends what the client itself sends for the member of a group, which this is not.
func (t *transactor) sendOffsets(ctx context.Context, words []string) error {
	group, topic := words[0], words[1]
	partition, err := strconv.Atoi(words[2])
	if err != nil {
		return err
	}
	offset, err := strconv.ParseInt(words[3], 10, 64)
	if err != nil {
		return err
	}
	producerID, producerEpoch, err := t.client.ProducerID(ctx)
	if err != nil {
		return err
	}
	add := kmsg.NewPtrAddOffsetsToTxnRequest()
	add.TransactionalID, add.Group = t.transactionalID, group
	add.ProducerID, add.ProducerEpoch = producerID, producerEpoch
	added, err := add.RequestWith(ctx, t.client)
	if err == nil {
		err = kerr.ErrorForCode(added.ErrorCode)
	}
	if err != nil {
		return err
	}

	topicID, err := t.topicID(ctx, topic)
	if err != nil {
		return err
	}
	commit := kmsg.NewPtrTxnOffsetCommitRequest()
	commit.TransactionalID, commit.Group = t.transactionalID, group
	commit.ProducerID, commit.ProducerEpoch = producerID, producerEpoch
	ofPartition := kmsg.NewTxnOffsetCommitRequestTopicPartition()
	ofPartition.Partition, ofPartition.Offset = int32(partition), offset
	ofTopic := kmsg.NewTxnOffsetCommitRequestTopic()
	ofTopic.Topic, ofTopic.TopicID = topic, topicID
	ofTopic.Partitions = append(ofTopic.Partitions, ofPartition)
	commit.Topics = append(commit.Topics, ofTopic)
	committed, err := commit.RequestWith(ctx, t.client)
	if err != nil {
		return err
	}
	return kerr.ErrorForCode(committed.Topics[0].Partitions[0].ErrorCode)
}

// topicID returns what newer requests have in place of the name.
func (t *transactor) topicID(ctx context.Context, topic string) ([16]byte, error) {
	ask := kmsg.NewPtrMetadataRequest()
	ofTopic := kmsg.NewMetadataRequestTopic()
	ofTopic.Topic = kmsg.StringPtr(topic)
	ask.Topics = append(ask.Topics, ofTopic)
	known, err := ask.RequestWith(ctx, t.client)
	if err == nil {
		err = kerr.ErrorForCode(known.Topics[0].ErrorCode)
	}
	if err != nil {
		return [16]byte{}, err
	}
	return known.Topics[0].TopicID, nil
}

func (t *transactor) reported() []string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	told := t.reports
	t.reports = nil
	return told
}

// named returns Kafka's name for an error, or the client's own, or its type.
func named(err error) []string {
	if err == nil {
		return nil
	}
	var answered *kerr.Error
	if errors.As(err, &answered) {
		return []string{answered.Message}
	}
	for _, own := range []struct {
		name string
		err  error
	}{
		{"ErrRecordTimeout", kgo.ErrRecordTimeout},
		{"ErrRecordRetries", kgo.ErrRecordRetries},
		{"ErrAborting", kgo.ErrAborting},
		{"ErrClientClosed", kgo.ErrClientClosed},
		{"context.DeadlineExceeded", context.DeadlineExceeded},
	} {
		if errors.Is(err, own.err) {
			return []string{own.name}
		}
	}
	return []string{fmt.Sprintf("%T", err)}
}
