package mockbroker

import (
	"context"
	"net/http"
	"strconv"

	"mockbroker.test/mockbroker/api"
)

// A Replica controls one replica of a partition.
type Replica struct {
	partition Partition
	broker    int
}

// Replica returns the handle of the replica on a broker.
func (p Partition) Replica(brokerID int) Replica { return Replica{p, brokerID} }

// Replicas describes the replicas, the preferred leader first, with the offsets and producers of their own logs.
func (p Partition) Replicas(ctx context.Context) ([]api.ReplicaView, error) {
	view, err := get[api.ReplicasView](ctx, p.cluster, p.path("replicas"), nil)
	return view.Replicas, err
}

// ForgetProducer forgets a producer in this replica alone. It returns true if it was known.
func (r Replica) ForgetProducer(ctx context.Context, producerID int64) (bool, error) {
	document := api.ProducerDocument{ProducerID: producerID}
	cluster, path := r.partition.cluster, r.path("forget-producer")
	view, err := send[api.ForgottenView](ctx, cluster, http.MethodPost, path, document)
	return view.WasKnown, err
}

// MoveLogStart moves the log start offset of this replica alone.
func (r Replica) MoveLogStart(ctx context.Context, to int64) error {
	return r.command(ctx, "move-log-start", api.LogStartDocument{To: int(to)})
}

// ReloadProducers reloads the producers, as the broker does when it restarts.
func (r Replica) ReloadProducers(ctx context.Context, snapshot api.Snapshot) error {
	return r.command(ctx, "reload-producers", api.SnapshotDocument{Snapshot: snapshot})
}

// HoldOffsets keeps a follower's log start offset and high watermark, while it goes on to copy records.
func (r Replica) HoldOffsets(ctx context.Context) error { return r.command(ctx, "hold-offsets", nil) }

// ReleaseOffsets lets the leader's log start offset and high watermark arrive again.
func (r Replica) ReleaseOffsets(ctx context.Context) error {
	return r.command(ctx, "release-offsets", nil)
}

// CatchUp lets this replica catch up and be in sync again.
func (r Replica) CatchUp(ctx context.Context) error {
	return r.partition.command(ctx, "catch-up", api.CatchUpDocument{Broker: &r.broker})
}

func (r Replica) path(action string) string {
	return r.partition.path("replicas", strconv.Itoa(r.broker), action)
}

func (r Replica) command(ctx context.Context, action string, document any) error {
	return do(ctx, r.partition.cluster, http.MethodPost, r.path(action), document)
}
