package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sort"
	"time"
)

const (
	errConcurrentTransactions = 51
	transactionTimeoutMs      = 900_000
	retryLimit                = 5 * time.Second
	ordinaryEvery             = 8 // once in so many transactions one is aborted, and other operations are measured
)

// notReady are the codes of a coordinator that is being found or loaded.
var notReady = map[int]bool{14: true, 15: true, 16: true, errConcurrentTransactions: true}

// conversation is one connection on which each request waits for the answer before it.
type conversation struct {
	fd      blockingSocket
	reader  *bufio.Reader
	body    []byte
	sent    int
	retries int
	took    map[string][]time.Duration // by operation, retries included
}

// operation is one request, and where its error code is.
type operation struct {
	name   string
	sealed []byte
	code   func(*answer) int
}

// converse calls talk on a thread of its own: the runtime's poller would add its wake-ups to each round trip.
func converse(address string, limit time.Duration, talk func(*conversation) error) error {
	c, err := dial(address)
	if err != nil {
		return err
	}
	defer c.Close()
	file, err := c.File()
	if err != nil {
		return err
	}
	defer file.Close()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	fd, err := newBlockingSocket(file.Fd(), limit+30*time.Second)
	if err != nil {
		return err
	}
	return talk(&conversation{
		fd: fd, reader: bufio.NewReaderSize(fd, 1<<16),
		took: map[string][]time.Duration{},
	})
}

// ask sends an operation until its answer is not that another transaction is still being completed. Kafka's own
// clients wait 20 ms then; asking again at once is the most that a client can get out of a broker.
func (c *conversation) ask(op operation) (*answer, error) {
	begin := time.Now()
	for {
		setCorrelation(op.sealed, c.sent)
		c.sent++
		if err := c.fd.writeAll(op.sealed); err != nil {
			return nil, err
		}
		var err error
		if c.body, err = readFrame(c.reader, c.body); err != nil {
			return nil, err
		}
		code := op.code(&answer{data: c.body, at: 4})
		if !notReady[code] || time.Since(begin) > retryLimit {
			if code != 0 {
				return nil, fmt.Errorf("%s: error %d", op.name, code)
			}
			c.took[op.name] = append(c.took[op.name], time.Since(begin))
			return &answer{data: c.body, at: 4}, nil
		}
		c.retries++
	}
}

func throttledCode(a *answer) int { a.skip(4); return a.i16() }

func addPartitionsCode(a *answer) int {
	a.skip(4 + 4)
	a.skipStr()
	a.skip(4 + 4)
	return a.i16()
}

// transactionalProducer has a transaction on one partition, again and again.
type transactionalProducer struct {
	id                   string
	producer             producer
	topic                string
	batch                []byte
	sequence             int
	records              int
	add, produce, commit operation
	abort                operation
}

// findCoordinator has the broker make its transaction log, as any client does first.
func findCoordinator(c *conversation, id string) error {
	f := request(keyFindCoordinator, 1, false)
	f.str(id)
	f.i8(1)
	_, err := c.ask(operation{"find_coordinator", f.seal(), throttledCode})
	return err
}

func initProducer(id string) operation {
	f := request(keyInitProducerID, 1, false)
	f.str(id)
	f.i32(transactionTimeoutMs)
	return operation{"init", f.seal(), throttledCode}
}

// newTransactionalProducer begins with InitProducerId, and prepares every other request.
func newTransactionalProducer(c *conversation, id, topic string, records []record) (*transactionalProducer, error) {
	a, err := c.ask(initProducer(id))
	if err != nil {
		return nil, err
	}
	a.skip(4 + 2)
	p := &transactionalProducer{id: id, topic: topic, records: len(records)}
	p.producer = producer{a.i64(), a.i16()}
	f := request(keyAddPartitionsToTxn, 1, false)
	p.identify(&f)
	f.i32(1)
	f.str(topic)
	f.i32(1)
	f.i32(0)
	p.add = operation{"add", f.seal(), addPartitionsCode}
	batch := newBatch(batchSpec{producer: p.producer, transactional: true}, records)
	sealed, batches := produceRequest(topic, -1, id, []partitionBatch{{0, batch}})
	p.batch = batches[0]
	p.produce = operation{"produce", sealed, func(a *answer) int { return produceErrorCode(a, 1) }}
	p.commit, p.abort = p.end("commit", 1), p.end("abort", 0)
	return p, nil
}

func (p *transactionalProducer) identify(f *frame) {
	f.str(p.id)
	f.i64(p.producer.id)
	f.i16(p.producer.epoch)
}

func (p *transactionalProducer) end(name string, committed int) operation {
	f := request(keyEndTxn, 1, false)
	p.identify(&f)
	f.i8(committed)
	return operation{name, f.seal(), throttledCode}
}

// begin adds the partition and produces one batch.
func (p *transactionalProducer) begin(c *conversation) error {
	if _, err := c.ask(p.add); err != nil {
		return err
	}
	setSequence(p.batch, p.sequence)
	p.sequence += p.records
	_, err := c.ask(p.produce)
	return err
}

func (p *transactionalProducer) transact(c *conversation, ending operation) error {
	if err := p.begin(c); err != nil {
		return err
	}
	_, err := c.ask(ending)
	return err
}

// ordinary are the operations beside those of a transaction: what they take may not grow with the number of open ones.
func (p *transactionalProducer) ordinary(another *transactionalProducer, offset int) []operation {
	describe := request(keyDescribeTransactions, 0, true)
	describe.compactArray(1)
	describe.compactStr(p.id)
	describe.noTags()
	fetch := fetchRequest(p.topic, offset, 1<<16)
	fetch[fetchIsolationAt] = 1
	list := request(keyListOffsets, 2, false)
	list.i32(-1)
	list.i8(1)
	list.i32(1)
	list.str(p.topic)
	list.i32(1)
	list.i32(0)
	list.i64(-1)
	return []operation{
		initProducer(another.id),
		{"describe", describe.seal(), func(a *answer) int {
			a.skipTags()
			a.skip(4)
			a.compactArray()
			return a.i16()
		}},
		{"fetch", fetch, func(a *answer) int { return readFetched(a.data, 0).code }},
		{"list_offsets", list.seal(), func(a *answer) int {
			a.skip(4 + 4)
			a.skipStr()
			a.skip(4 + 4)
			return a.i16()
		}},
	}
}

// plainRecords have a value each and nothing else: it is the transactions that are measured.
func plainRecords(count, size int) []record {
	return slices.Repeat([]record{{value: bytes.Repeat([]byte("a"), size)}}, count)
}

// transactions opens -open transactions that stay so, and has one after the other on the same partition meanwhile.
func (o options) transactions() (report, error) {
	r := report{Mode: o.mode, Topic: o.topic}
	limit := time.Duration(o.seconds * float64(time.Second))
	records := plainRecords(o.records, o.size)
	err := converse(o.address, limit+60*time.Second, func(c *conversation) error {
		if err := findCoordinator(c, o.topic); err != nil {
			return err
		}
		for n := range o.open {
			p, err := newTransactionalProducer(c, fmt.Sprintf("%s-open-%d", o.topic, n), o.topic, records)
			if err != nil {
				return err
			}
			if err = p.begin(c); err != nil {
				return err
			}
		}
		p, err := newTransactionalProducer(c, o.topic, o.topic, records)
		if err != nil {
			return err
		}
		another, err := newTransactionalProducer(c, o.topic+"-another", o.topic, records)
		if err != nil {
			return err
		}
		return o.transactAll(c, p, p.ordinary(another, 0), limit, &r)
	})
	return r, err
}

func (o options) transactAll(c *conversation, p *transactionalProducer, others []operation,
	limit time.Duration, r *report) error {
	if err := p.transact(c, p.commit); err != nil { // makes what is made on first use
		return err
	}
	c.took, c.sent, c.retries = map[string][]time.Duration{}, 0, 0
	var latencies []time.Duration
	begin := time.Now()
	for time.Since(begin) < limit && len(latencies) < o.requests {
		sent := time.Now()
		ending := p.commit
		if o.operations && len(latencies)%ordinaryEvery == 1 {
			ending = p.abort
		}
		if err := p.transact(c, ending); err != nil {
			return err
		}
		latencies = append(latencies, time.Since(sent))
		if o.operations && len(latencies)%ordinaryEvery == 0 {
			for _, op := range others {
				if _, err := c.ask(op); err != nil {
					return err
				}
			}
		}
	}
	if len(latencies) == 0 {
		return errors.New("no transaction ended in time")
	}
	took := time.Since(begin).Seconds()
	r.Seconds, r.Requests, r.Retries, r.Records = took, c.sent, c.retries, len(latencies)*o.records
	r.RequestsPerS, r.TransactionsPerS = float64(c.sent)/took, float64(len(latencies))/took
	r.LatencyP50Us, r.LatencyP99Us = quantile(latencies, .5), quantile(latencies, .99)
	r.OperationsUs = map[string]float64{}
	for name, some := range c.took {
		r.OperationsUs[name] = quantile(some, .5)
	}
	return nil
}

// quantile returns microseconds.
func quantile(latencies []time.Duration, q float64) float64 {
	if len(latencies) == 0 {
		return 0
	}
	sort.Slice(latencies, func(i, j int) bool { return latencies[i] < latencies[j] })
	return float64(latencies[int(q*float64(len(latencies)-1))].Nanoseconds()) / 1000
}
