package mockbroker

import (
	"context"
	"maps"
	"net/http"
	"strings"

	"mockbroker.test/mockbroker/api"
)

// An AssertionError is one or more assertions that do not hold.
type AssertionError struct {
	// Failures has the name of each assertion, and its text with the timelines of its partitions.
	Failures []api.FailureView
}

// Error shows the texts of all failures.
func (e *AssertionError) Error() string {
	texts := make([]string, len(e.Failures))
	for i, failure := range e.Failures {
		texts[i] = failure.Text
	}
	return strings.Join(texts, "\n\n")
}

// An Assertion is a claim about what clients have done to the cluster. Methods return a changed copy; an argument that
// the assertion does not have is an error of the check, which lists those that it has.
type Assertion struct {
	name      string
	arguments map[string]any
}

func assertion(name string) Assertion { return Assertion{name: name} }

func (a Assertion) with(name string, value any) Assertion {
	arguments := maps.Clone(a.arguments)
	if arguments == nil {
		arguments = map[string]any{}
	}
	arguments[name] = value
	a.arguments = arguments
	return a
}

// Name returns the name in the HTTP API and on the command line.
func (a Assertion) Name() string { return a.name }

// Topic limits the assertion to a topic; by default it is about all that are not internal.
func (a Assertion) Topic(name string) Assertion { return a.with("topic", name) }

// Expected names the values that readers get.
func (a Assertion) Expected(values ...string) Assertion {
	return a.with("expected", append([]string{}, values...))
}

// AllowOpen lets transactions be open.
func (a Assertion) AllowOpen() Assertion { return a.with("allow_open", true) }

// Key sets the identity of a record: key, value, header:NAME, or json:PATH (a field of the value).
func (a Assertion) Key(key string) Assertion { return a.with("key", key) }

// Partition limits the assertion to one partition of the topic.
func (a Assertion) Partition(partition int) Assertion { return a.with("partition", partition) }

// Isolation sets the isolation level of the readers: read_committed or read_uncommitted.
func (a Assertion) Isolation(level string) Assertion { return a.with("isolation", level) }

// TransactionalID limits the assertion to a transactional id.
func (a Assertion) TransactionalID(id string) Assertion { return a.with("transactional_id", id) }

// ProducerID limits the assertion to a producer.
func (a Assertion) ProducerID(id int64) Assertion { return a.with("producer_id", id) }

// ProducerEpoch limits the assertion to a producer epoch.
func (a Assertion) ProducerEpoch(epoch int) Assertion { return a.with("producer_epoch", epoch) }

// ExactlyOnce claims that no acknowledged record is lost, none is stored twice, and no aborted one is visible.
func ExactlyOnce() Assertion { return assertion("exactly_once") }

// NoDuplicates claims that no record that was sent once is stored twice.
func NoDuplicates() Assertion { return assertion("no_duplicates") }

// NoLoss claims that no acknowledged record is lost.
func NoLoss() Assertion { return assertion("no_loss") }

// Records claims that readers of a topic get these values, in this order.
func Records(topic string, expected ...string) Assertion {
	return assertion("records").Topic(topic).Expected(expected...)
}

// NoHangingTransactions claims that no transaction hangs.
func NoHangingTransactions() Assertion { return assertion("no_hanging_transactions") }

// NoOpenTransactions claims that every transaction has ended.
func NoOpenTransactions() Assertion { return assertion("no_open_transactions") }

// NoZombieWrites claims that no producer wrote after it was fenced.
func NoZombieWrites() Assertion { return assertion("no_zombie_writes") }

// Committed claims that the last transaction of an id was committed.
func Committed(transactionalID string) Assertion {
	return assertion("committed").TransactionalID(transactionalID)
}

// Aborted claims that the last transaction of an id was aborted.
func Aborted(transactionalID string) Assertion {
	return assertion("aborted").TransactionalID(transactionalID)
}

// Fenced claims that a producer got the error that fences it; it needs TransactionalID, ProducerID or ProducerEpoch.
func Fenced() Assertion { return assertion("fenced") }

// HasProducerEpoch claims that a transactional id has this producer epoch.
func HasProducerEpoch(transactionalID string, epoch int) Assertion {
	return assertion("producer_epoch").TransactionalID(transactionalID).ProducerEpoch(epoch)
}

// ErrorHandled claims that producers handled an error as retriable, abortable or fatal (KIP-691).
func ErrorHandled(kafkaError, as string) Assertion {
	return assertion("error_handled").with("error", kafkaError).with("as_", as)
}

// NoPartitionOwnedTwice claims that no partition was owned by two members of a group at once.
func NoPartitionOwnedTwice(group string) Assertion {
	return assertion("no_partition_owned_twice").with("group", group)
}

// NoRecordDeliveredBeyondLimit claims that a share group delivered no record more often than its limit allows.
func NoRecordDeliveredBeyondLimit(group string) Assertion {
	return assertion("no_record_delivered_beyond_limit").with("group", group)
}

// EachRecordAcknowledgedOnce claims that the members of a share group accepted or rejected each record once.
func EachRecordAcknowledgedOnce(group string) Assertion {
	return assertion("each_record_acknowledged_once").with("group", group)
}

// NoUnhandledRequests claims that no connection was closed for an unsupported request.
func NoUnhandledRequests() Assertion { return assertion("no_unhandled_requests") }

// AllFaultsFired claims that every fault has fired.
func AllFaultsFired() Assertion { return assertion("all_faults_fired") }

// Check checks assertions. It returns an *AssertionError if one does not hold.
func (c *Cluster) Check(ctx context.Context, assertions ...Assertion) error {
	document := api.AssertionsDocument{Assertions: []api.AssertionDocument{}}
	for _, each := range assertions {
		document.Assertions = append(document.Assertions, api.AssertionDocument{
			Name: each.name, Arguments: each.arguments,
		})
	}
	view, err := send[api.OutcomeView](ctx, c, http.MethodPost, "assertions", document)
	if err != nil || view.Ok {
		return err
	}
	return &AssertionError{view.Failures}
}

// Assert checks assertions, and fails the test with their texts if they do not hold. It returns true if they hold.
func (c *Cluster) Assert(t TestingT, assertions ...Assertion) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), endTimeout)
	defer cancel()
	if err := c.Check(ctx, assertions...); err != nil {
		t.Errorf("%v", err)
		return false
	}
	return true
}

// AvailableAssertions lists the assertions of the cluster, with their arguments.
func (c *Cluster) AvailableAssertions(ctx context.Context) ([]api.AssertionView, error) {
	view, err := get[api.AssertionsView](ctx, c, "assertions", nil)
	return view.Assertions, err
}
