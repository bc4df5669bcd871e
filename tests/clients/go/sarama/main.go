// Does what the lines on stdin say, as a transactional producer or as a reader of one partition;
// support/client_program.py has the words.
package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/IBM/sarama"
)

const timeout = 20 * time.Second

type transactions struct {
	producers   map[string]sarama.SyncProducer
	transactors transactors
}

func main() {
	if len(os.Args) != 1 {
		fmt.Fprintln(os.Stderr, "usage: no arguments, commands on stdin")
		os.Exit(2)
	}
	all := transactions{producers: map[string]sarama.SyncProducer{}, transactors: transactors{}}
	if err := answerLines(all.run, errorName); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func (t transactions) run(command string, words []string) ([]string, error) {
	switch command {
	case "open":
		return nil, t.open(words[0], words[1], words[2], words[3])
	case "read":
		return read(words[0], words[1], words[2], words[3], words[4])
	case "transactor", "attempt", "reports", "dismiss":
		return t.transactors.run(command, words)
	}
	producer := t.producers[words[0]]
	switch command {
	case "begin":
		return nil, producer.BeginTxn()
	case "send":
		partition, err := strconv.Atoi(words[2])
		if err != nil {
			return nil, err
		}
		_, _, err = producer.SendMessage(&sarama.ProducerMessage{
			Topic: words[1], Partition: int32(partition), Value: sarama.StringEncoder(words[3]),
		})
		return nil, err
	case "repeat":
		return nil, repeat(producer, words[1], words[2])
	case "offsets":
		return nil, sendOffsets(producer, words[1], words[2], words[3], words[4])
	case "commit":
		return nil, producer.CommitTxn()
	case "abort":
		return nil, producer.AbortTxn()
	case "close":
		delete(t.producers, words[0])
		return nil, producer.Close()
	}
	return nil, fmt.Errorf("%s: no such command", command)
}

func (t transactions) open(name, bootstrap, transactionalID, timeoutMs string) error {
	timeout, err := time.ParseDuration(timeoutMs + "ms")
	if err != nil {
		return err
	}
	config := newConfig()
	config.Net.MaxOpenRequests = 1
	config.Producer.Idempotent = true
	config.Producer.Partitioner = sarama.NewManualPartitioner
	config.Producer.RequiredAcks = sarama.WaitForAll
	config.Producer.Return.Successes = true
	config.Producer.Return.Errors = true
	config.Producer.Transaction.ID = transactionalID
	config.Producer.Transaction.Timeout = timeout
	producer, err := sarama.NewSyncProducer(strings.Split(bootstrap, ","), config)
	if err == nil {
		t.producers[name] = producer
	}
	return err
}

// repeat commits transactions of one record each, back to back.
func repeat(producer sarama.SyncProducer, topic, words string) error {
	count, err := strconv.Atoi(words)
	if err != nil {
		return err
	}
	for left := count; left > 0; left-- {
		if err := producer.BeginTxn(); err != nil {
			return err
		}
		value := sarama.StringEncoder(fmt.Sprintf("record-%d", left))
		message := &sarama.ProducerMessage{Topic: topic, Partition: 0, Value: value}
		if _, _, err := producer.SendMessage(message); err != nil {
			return err
		}
		if err := producer.CommitTxn(); err != nil {
			return err
		}
	}
	return nil
}

func sendOffsets(producer sarama.SyncProducer, group, topic, partition, offset string) error {
	index, err := strconv.Atoi(partition)
	if err != nil {
		return err
	}
	next, err := strconv.ParseInt(offset, 10, 64)
	if err != nil {
		return err
	}
	offsets := []*sarama.PartitionOffsetMetadata{{Partition: int32(index), Offset: next}}
	return producer.AddOffsetsToTxn(
		map[string][]*sarama.PartitionOffsetMetadata{topic: offsets}, group)
}

func read(bootstrap, topic, partition, isolation, last string) ([]string, error) {
	index, err := strconv.Atoi(partition)
	if err != nil {
		return nil, err
	}
	config := newConfig()
	config.Consumer.MaxWaitTime = 50 * time.Millisecond // closing waits for the fetch under way
	if isolation == "read_committed" {
		config.Consumer.IsolationLevel = sarama.ReadCommitted
	}
	consumer, err := sarama.NewConsumer(strings.Split(bootstrap, ","), config)
	if err != nil {
		return nil, err
	}
	defer consumer.Close()
	messages, err := consumer.ConsumePartition(topic, int32(index), sarama.OffsetOldest)
	if err != nil {
		return nil, err
	}
	defer messages.Close()
	deadline := time.After(timeout)
	var values []string
	for len(values) == 0 || values[len(values)-1] != last {
		select {
		case message := <-messages.Messages():
			values = append(values, string(message.Value))
		case <-deadline:
			return nil, fmt.Errorf("read only %v", values)
		}
	}
	return values, nil
}

func newConfig() *sarama.Config {
	config := sarama.NewConfig()
	config.Version = sarama.V2_8_0_0
	return config
}

func errorName(err error) string {
	var answered sarama.KError
	if errors.As(err, &answered) {
		return strconv.Itoa(int(answered))
	}
	return fmt.Sprintf("%T", err)
}
