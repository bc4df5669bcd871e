package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/IBM/sarama"
)

const noEnd = "no end"

// A transactor is a producer whose every call tells what it raised. The producer is made, and gets its
// producer id, in init_transactions.
type transactor struct {
	producer    sarama.SyncProducer
	settings    map[string]string
	callTimeout time.Duration
}

type transactors map[string]*transactor

func (t transactors) run(command string, words []string) ([]string, error) {
	name := words[0]
	switch command {
	case "transactor":
		t[name] = newTransactor(words[1:])
		return nil, nil
	case "attempt":
		return t[name].attempt(words[1], words[2:]), nil
	case "reports":
		return nil, nil // a SyncProducer has no callbacks
	case "dismiss":
		if producer := t[name].producer; producer != nil {
			go producer.Close() // it may wait for what it cannot deliver
		}
		delete(t, name)
		return nil, nil
	}
	return nil, fmt.Errorf("%s: no such command", command)
}

func newTransactor(words []string) *transactor {
	settings := map[string]string{}
	for _, word := range words {
		key, value, _ := strings.Cut(word, "=")
		settings[key] = value
	}
	t := &transactor{settings: settings}
	t.callTimeout = t.milliseconds("max.block.ms")
	return t
}

func (t *transactor) milliseconds(key string) time.Duration {
	count, _ := strconv.Atoi(t.settings[key])
	return time.Duration(count) * time.Millisecond
}

// attempt returns what a call raised, or that it does not come back.
func (t *transactor) attempt(call string, words []string) []string {
	raised := make(chan error, 1)
	go func() { raised <- t.step(call, words) }()
	select {
	case err := <-raised:
		return named(err)
	case <-time.After(t.callTimeout + t.callTimeout/2):
		return []string{noEnd}
	}
}

func (t *transactor) step(call string, words []string) error {
	if call == "init_transactions" {
		return t.start()
	}
	if t.producer == nil {
		return errors.New("there is no producer")
	}
	switch call {
	case "begin_transaction":
		return t.producer.BeginTxn()
	case "send":
		partition, err := strconv.Atoi(words[1])
		if err != nil {
			return err
		}
		_, _, err = t.producer.SendMessage(&sarama.ProducerMessage{
			Topic: words[0], Partition: int32(partition), Value: sarama.StringEncoder(words[2]),
		})
		return err
	case "flush":
		return nil // SendMessage waits
	case "send_offsets_to_transaction":
		return sendOffsets(t.producer, words[0], words[1], words[2], words[3])
	case "commit_transaction":
		return t.producer.CommitTxn()
	case "abort_transaction":
		return t.producer.AbortTxn()
	}
	return fmt.Errorf("%s: no such call", call)
}

func (t *transactor) start() error {
	config := newConfig()
	config.ClientID = t.settings["client.id"]
	config.Net.MaxOpenRequests = 1
	request := t.milliseconds("request.timeout.ms")
	config.Net.DialTimeout, config.Net.ReadTimeout, config.Net.WriteTimeout = request, request, request
	config.Producer.Idempotent = true
	config.Producer.Partitioner = sarama.NewManualPartitioner
	config.Producer.RequiredAcks = sarama.WaitForAll
	config.Producer.Timeout = request
	config.Producer.Return.Successes = true
	config.Producer.Return.Errors = true
	config.Producer.Transaction.ID = t.settings["transactional.id"]
	producer, err := sarama.NewSyncProducer(
		strings.Split(t.settings["bootstrap.servers"], ","), config)
	if err == nil {
		t.producer = producer
	}
	return err
}

// named returns Kafka's name for an error, or the client's own, or its type.
func named(err error) []string {
	if err == nil {
		return nil
	}
	var answered sarama.KError
	if errors.As(err, &answered) {
		return []string{kafkaName(answered)}
	}
	for _, own := range []struct {
		name string
		err  error
	}{
		{"ErrOutOfBrokers", sarama.ErrOutOfBrokers},
		{"ErrNotConnected", sarama.ErrNotConnected},
		{"ErrClosedClient", sarama.ErrClosedClient},
		{"ErrTransactionNotReady", sarama.ErrTransactionNotReady},
		{"ErrNonTransactedProducer", sarama.ErrNonTransactedProducer},
		{"ErrTransitionNotAllowed", sarama.ErrTransitionNotAllowed},
		{"ErrTxnUnableToParseResponse", sarama.ErrTxnUnableToParseResponse},
		{"ErrTxnOffsetCommit", sarama.ErrTxnOffsetCommit},
		{"ErrCannotTransitionNilError", sarama.ErrCannotTransitionNilError},
		{"ErrShuttingDown", sarama.ErrShuttingDown},
		{"ErrProducerRetryBufferOverflow", sarama.ErrProducerRetryBufferOverflow},
		{"ErrControllerNotAvailable", sarama.ErrControllerNotAvailable},
		{"ErrIncompleteResponse", sarama.ErrIncompleteResponse},
		{"ErrMessageTooLarge", sarama.ErrMessageTooLarge},
		{"ErrInsufficientData", sarama.ErrInsufficientData},
	} {
		if errors.Is(err, own.err) {
			return []string{own.name}
		}
	}
	return []string{fmt.Sprintf("%T", err)}
}

// kafkaName returns the name of a code; the program that reads it knows all names.
func kafkaName(answered sarama.KError) string {
	return "code " + strconv.Itoa(int(answered))
}
