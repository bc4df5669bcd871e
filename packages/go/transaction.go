package mockbroker

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"mockbroker.test/mockbroker/api"
)

// NextBroker lets the cluster choose the broker to move to: the next one in turn.
const NextBroker = -1

// A Transaction controls what a coordinator does with a transactional id.
type Transaction struct {
	cluster *Cluster
	id      string
}

// Transaction returns the handle of a transactional id, which need not exist yet.
func (c *Cluster) Transaction(transactionalID string) Transaction {
	return Transaction{c, transactionalID}
}

// Transactions describes the transactional ids that coordinators know.
func (c *Cluster) Transactions(ctx context.Context) ([]api.TransactionView, error) {
	view, err := get[api.TransactionsView](ctx, c, "transactions", nil)
	return view.Transactions, err
}

// HangingTransactions lists transactions that are open in a partition, and unknown to their coordinator.
func (c *Cluster) HangingTransactions(ctx context.Context) ([]api.HangingView, error) {
	view, err := get[api.HangingsView](ctx, c, "hanging", nil)
	return view.Hanging, err
}

// DelayMarkers delays the markers of transactions that end from now on, each with a probability; 0 ends the delay.
func (c *Cluster) DelayMarkers(ctx context.Context, by time.Duration, probability float64) error {
	document := api.MarkerDelayDocument{By: duration(by), Probability: &probability}
	return do(ctx, c, http.MethodPut, "marker-delay", document)
}

// Describe returns the coordinator's state of the transactional id.
func (x Transaction) Describe(ctx context.Context) (api.TransactionView, error) {
	return get[api.TransactionView](ctx, x.cluster, x.path(), nil)
}

// State returns the state of the transactional id, named as in Kafka, such as Ongoing.
func (x Transaction) State(ctx context.Context) (string, error) {
	view, err := x.Describe(ctx)
	return view.State, err
}

// WaitForState waits until the transactional id is in a state, such as CompleteCommit. It looks every ten milliseconds:
// a state that HoldEnding does not hold may pass unseen.
func (x Transaction) WaitForState(ctx context.Context, state string) error {
	return poll(ctx, func(ctx context.Context) (bool, string, error) {
		views, err := x.cluster.Transactions(ctx)
		for _, view := range views {
			if view.TransactionalID == x.id {
				return view.State == state, fmt.Sprintf("%s in state %s", x.id, view.State), err
			}
		}
		return false, "no transactional id " + x.id, err
	})
}

// HoldEnding holds the steps after the next commit or abort: its markers and its completion record.
func (x Transaction) HoldEnding(ctx context.Context) error {
	return x.command(ctx, "hold-ending", api.HoldDocument{})
}

// HoldMarker holds the marker of one partition.
func (x Transaction) HoldMarker(ctx context.Context, topic string, partition int) error {
	return x.command(ctx, "hold-ending", api.HoldDocument{Topic: &topic, Partition: &partition})
}

// Step runs the next held step, and returns its name, or nothing if none is left.
func (x Transaction) Step(ctx context.Context) (string, error) {
	view, err := send[api.StepView](ctx, x.cluster, http.MethodPost, x.path("step"), nil)
	return text(view.Done), err
}

// Release runs all held steps, and holds no more.
func (x Transaction) Release(ctx context.Context) error { return x.command(ctx, "release", nil) }

// Abort aborts the open transaction, as its coordinator does when the transaction times out.
func (x Transaction) Abort(ctx context.Context) error { return x.command(ctx, "abort", nil) }

// Expire expires the transactional id now, as transactional.id.expiration.ms does later.
func (x Transaction) Expire(ctx context.Context) error { return x.command(ctx, "expire", nil) }

// Coordinator returns the id of the broker that is the coordinator.
func (x Transaction) Coordinator(ctx context.Context) (int, error) {
	query := url.Values{"transactional_id": {x.id}}
	view, err := get[api.CoordinatorView](ctx, x.cluster, "coordinators", query)
	return view.Broker, err
}

// MoveCoordinator moves the coordinator to a broker, or to NextBroker, and returns the broker's id.
func (x Transaction) MoveCoordinator(ctx context.Context, to int) (int, error) {
	return x.cluster.moveCoordinator(ctx, api.MoveDocument{TransactionalID: &x.id, To: broker(to)})
}

func (x Transaction) path(action ...string) string {
	return path(append([]string{"transactions", x.id}, action...)...)
}

func (x Transaction) command(ctx context.Context, action string, document any) error {
	return do(ctx, x.cluster, http.MethodPost, x.path(action), document)
}

func (c *Cluster) moveCoordinator(ctx context.Context, document api.MoveDocument) (int, error) {
	view, err := send[api.CoordinatorView](ctx, c, http.MethodPost, "coordinators/move", document)
	return view.Broker, err
}

// broker returns the optional field for a broker.
func broker(id int) *int {
	if id == NextBroker {
		return nil
	}
	return &id
}

// text returns a text that may be null; nothing for null.
func text(value *string) string {
	if value == nil {
		return ""
	}
	return *value
}
