package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

var codecs = map[string]kgo.CompressionCodec{
	"none":   kgo.NoCompression(),
	"gzip":   kgo.GzipCompression(),
	"snappy": kgo.SnappyCompression(),
	"lz4":    kgo.Lz4Compression(),
	"zstd":   kgo.ZstdCompression(),
}

type roundTrip struct {
	seeds          []string
	partitionCount int
	recordCount    int
}

// runRoundTrip takes BOOTSTRAP TOPIC PARTITIONS RECORDS COMPRESSION, creates a topic, produces the sample records, reads them back by assignment, and
// returns the digest of each partition.
func runRoundTrip(words []string) ([]string, error) {
	partitionCount, err := strconv.Atoi(words[2])
	if err != nil {
		return nil, err
	}
	recordCount, err := strconv.Atoi(words[3])
	if err != nil {
		return nil, err
	}
	trip := roundTrip{strings.Split(words[0], ","), partitionCount, recordCount}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	topic, compression := words[1], words[4]
	if err := trip.createTopic(ctx, topic); err != nil {
		return nil, err
	}
	if err := trip.produce(ctx, topic, compression); err != nil {
		return nil, err
	}
	received, err := trip.consume(ctx, topic)
	if err != nil {
		return nil, err
	}
	var digests []string
	for _, records := range received {
		digests = append(digests, digest(records))
	}
	return digests, nil
}

func (trip roundTrip) createTopic(ctx context.Context, topic string) error {
	client, err := kgo.NewClient(kgo.SeedBrokers(trip.seeds...))
	if err != nil {
		return err
	}
	defer client.Close()
	configs := map[string]*string{"retention.ms": kadm.StringPtr("-1")}
	_, err = kadm.NewClient(client).CreateTopic(ctx, int32(trip.partitionCount), -1, configs, topic)
	return err
}

func (trip roundTrip) produce(ctx context.Context, topic, compression string) error {
	client, err := kgo.NewClient(
		kgo.SeedBrokers(trip.seeds...),
		kgo.ProducerBatchCompression(codecs[compression]),
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ProducerLinger(20*time.Millisecond),
	)
	if err != nil {
		return err
	}
	defer client.Close()
	var records []*kgo.Record
	for index := range trip.recordCount {
		records = append(records, sampleRecord(topic, int32(index%trip.partitionCount), index))
	}
	return client.ProduceSync(ctx, records...).FirstErr()
}

func (trip roundTrip) consume(ctx context.Context, topic string) ([][]*kgo.Record, error) {
	offsets := map[int32]kgo.Offset{}
	for partition := range trip.partitionCount {
		offsets[int32(partition)] = kgo.NewOffset().AtStart()
	}
	client, err := kgo.NewClient(
		kgo.SeedBrokers(trip.seeds...),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: offsets}),
	)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	received := make([][]*kgo.Record, trip.partitionCount)
	for missing := trip.recordCount; missing > 0; {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			return nil, fmt.Errorf("%d records missing: %w", missing, err)
		}
		fetches.EachRecord(func(record *kgo.Record) {
			received[record.Partition] = append(received[record.Partition], record)
			missing--
		})
	}
	return received, nil
}
