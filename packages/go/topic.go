package mockbroker

import (
	"context"
	"net/http"

	"mockbroker.test/mockbroker/api"
)

// Topics describes all topics and their partitions.
func (c *Cluster) Topics(ctx context.Context) ([]api.TopicView, error) {
	view, err := get[api.TopicsView](ctx, c, "topics", nil)
	return view.Topics, err
}

// Topic describes a topic and its partitions.
func (c *Cluster) Topic(ctx context.Context, name string) (api.TopicView, error) {
	return get[api.TopicView](ctx, c, path("topics", name), nil)
}

// CreateTopic creates a topic. A topic of WithTopic exists again after Reset, this one does not.
func (c *Cluster) CreateTopic(ctx context.Context, document api.NewTopicDocument) error {
	return do(ctx, c, http.MethodPost, "topics", document)
}

// RecreateTopic deletes a topic and creates it again: the same name, another id, and empty logs.
func (c *Cluster) RecreateTopic(ctx context.Context, name string, document api.RecreateDocument) error {
	return do(ctx, c, http.MethodPost, path("topics", name, "recreate"), document)
}

// AppendRecord appends a record without a client, as a producer with acks=1.
func (c *Cluster) AppendRecord(
	ctx context.Context, topic string, record api.RecordDocument,
) (api.AppendedView, error) {
	return send[api.AppendedView](ctx, c, http.MethodPost, path("topics", topic, "records"), record)
}
