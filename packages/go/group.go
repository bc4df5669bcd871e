package mockbroker

import (
	"context"
	"net/http"
	"net/url"

	"mockbroker.test/mockbroker/api"
)

// A Group controls a group of any protocol.
type Group struct {
	cluster *Cluster
	id      string
}

// Group returns the handle of a group, which need not exist yet.
func (c *Cluster) Group(id string) Group { return Group{c, id} }

// Groups describes the groups that coordinators know.
func (c *Cluster) Groups(ctx context.Context) ([]api.GroupView, error) {
	view, err := get[api.GroupsView](ctx, c, "groups", nil)
	return view.Groups, err
}

// Describe returns the group, its members and its committed offsets.
func (g Group) Describe(ctx context.Context) (api.GroupView, error) {
	return get[api.GroupView](ctx, g.cluster, g.path(), nil)
}

// Coordinator returns the id of the broker that is the coordinator.
func (g Group) Coordinator(ctx context.Context) (int, error) {
	view, err := get[api.CoordinatorView](ctx, g.cluster, "coordinators", url.Values{"group": {g.id}})
	return view.Broker, err
}

// MoveCoordinator moves the coordinator to a broker, or to NextBroker, and returns the broker's id.
func (g Group) MoveCoordinator(ctx context.Context, to int) (int, error) {
	return g.cluster.moveCoordinator(ctx, api.MoveDocument{Group: &g.id, To: broker(to)})
}

// Fence removes a member, as its coordinator does when the member's session ends.
func (g Group) Fence(ctx context.Context, memberID string) error {
	return g.command(ctx, "fence", api.MemberDocument{MemberID: memberID})
}

// Rebalance begins a rebalance, as after a member has joined and left again.
func (g Group) Rebalance(ctx context.Context) error {
	return g.command(ctx, "rebalance", nil)
}

// HoldReconciliation keeps the members from new assignments.
func (g Group) HoldReconciliation(ctx context.Context) error {
	return g.command(ctx, "hold-reconciliation", nil)
}

// Step lets one member of a held group take its next step, in its next heartbeat.
func (g Group) Step(ctx context.Context, memberID string) error {
	return g.command(ctx, "step", api.MemberDocument{MemberID: memberID})
}

// Release holds the members no more: they get their assignments in their next heartbeats.
func (g Group) Release(ctx context.Context) error { return g.command(ctx, "release", nil) }

// SharePartitions describes the partitions of a share group, with their records in flight.
func (g Group) SharePartitions(ctx context.Context) ([]api.SharePartitionView, error) {
	view, err := get[api.SharePartitionsView](ctx, g.cluster, g.path("share-partitions"), nil)
	return view.SharePartitions, err
}

// ExpireLocks lets acquisition locks of a share group expire now, and returns the number of records.
func (g Group) ExpireLocks(ctx context.Context, document api.LocksDocument) (int64, error) {
	view, err := send[api.ExpiredLocksView](ctx, g.cluster, http.MethodPost, g.path("expire-locks"), document)
	return view.Records, err
}

// MoveShareCoordinator moves the coordinator that stores the state of a share partition, and returns the broker's id.
func (g Group) MoveShareCoordinator(ctx context.Context, topic string, partition, to int) (int, error) {
	document := api.ShareCoordinatorDocument{Topic: topic, Partition: partition, To: broker(to)}
	path := g.path("move-share-coordinator")
	view, err := send[api.CoordinatorView](ctx, g.cluster, http.MethodPost, path, document)
	return view.Broker, err
}

// DeadLetters lists the dead letters of a share group that are held.
func (g Group) DeadLetters(ctx context.Context) ([]string, error) {
	view, err := get[api.HeldDeadLettersView](ctx, g.cluster, g.path("dead-letters"), nil)
	return view.Waiting, err
}

// HoldDeadLetters holds the dead letters of a share group: their records are ARCHIVING then.
func (g Group) HoldDeadLetters(ctx context.Context) error {
	return g.command(ctx, "hold-dead-letters", nil)
}

// StepDeadLetters writes the dead letters that have waited longest, and returns what it did.
func (g Group) StepDeadLetters(ctx context.Context) (string, error) {
	view, err := send[api.StepView](ctx, g.cluster, http.MethodPost, g.path("step-dead-letters"), nil)
	return text(view.Done), err
}

// ReleaseDeadLetters writes all dead letters that wait, and holds no more.
func (g Group) ReleaseDeadLetters(ctx context.Context) error {
	return g.command(ctx, "release-dead-letters", nil)
}

func (g Group) path(action ...string) string {
	return path(append([]string{"groups", g.id}, action...)...)
}

func (g Group) command(ctx context.Context, action string, document any) error {
	return do(ctx, g.cluster, http.MethodPost, g.path(action), document)
}
