package main

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

const firstTimestampMs = 1_700_000_000_000

// sampleRecord is the sample of this index, by the rules of tests/clients/support/records.py.
func sampleRecord(topic string, partition int32, index int) *kgo.Record {
	record := &kgo.Record{
		Topic:     topic,
		Partition: partition,
		Timestamp: time.UnixMilli(firstTimestampMs + int64(index)*7919%1_000_000),
	}
	if index%7 != 3 {
		record.Key = fmt.Appendf(nil, "key-%d", index%997)
	}
	if index%70 != 35 {
		record.Value = fmt.Appendf(nil, "value-%d-%s", index, strings.Repeat("kafka", index%40))
	}
	for step := range index % 3 {
		value := []byte{}
		if (index+step)%13 != 0 {
			value = fmt.Appendf(nil, "%d/%d", index, step)
		}
		record.Headers = append(record.Headers, kgo.RecordHeader{Key: "step", Value: value})
	}
	return record
}

// digest is the SHA-256 of the records in order, as records.py computes it.
func digest(records []*kgo.Record) string {
	sum := sha256.New()
	for _, record := range records {
		writeSized(sum, record.Key)
		writeSized(sum, record.Value)
		fixed := binary.BigEndian.AppendUint64(nil, uint64(record.Timestamp.UnixMilli()))
		sum.Write(binary.BigEndian.AppendUint32(fixed, uint32(len(record.Headers))))
		for _, header := range record.Headers {
			writeSized(sum, []byte(header.Key))
			writeSized(sum, header.Value)
		}
	}
	return hex.EncodeToString(sum.Sum(nil))
}

func writeSized(sum hash.Hash, data []byte) {
	size := int32(-1)
	if data != nil {
		size = int32(len(data))
	}
	sum.Write(binary.BigEndian.AppendUint32(nil, uint32(size)))
	sum.Write(data)
}
