package main

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"time"
)

const (
	batchCrcAt      = 17 // offsets in a record batch of format 2
	batchChecksumAt = 21
	batchSequenceAt = 53
	batchMaxOffset  = 0x7fffffff
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

type producer struct{ id, epoch int }

var noProducer = producer{-1, -1}

// batchSpec says what a record batch holds.
type batchSpec struct {
	records  int
	size     int // bytes of one record's value
	producer producer

	transactional bool
}

// newBatch returns an uncompressed record batch of format 2 with sequence 0.
func newBatch(spec batchSpec) []byte {
	value := make([]byte, spec.size)
	for i := range value {
		value[i] = byte('a' + i%26)
	}
	var records frame
	for i := 0; i < spec.records; i++ {
		var r frame
		r.i8(0)
		r.varint(0)
		r.varint(i)
		r.varint(-1)
		r.varint(len(value))
		r = append(r, value...)
		r.varint(0)
		records.varint(len(r))
		records = append(records, r...)
	}
	sequence := 0
	if spec.producer == noProducer {
		sequence = -1
	}
	now := int(time.Now().UnixMilli())
	var body frame // what the checksum covers
	attributes := 0
	if spec.transactional {
		attributes = 0x10
	}
	body.i16(attributes)
	body.i32(spec.records - 1)
	body.i64(now)
	body.i64(now)
	body.i64(spec.producer.id)
	body.i16(spec.producer.epoch)
	body.i32(sequence)
	body.i32(spec.records)
	body = append(body, records...)
	var batch frame
	batch.i64(0)
	batch.i32(9 + len(body))
	batch.i32(-1)
	batch.i8(2)
	batch.i32(int(crc32.Checksum(body, castagnoli)))
	return append(batch, body...)
}

// produceRequest returns Produce v9 with one batch, which is the last thing in it but three tag bytes.
func produceRequest(topic string, partition, acks int, transactionalID string, batch []byte) frame {
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
	f.compactArray(1)
	f.i32(partition)
	f.uvarint(len(batch) + 1)
	f = append(f, batch...)
	f.noTags()
	f.noTags()
	f.noTags()
	return f
}

// produceErrorCode reads the one partition's error code.
func produceErrorCode(a *answer) int {
	a.skipTags()
	a.compactArray()
	a.skipCompactStr()
	a.compactArray()
	a.skip(4)
	return a.i16()
}

// produceLoad sends one batch again and again, with its next sequence when the producer is idempotent.
type produceLoad struct {
	frame []byte
	batch []byte // the part of frame that is the batch
	spec  batchSpec
}

func newProduceLoad(topic string, partition, acks int, spec batchSpec) *produceLoad {
	batch := newBatch(spec)
	sealed := produceRequest(topic, partition, acks, "", batch).seal()
	start := len(sealed) - 3 - len(batch)
	return &produceLoad{frame: sealed, batch: sealed[start : start+len(batch)], spec: spec}
}

func (p *produceLoad) next(i int) []byte {
	setCorrelation(p.frame, i)
	if p.spec.producer != noProducer {
		sequence := uint32(i*p.spec.records) & batchMaxOffset
		binary.BigEndian.PutUint32(p.batch[batchSequenceAt:], sequence)
		checksum := crc32.Checksum(p.batch[batchChecksumAt:], castagnoli)
		binary.BigEndian.PutUint32(p.batch[batchCrcAt:], checksum)
	}
	return p.frame
}

func (p *produceLoad) check(body []byte, t *tally) {
	if code := produceErrorCode(&answer{data: body, at: 4}); code != 0 {
		t.refused(code)
		return
	}
	t.bytes += len(p.batch)
	t.records += p.spec.records
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
