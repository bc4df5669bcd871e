package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

const timeout = 20 * time.Second

// transactions does what the lines on stdin say; support/client_program.py has the words.
type transactions struct {
	producers map[string]*kgo.Client
}

func (t transactions) run(command string, words []string) ([]string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	switch command {
	case "open":
		return nil, t.open(ctx, words[0], words[1], words[2], words[3])
	case "read":
		return read(ctx, words[0], words[1], words[2], words[3], words[4])
	}
	producer := t.producers[words[0]]
	switch command {
	case "begin":
		return nil, producer.BeginTransaction()
	case "send":
		partition, err := strconv.Atoi(words[2])
		if err != nil {
			return nil, err
		}
		record := &kgo.Record{Topic: words[1], Partition: int32(partition), Value: []byte(words[3])}
		return nil, producer.ProduceSync(ctx, record).FirstErr()
	case "commit":
		return nil, producer.EndTransaction(ctx, kgo.TryCommit)
	case "abort":
		return nil, producer.EndTransaction(ctx, kgo.TryAbort)
	case "close":
		delete(t.producers, words[0])
		producer.Close()
		return nil, nil
	}
	return nil, fmt.Errorf("%s: no such command", command)
}

func (t transactions) open(ctx context.Context, name, bootstrap, transactionalID, timeoutMs string) error {
	timeout, err := time.ParseDuration(timeoutMs + "ms")
	if err != nil {
		return err
	}
	producer, err := kgo.NewClient(
		kgo.SeedBrokers(strings.Split(bootstrap, ",")...),
		kgo.TransactionalID(transactionalID),
		kgo.TransactionTimeout(timeout),
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ProducerLinger(0),
		kgo.ProducerBatchCompression(kgo.NoCompression()), // large stays large
	)
	if err != nil {
		return err
	}
	t.producers[name] = producer
	_, _, err = producer.ProducerID(ctx)
	return err
}

func read(ctx context.Context, bootstrap, topic, partition, isolation, last string) ([]string, error) {
	index, err := strconv.Atoi(partition)
	if err != nil {
		return nil, err
	}
	level := kgo.ReadUncommitted()
	if isolation == "read_committed" {
		level = kgo.ReadCommitted()
	}
	offsets := map[int32]kgo.Offset{int32(index): kgo.NewOffset().AtStart()}
	consumer, err := kgo.NewClient(
		kgo.SeedBrokers(strings.Split(bootstrap, ",")...),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: offsets}),
		kgo.FetchIsolationLevel(level),
	)
	if err != nil {
		return nil, err
	}
	defer consumer.Close()
	var values []string
	for len(values) == 0 || values[len(values)-1] != last {
		fetches := consumer.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			return nil, fmt.Errorf("read only %v: %w", values, err)
		}
		fetches.EachRecord(func(record *kgo.Record) {
			values = append(values, string(record.Value))
		})
	}
	return values, nil
}

func errorName(err error) string {
	var answered *kerr.Error
	if errors.As(err, &answered) {
		return answered.Message
	}
	return fmt.Sprintf("%T", err)
}
