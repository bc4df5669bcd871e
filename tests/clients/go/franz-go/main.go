// Creates a topic, produces the sample records, reads them back by assignment, and prints one JSON
// line with the digest of each partition; all of it once per compression.
//
// Arguments: bootstrap servers, topic prefix, partitions, records, and the compressions; or
// `transactions`, to do what the lines on stdin say.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
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

type result struct {
	Topic       string   `json:"topic"`
	Compression string   `json:"compression"`
	Records     int      `json:"records"`
	Sha256      []string `json:"sha256"`
}

func main() {
	var err error
	if len(os.Args) == 2 && os.Args[1] == "transactions" {
		err = answerLines(transactions{map[string]*kgo.Client{}}.run, errorName)
	} else {
		err = run(os.Args[1:])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	if len(arguments) < 5 {
		return fmt.Errorf("usage: BOOTSTRAP TOPIC-PREFIX PARTITIONS RECORDS COMPRESSION...")
	}
	partitionCount, err := strconv.Atoi(arguments[2])
	if err != nil {
		return err
	}
	recordCount, err := strconv.Atoi(arguments[3])
	if err != nil {
		return err
	}
	trip := roundTrip{strings.Split(arguments[0], ","), partitionCount, recordCount}
	for _, compression := range arguments[4:] {
		if err := trip.run(arguments[1]+"-"+compression, compression); err != nil {
			return fmt.Errorf("%s: %w", compression, err)
		}
	}
	return nil
}

func (trip roundTrip) run(topic, compression string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := trip.createTopic(ctx, topic); err != nil {
		return err
	}
	if err := trip.produce(ctx, topic, compression); err != nil {
		return err
	}
	received, err := trip.consume(ctx, topic)
	if err != nil {
		return err
	}
	line := result{Topic: topic, Compression: compression}
	for _, records := range received {
		line.Records += len(records)
		line.Sha256 = append(line.Sha256, digest(records))
	}
	return json.NewEncoder(os.Stdout).Encode(line)
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
