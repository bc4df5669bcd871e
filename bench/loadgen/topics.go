package main

import (
	"errors"
	"fmt"
	"time"
)

const (
	topicsAtATime      = 100 // Kafka refuses more than 10,000 metadata records in one request
	errTopicExists     = 36
	readinessTimeLimit = 30 * time.Second
)

// topicSpec says how topics are made.
type topicSpec struct {
	partitions int
	configs    [][2]string
}

// createTopics makes topics, by CreateTopics where the broker has it, else by asking for their metadata.
func createTopics(address string, names []string, spec topicSpec) error {
	for len(names) > 0 {
		some := names[:min(len(names), topicsAtATime)]
		names = names[len(some):]
		codes, err := tryCreateTopics(address, some, spec)
		if err != nil { // librdkafka's mock closes the connection: it has no CreateTopics
			if _, err := topicMetadata(address, some); err != nil {
				return err
			}
			continue
		}
		for i, code := range codes {
			if code != 0 && code != errTopicExists {
				return fmt.Errorf("CreateTopics %s: error %d", some[i], code)
			}
		}
	}
	return nil
}

func tryCreateTopics(address string, names []string, spec topicSpec) ([]int, error) {
	f := request(keyCreateTopics, 4, false)
	f.i32(len(names))
	for _, name := range names {
		f.str(name)
		f.i32(spec.partitions)
		f.i16(1)
		f.i32(0)
		f.i32(len(spec.configs))
		for _, config := range spec.configs {
			f.str(config[0])
			f.str(config[1])
		}
	}
	f.i32(30000)
	f.i8(0)
	a, err := exchange(address, f)
	if err != nil {
		return nil, err
	}
	a.skip(4)
	codes := make([]int, a.i32())
	for i := range codes {
		a.skipStr()
		codes[i] = a.i16()
		a.skipStr()
	}
	return codes, nil
}

// deleteTopics gives the broker's memory back; a broker without DeleteTopics keeps the topics.
func deleteTopics(address string, names []string) {
	f := request(keyDeleteTopics, 1, false)
	f.i32(len(names))
	for _, name := range names {
		f.str(name)
	}
	f.i32(10000)
	exchange(address, f)
}

// topicMetadata returns how many of the topics have a leader for each partition.
func topicMetadata(address string, names []string) (int, error) {
	f := request(keyMetadata, 1, false)
	f.i32(len(names))
	for _, name := range names {
		f.str(name)
	}
	a, err := exchange(address, f)
	if err != nil {
		return 0, err
	}
	for n := a.i32(); n > 0; n-- {
		a.skip(4)
		a.skipStr()
		a.skip(4)
		a.skipStr()
	}
	a.skip(4)
	ready := 0
	for n := a.i32(); n > 0; n-- {
		ok := a.i16() == 0
		a.skipStr()
		a.skip(1)
		partitions := a.i32()
		ok = ok && partitions > 0
		for ; partitions > 0; partitions-- {
			ok = a.i16() == 0 && ok
			a.skip(4)
			ok = a.i32() >= 0 && ok
			a.skip(4 * a.i32())
			a.skip(4 * a.i32())
		}
		if ok {
			ready++
		}
	}
	return ready, nil
}

// awaitTopics returns when every partition has a leader.
func awaitTopics(address string, names []string) error {
	for end := time.Now().Add(readinessTimeLimit); time.Now().Before(end); {
		ready, err := topicMetadata(address, names)
		if err != nil {
			return err
		}
		if ready == len(names) {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return errors.New("the topics got no leaders in time")
}

// awaitAppend returns when a partition takes a batch: a leader may be named a moment before it leads.
func awaitAppend(address, topic string, partition int) error {
	var code int
	for end := time.Now().Add(readinessTimeLimit); time.Now().Before(end); {
		batch := newBatch(batchSpec{producer: noProducer}, []record{{}})
		sealed, _ := produceRequest(topic, -1, "", []partitionBatch{{partition, batch}})
		a, err := exchange(address, sealed)
		if err != nil {
			return err
		}
		if code = produceErrorCode(a, 1); code == 0 {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return fmt.Errorf("partition %d took no batch in time: error %d", partition, code)
}

// logStartOffset asks for the earliest offset of partition 0.
func logStartOffset(address, topic string) (int, error) {
	f := request(keyListOffsets, 1, false)
	f.i32(-1)
	f.i32(1)
	f.str(topic)
	f.i32(1)
	f.i32(0)
	f.i64(-2)
	a, err := exchange(address, f)
	if err != nil {
		return 0, err
	}
	a.skip(4)
	a.skipStr()
	a.skip(4 + 4)
	if code := a.i16(); code != 0 {
		return 0, fmt.Errorf("ListOffsets: error %d", code)
	}
	a.skip(8)
	return a.i64(), nil
}
