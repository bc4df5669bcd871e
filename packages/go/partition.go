package mockbroker

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"mockbroker.test/mockbroker/api"
)

// Isolation levels of readers.
const (
	ReadCommitted   = "read_committed"
	ReadUncommitted = "read_uncommitted"
)

// unlimited is more than a partition has.
const unlimited = "1000000000"

// A Partition controls a partition and its log.
type Partition struct {
	cluster *Cluster
	topic   string
	index   int
}

// Partition returns the handle of a partition.
func (c *Cluster) Partition(topic string, partition int) Partition {
	return Partition{c, topic, partition}
}

// Describe returns the leader, the replicas and the offsets of the partition.
func (p Partition) Describe(ctx context.Context) (api.PartitionView, error) {
	return get[api.PartitionView](ctx, p.cluster, p.path(), nil)
}

// Records returns the records that readers with an isolation level get.
func (p Partition) Records(ctx context.Context, isolation string) ([]api.RecordView, error) {
	query := url.Values{"isolation": {isolation}, "limit": {unlimited}}
	view, err := get[api.RecordsView](ctx, p.cluster, p.path("records"), query)
	return view.Records, err
}

// Values returns the values of the records that readers with an isolation level get.
func (p Partition) Values(ctx context.Context, isolation string) ([]string, error) {
	records, err := p.Records(ctx, isolation)
	values := make([]string, len(records))
	for i, record := range records {
		values[i] = string(record.Value.Bytes())
	}
	return values, err
}

// Batches returns the batches of the log, markers included.
func (p Partition) Batches(ctx context.Context) ([]api.BatchView, error) {
	view, err := get[api.LogView](ctx, p.cluster, p.path("log"), url.Values{"limit": {unlimited}})
	return view.Batches, err
}

// Producers returns the producers that the leader knows.
func (p Partition) Producers(ctx context.Context) ([]api.ProducerView, error) {
	query := url.Values{"topic": {p.topic}, "partition": {strconv.Itoa(p.index)}}
	view, err := get[api.ProducersView](ctx, p.cluster, "producers", query)
	return view.Producers, err
}

// Append appends values without a client, as a producer with acks=1.
func (p Partition) Append(ctx context.Context, values ...string) error {
	for _, value := range values {
		record := api.RecordDocument{Value: &value, Partition: &p.index}
		if _, err := p.cluster.AppendRecord(ctx, p.topic, record); err != nil {
			return err
		}
	}
	return nil
}

// Elect elects a broker, or NextBroker, as the leader, and returns the leader's id.
func (p Partition) Elect(ctx context.Context, to int) (int, error) {
	return p.ElectWith(ctx, api.ElectDocument{To: broker(to)})
}

// ElectWith elects a leader with a log and a producer state of its own, as in an unclean election.
func (p Partition) ElectWith(ctx context.Context, document api.ElectDocument) (int, error) {
	document.Topic, document.Partition = p.topic, p.index
	view, err := send[api.LeaderView](ctx, p.cluster, http.MethodPost, "elect", document)
	return view.Leader, err
}

// Lag stops a replica's fetches from the leader, while it stays in sync.
func (p Partition) Lag(ctx context.Context, brokerID int) error {
	return p.command(ctx, "lag", api.ReplicaDocument{Broker: brokerID})
}

// LoseReplica removes a replica from the in-sync replicas.
func (p Partition) LoseReplica(ctx context.Context, brokerID int) error {
	return p.command(ctx, "lose-replica", api.ReplicaDocument{Broker: brokerID})
}

// CatchUp lets all replicas whose brokers run catch up and be in sync again.
func (p Partition) CatchUp(ctx context.Context) error {
	return p.command(ctx, "catch-up", api.CatchUpDocument{})
}

// LoseTail loses the last records of all replicas, as when all brokers crash before a flush; whole batches are lost.
func (p Partition) LoseTail(ctx context.Context, records int64) error {
	return p.command(ctx, "lose-tail", api.TailDocument{Records: &records})
}

// MoveLogStart moves the log start offset, as retention does.
func (p Partition) MoveLogStart(ctx context.Context, to int64) error {
	return p.command(ctx, "move-log-start", api.LogStartDocument{To: int(to)})
}

// DeleteRecords deletes the records before an offset, as DeleteRecords does.
func (p Partition) DeleteRecords(ctx context.Context, before int64) error {
	query := url.Values{"before": {strconv.FormatInt(before, 10)}}
	return do(ctx, p.cluster, http.MethodDelete, p.path("records")+"?"+query.Encode(), nil)
}

// ForgetProducer forgets a producer, as producer.id.expiration.ms does. It returns true if it was known.
func (p Partition) ForgetProducer(ctx context.Context, producerID int64) (bool, error) {
	document := api.ProducerDocument{ProducerID: producerID}
	view, err := send[api.ForgottenView](ctx, p.cluster, http.MethodPost, p.path("forget-producer"), document)
	return view.WasKnown, err
}

// Compact compacts the log, as one run of Kafka's log cleaner does, and returns the number of removed records.
func (p Partition) Compact(ctx context.Context) (int, error) {
	view, err := send[api.CompactedView](ctx, p.cluster, http.MethodPost, p.path("compact"), nil)
	return view.Removed, err
}

func (p Partition) path(action ...string) string {
	return path(append([]string{"topics", p.topic, "partitions", strconv.Itoa(p.index)}, action...)...)
}

func (p Partition) command(ctx context.Context, action string, document any) error {
	return do(ctx, p.cluster, http.MethodPost, p.path(action), document)
}
