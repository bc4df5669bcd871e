package main

import (
	"fmt"
	"time"
)

const (
	requestSizeMax = 1 << 20 // Java's max.request.size
	poolOfSmall    = 512
	poolOfLarge    = 128
	largeRequest   = 64 << 10
	severalOneIn   = 4 // requests have batches for several partitions
	severalMax     = 4
)

// partitionBatch is one partition's part of a Produce request.
type partitionBatch struct {
	partition int
	batch     []byte
}

// produceRequest returns Produce v9 for one topic, and the parts of it that are its batches.
func produceRequest(topic string, acks int, transactionalID string, parts []partitionBatch) ([]byte, [][]byte) {
	f := request(keyProduce, 9, true)
	if transactionalID == "" {
		f.uvarint(0)
	} else {
		f.compactStr(transactionalID)
	}
	f.i16(acks)
	f.i32(30000)
	f.compactArray(1)
	f.compactStr(topic)
	f.compactArray(len(parts))
	ends := make([]int, len(parts))
	for i, part := range parts {
		f.i32(part.partition)
		f.uvarint(len(part.batch) + 1)
		f = append(f, part.batch...)
		ends[i] = len(f)
		f.noTags()
	}
	f.noTags()
	f.noTags()
	sealed := f.seal()
	batches := make([][]byte, len(parts))
	for i, part := range parts {
		batches[i] = sealed[ends[i]-len(part.batch) : ends[i]]
	}
	return sealed, batches
}

// produceErrorCode reads the error codes of a topic's partitions, and returns the first that is not 0. An answer that
// does not have as many as asked for panics.
func produceErrorCode(a *answer, partitions int) int {
	a.skipTags()
	if topics := a.compactArray(); topics != 1 {
		panic(fmt.Sprintf("%d topics", topics))
	}
	a.skipCompactStr()
	if answered := a.compactArray(); answered != partitions {
		panic(fmt.Sprintf("%d partitions for %d", answered, partitions))
	}
	first := 0
	for range partitions {
		a.skip(4)
		if code := a.i16(); first == 0 {
			first = code
		}
		a.skip(8 + 8 + 8)
		for n := a.compactArray(); n > 0; n-- {
			a.skip(4)
			a.skipCompactStr()
			a.skipTags()
		}
		a.skipCompactStr()
		a.skipTags()
	}
	return first
}

// produceSpec says what a connection sends.
type produceSpec struct {
	topic                      string
	firstPartition, partitions int
	records, size              int // the means
	acks, seed                 int
	text                       bool
	producer                   producer
}

// pooled is one request of the pool.
type pooled struct {
	sealed     []byte
	batches    [][]byte
	partitions []int
	counts     []int // of records, by batch
	records    int
	bytes      int
}

// produceLoad sends the requests of a pool in turn, each batch with its partition's next sequence when the producer is
// idempotent. No two requests of a pool are alike.
type produceLoad struct {
	pool      []pooled
	producer  producer
	sequences map[int]int
	answered  int
}

func newProduceLoad(spec produceSpec) *produceLoad {
	v := newVariety(spec.seed, spec.firstPartition, spec.size, spec.text)
	count := poolOfSmall
	if spec.records*spec.size > largeRequest {
		count = poolOfLarge
	}
	load := &produceLoad{producer: spec.producer, sequences: map[int]int{}}
	for range count {
		load.pool = append(load.pool, v.request(spec))
	}
	return load
}

// request returns a request as Java's producer sends it: with one batch for each partition that has something, of up
// to a mebibyte.
func (v *variety) request(spec produceSpec) pooled {
	several := 1
	if most := min(spec.partitions, severalMax); most > 1 && v.random.IntN(severalOneIn) == 0 {
		several = v.between(2, most)
	}
	var p pooled
	var parts []partitionBatch
	for _, partition := range v.random.Perm(spec.partitions)[:several] {
		count := v.around(spec.records)
		batch := newBatch(batchSpec{producer: spec.producer, codec: v.codec()}, v.records(count))
		if len(parts) > 0 && p.bytes+len(batch) > requestSizeMax {
			break
		}
		parts = append(parts, partitionBatch{spec.firstPartition + partition, batch})
		p.partitions = append(p.partitions, spec.firstPartition+partition)
		p.counts = append(p.counts, count)
		p.records += count
		p.bytes += len(batch)
	}
	p.sealed, p.batches = produceRequest(spec.topic, spec.acks, "", parts)
	return p
}

// meanBytes returns the bytes of a request's batches.
func (l *produceLoad) meanBytes() int {
	bytes := 0
	for _, p := range l.pool {
		bytes += p.bytes
	}
	return bytes / len(l.pool)
}

func (l *produceLoad) next(i int) []byte {
	p := &l.pool[i%len(l.pool)]
	setCorrelation(p.sealed, i)
	if l.producer != noProducer {
		for n, batch := range p.batches {
			setSequence(batch, l.sequences[p.partitions[n]])
			l.sequences[p.partitions[n]] += p.counts[n]
		}
	}
	return p.sealed
}

func (l *produceLoad) check(body []byte, t *tally) {
	p := &l.pool[l.answered%len(l.pool)]
	l.answered++
	if code := produceErrorCode(&answer{data: body, at: 4}, len(p.batches)); code != 0 {
		t.refused(code)
		return
	}
	t.bytes += p.bytes
	t.records += p.records
}

// newProducer gets a producer id; a broker may still be loading what gives them out.
func newProducer(address string) (producer, error) {
	var code int
	for end := time.Now().Add(readinessTimeLimit); time.Now().Before(end); {
		f := request(keyInitProducerID, 1, false)
		f.i16(-1)
		f.i32(60000)
		a, err := exchange(address, f)
		if err != nil {
			return noProducer, err
		}
		a.skip(4)
		if code = a.i16(); code == 0 {
			return producer{a.i64(), a.i16()}, nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return noProducer, fmt.Errorf("InitProducerId: error %d", code)
}
