// loadgen is a Kafka load generator that costs less than any broker it is pointed at: no client library, requests that
// were encoded before and are patched in place. It prints one JSON line, and is bounded by -n and -t.
//
//	loadgen -address 127.0.0.1:9092 -mode produce -depth 256 -burst 64 -records 1 -size 100 -partitions 4 -idempotent
//	loadgen -address 127.0.0.1:9092 -mode fetch -max-bytes 1048576 -depth 4 -fill 67108864 -records 160 -size 100
//	loadgen -address 127.0.0.1:9092 -mode metadata|apiversions -depth 1
//	loadgen -address 127.0.0.1:9092 -mode transactions -open 10000 -operations
//	loadgen -address 127.0.0.1:9092 -mode create|delete -topic PREFIX -topics 1000 -partitions 10
//
// produce sends Produce v9, each connection to partitions of its own. Its requests differ as those of applications do:
// keys of 4 to 20 bytes, values and counts of records of half to one and a half times what was asked for, headers on
// one record in four, timestamps that advance unevenly, one batch in four compressed, and batches for 2 to 4 partitions
// in one request of four. All of it follows from -seed, and a pool holds 512 such requests (128 large ones).
//
// fetch sends Fetch v12 to one partition, which it filled so before; transactions sends AddPartitionsToTxn, Produce and
// EndTxn one after the other, with records that are alike. A topic that is not named is made, and deleted at the end.
// Bytes are those of record batches as they are sent.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"
)

type options struct {
	address, mode, topic, configs string
	connections, depth, burst     int
	records, size, acks           int
	requests, maxBytes, fill      int
	topics, partitions            int
	seconds                       float64
	idempotent, operations, text  bool
	open, seed                    int
}

func parse() options {
	var o options
	flag.StringVar(&o.address, "address", "127.0.0.1:9092", "the broker, on loopback")
	flag.StringVar(&o.mode, "mode", "produce", "produce, fetch, transactions, metadata, apiversions, create or delete")
	flag.StringVar(&o.topic, "topic", "", "topic (a new one is made when empty; create, delete: prefix)")
	flag.StringVar(&o.configs, "configs", "", "configs of a topic that is made: KEY=VALUE,KEY=VALUE")
	flag.IntVar(&o.connections, "connections", 1, "connections, each with partitions of its own")
	flag.IntVar(&o.depth, "depth", 1, "requests in flight on a connection")
	flag.IntVar(&o.burst, "burst", 1, "requests in one write; depth is a multiple of it")
	flag.IntVar(&o.records, "records", 1, "records in a batch, in the mean")
	flag.IntVar(&o.size, "size", 100, "value bytes in a record, in the mean")
	flag.IntVar(&o.acks, "acks", -1, "acks: -1 or 1")
	flag.IntVar(&o.requests, "n", 1<<40, "requests at most, all connections together")
	flag.Float64Var(&o.seconds, "t", 5, "seconds at most")
	flag.IntVar(&o.maxBytes, "max-bytes", 1<<20, "fetch: bytes of one answer")
	flag.IntVar(&o.topics, "topics", 1, "create, delete: topics")
	flag.IntVar(&o.partitions, "partitions", 1, "create: partitions of each; produce: partitions of each connection")
	flag.BoolVar(&o.idempotent, "idempotent", false, "with a producer id and sequences")
	flag.IntVar(&o.fill, "fill", 64<<20, "fetch: bytes that a topic which is made gets first")
	flag.IntVar(&o.open, "open", 0, "transactions: so many others are open meanwhile")
	flag.BoolVar(&o.operations, "operations", false, "transactions: abort some, and measure other operations too")
	flag.IntVar(&o.seed, "seed", 1, "what makes the records; the same seed makes the same requests")
	flag.BoolVar(&o.text, "text", false, "values are words, which compress; else random bytes")
	flag.Parse()
	return o
}

func (o options) validate() error {
	if o.burst < 1 || o.depth < o.burst || o.depth%o.burst != 0 {
		return errors.New("-depth must be a multiple of -burst")
	}
	if o.acks != -1 && o.acks != 1 {
		return errors.New("-acks must be -1 or 1: without answers nothing is measured")
	}
	if o.connections < 1 || o.records < 1 || o.size < 0 || o.topics < 1 || o.partitions < 1 {
		return errors.New("counts must be positive")
	}
	return nil
}

func (o options) spec(partitions int) (topicSpec, error) {
	spec := topicSpec{partitions: partitions}
	for _, pair := range strings.Split(o.configs, ",") {
		if pair == "" {
			continue
		}
		key, value, found := strings.Cut(pair, "=")
		if !found {
			return spec, fmt.Errorf("-configs %s: KEY=VALUE is expected", pair)
		}
		spec.configs = append(spec.configs, [2]string{key, value})
	}
	return spec, nil
}

// prepareTopic makes the topic, and waits until each of its partitions takes batches.
func (o *options) prepareTopic() error {
	o.topic = fmt.Sprintf("loadgen-%d", time.Now().UnixNano())
	partitions := 1
	if o.mode == "produce" {
		partitions = o.connections * o.partitions
	}
	spec, err := o.spec(partitions)
	if err != nil {
		return err
	}
	if err := createTopics(o.address, []string{o.topic}, spec); err != nil {
		return err
	}
	if err := awaitTopics(o.address, []string{o.topic}); err != nil {
		return err
	}
	for partition := range partitions {
		if err := awaitAppend(o.address, o.topic, partition); err != nil {
			return err
		}
	}
	return nil
}

// fillTopic gives a fetch something to read.
func (o options) fillTopic() error {
	o.mode, o.connections, o.partitions, o.depth, o.burst, o.seconds = "produce", 1, 1, 8, 1, 30
	l := newProduceLoad(o.produceSpec(0, noProducer))
	o.requests = o.fill/l.meanBytes() + 1
	t, err := o.connection(l)
	if err == nil && t.errors > 0 {
		err = fmt.Errorf("filling %s: error %d", o.topic, t.firstError)
	}
	return err
}

func (o options) produceSpec(connection int, who producer) produceSpec {
	return produceSpec{
		topic: o.topic, firstPartition: connection * o.partitions, partitions: o.partitions,
		records: o.records, size: o.size, acks: o.acks, seed: o.seed, text: o.text, producer: who,
	}
}

func (o options) load(connection int) (load, error) {
	switch o.mode {
	case "produce":
		who := noProducer
		if o.idempotent {
			var err error
			if who, err = newProducer(o.address); err != nil {
				return nil, err
			}
		}
		return newProduceLoad(o.produceSpec(connection, who)), nil
	case "fetch":
		return newFetchLoad(o.address, o.topic, o.maxBytes)
	case "metadata":
		return newMetadataLoad(), nil
	case "apiversions":
		return newApiVersionsLoad(), nil
	}
	return nil, fmt.Errorf("no mode %q", o.mode)
}

func (o options) connection(l load) (tally, error) {
	c, err := dial(o.address)
	if err != nil {
		return tally{}, err
	}
	defer c.Close()
	limit := limits{o.requests / o.connections, time.Duration(o.seconds * float64(time.Second))}
	c.SetDeadline(time.Now().Add(limit.duration + 30*time.Second))
	if o.depth == 1 {
		return roundTrips(c, l, limit)
	}
	return pipeline(c, l, o.depth, o.burst, limit)
}

// run measures all connections at once.
func (o options) run() ([]tally, error) {
	loads := make([]load, o.connections)
	for i := range loads {
		var err error
		if loads[i], err = o.load(i); err != nil {
			return nil, err
		}
	}
	tallies := make([]tally, o.connections)
	ended := make(chan error, o.connections)
	for i, l := range loads {
		go func() {
			var err error
			tallies[i], err = o.connection(l)
			ended <- err
		}()
	}
	var err error
	for range loads {
		err = errors.Join(err, <-ended)
	}
	return tallies, err
}

// report is the JSON line.
type report struct {
	Mode          string  `json:"mode"`
	Topic         string  `json:"topic"`
	Seed          int     `json:"seed"`
	Seconds       float64 `json:"seconds"`
	Requests      int     `json:"requests"`
	Records       int     `json:"records"`
	Bytes         int     `json:"bytes"`
	Errors        int     `json:"errors"`
	FirstError    int     `json:"first_error"`
	RequestsPerS  float64 `json:"requests_per_s"`
	RecordsPerS   float64 `json:"records_per_s"`
	BytesPerS     float64 `json:"bytes_per_s"`
	LatencyP50Us  float64 `json:"latency_p50_us"`
	LatencyP99Us  float64 `json:"latency_p99_us"`
	BytesAnAnswer float64 `json:"bytes_an_answer"`

	TransactionsPerS float64            `json:"transactions_per_s"`
	Retries          int                `json:"retries"`
	OperationsUs     map[string]float64 `json:"operations_us"`
}

func summarize(o options, tallies []tally) report {
	r := report{Mode: o.mode, Topic: o.topic, Seed: o.seed}
	var latencies []time.Duration
	for _, t := range tallies {
		r.Requests += t.requests
		r.Records += t.records
		r.Bytes += t.bytes
		if r.Errors == 0 {
			r.FirstError = t.firstError
		}
		r.Errors += t.errors
		r.Seconds = max(r.Seconds, t.took.Seconds())
		latencies = append(latencies, t.latencies...)
	}
	r.LatencyP50Us, r.LatencyP99Us = quantile(latencies, .5), quantile(latencies, .99)
	if r.Seconds > 0 {
		r.RequestsPerS = float64(r.Requests) / r.Seconds
		r.RecordsPerS = float64(r.Records) / r.Seconds
		r.BytesPerS = float64(r.Bytes) / r.Seconds
	}
	if r.Requests > 0 {
		r.BytesAnAnswer = float64(r.Bytes) / float64(r.Requests)
	}
	return r
}

func (o options) names() []string {
	names := make([]string, o.topics)
	for i := range names {
		names[i] = fmt.Sprintf("%s-%d", o.topic, i)
	}
	return names
}

// createAll makes -topics topics, and reports how long that took.
func createAll(o options) (report, error) {
	spec, err := o.spec(o.partitions)
	if err != nil {
		return report{}, err
	}
	begin := time.Now()
	if err := createTopics(o.address, o.names(), spec); err != nil {
		return report{}, err
	}
	if err := awaitTopics(o.address, o.names()); err != nil {
		return report{}, err
	}
	return report{Mode: o.mode, Topic: o.topic, Records: o.topics, Seconds: time.Since(begin).Seconds()}, nil
}

func measure(o options) (r report, err error) {
	defer func() {
		if found := recover(); found != nil {
			err = fmt.Errorf("an answer is not what was asked for: %v", found)
		}
	}()
	if err := o.validate(); err != nil {
		return report{}, err
	}
	switch o.mode {
	case "create":
		return createAll(o)
	case "delete":
		deleteTopics(o.address, o.names())
		return report{Mode: o.mode, Topic: o.topic}, nil
	}
	if o.topic == "" && (o.mode == "produce" || o.mode == "fetch" || o.mode == "transactions") {
		if err := o.prepareTopic(); err != nil {
			return report{}, err
		}
		defer deleteTopics(o.address, []string{o.topic})
		if o.mode == "fetch" {
			if err := o.fillTopic(); err != nil {
				return report{}, err
			}
		}
	}
	if o.mode == "transactions" {
		return o.transactions()
	}
	tallies, err := o.run()
	if err != nil {
		return report{}, err
	}
	return summarize(o, tallies), nil
}

func main() {
	r, err := measure(parse())
	if err != nil {
		fmt.Fprintln(os.Stderr, "loadgen:", err)
		os.Exit(1)
	}
	json.NewEncoder(os.Stdout).Encode(r)
}
