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

// producers are transactional; they have a reader of what they wrote.
type producers map[string]*kgo.Client

func (p producers) commands() commands {
	return commands{
		"open":   done(p.open),
		"begin":  done(func(words []string) error { return p[words[0]].BeginTransaction() }),
		"send":   done(p.send),
		"repeat": done(p.repeat),
		"commit": done(func(words []string) error { return p.end(words[0], kgo.TryCommit) }),
		"abort":  done(func(words []string) error { return p.end(words[0], kgo.TryAbort) }),
		"close": done(func(words []string) error {
			p[words[0]].Close()
			delete(p, words[0])
			return nil
		}),
		"read": read,
	}
}

// repeat commits transactions of one record each, back to back.
func (p producers) repeat(words []string) error {
	count, err := strconv.Atoi(words[2])
	if err != nil {
		return err
	}
	for left := count; left > 0; left-- {
		if err := p[words[0]].BeginTransaction(); err != nil {
			return err
		}
		if err := p.send([]string{words[0], words[1], "0", fmt.Sprintf("record-%d", left)}); err != nil {
			return err
		}
		if err := p.end(words[0], kgo.TryCommit); err != nil {
			return err
		}
	}
	return nil
}

func (p producers) send(words []string) error {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	partition, err := strconv.Atoi(words[2])
	if err != nil {
		return err
	}
	record := &kgo.Record{Topic: words[1], Partition: int32(partition), Value: []byte(words[3])}
	return p[words[0]].ProduceSync(ctx, record).FirstErr()
}

func (p producers) end(name string, outcome kgo.TransactionEndTry) error {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	return p[name].EndTransaction(ctx, outcome)
}

func (p producers) open(words []string) error {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	transactionTimeout, err := time.ParseDuration(words[3] + "ms")
	if err != nil {
		return err
	}
	producer, err := kgo.NewClient(append(
		producerOptions(words[1], words[2]), kgo.TransactionTimeout(transactionTimeout))...)
	if err != nil {
		return err
	}
	p[words[0]] = producer
	_, _, err = producer.ProducerID(ctx)
	return err
}

func producerOptions(bootstrap, transactionalID string) []kgo.Opt {
	return []kgo.Opt{
		kgo.SeedBrokers(strings.Split(bootstrap, ",")...),
		kgo.TransactionalID(transactionalID),
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ProducerLinger(0),
		kgo.ProducerBatchCompression(kgo.NoCompression()), // large stays large
	}
}

func read(words []string) ([]string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	bootstrap, topic, isolation, last := words[0], words[1], words[3], words[4]
	index, err := strconv.Atoi(words[2])
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
