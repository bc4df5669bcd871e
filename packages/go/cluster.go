package mockbroker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"mockbroker.test/mockbroker/api"
)

// A Cluster is a running cluster. Goroutines may share it.
type Cluster struct {
	bootstrapServers atomic.Pointer[[]string]
	adminURL         string
	token            string
	version          api.VersionView
	client           *http.Client
	process          *process
}

// Launch starts a cluster for a program that is no test; end it with Stop.
//
// The command is $MOCKBROKER_COMMAND, or else mockbroker on the PATH. Its error is a *StartError. The context
// limits the start only. The cluster ends with the program at the latest.
func Launch(ctx context.Context, options ...Option) (*Cluster, error) {
	return newSettings(options).launch(ctx)
}

func (s *settings) launch(ctx context.Context) (*Cluster, error) {
	process, ready, err := s.start(ctx)
	if err != nil {
		return nil, err
	}
	cluster := s.cluster(ready.AdminURL)
	cluster.process = process
	if err := cluster.meet(ctx); err != nil {
		return nil, errors.Join(err, process.stop())
	}
	return cluster, nil
}

// Connect uses a cluster that runs elsewhere; without a URL that of $MOCKBROKER_ADMIN.
//
// Commands carry the token $MOCKBROKER_ADMIN_TOKEN if it is set, or that of WithToken, the only option that goes with it.
func Connect(ctx context.Context, adminURL string, options ...Option) (*Cluster, error) {
	return newSettings(options).connect(ctx, adminURL)
}

func (s *settings) connect(ctx context.Context, adminURL string) (*Cluster, error) {
	if len(s.arguments) > 0 || s.command != nil {
		return nil, fmt.Errorf("mockbroker: a cluster that runs already cannot take options of its start: %s",
			strings.Join(append(slices.Clone(s.command), s.arguments...), " "))
	}
	if adminURL == "" {
		adminURL = os.Getenv("MOCKBROKER_ADMIN")
	}
	if adminURL == "" {
		return nil, errors.New("mockbroker: no cluster is named: pass its admin URL, or set MOCKBROKER_ADMIN")
	}
	cluster := s.cluster(adminURL)
	if err := cluster.meet(ctx); err != nil {
		return nil, err
	}
	return cluster, nil
}

func (s *settings) cluster(adminURL string) *Cluster {
	return &Cluster{
		adminURL: strings.TrimRight(adminURL, "/"),
		token:    s.token,
		client:   &http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone()},
	}
}

// meet asks for what does not change.
func (c *Cluster) meet(ctx context.Context) error {
	if err := c.readVersion(ctx); err != nil {
		return err
	}
	return c.readBootstrapServers(ctx)
}

func (c *Cluster) readBootstrapServers(ctx context.Context) error {
	state, err := c.State(ctx)
	if err == nil {
		servers := strings.Split(state.Cluster.BootstrapServers, ",")
		c.bootstrapServers.Store(&servers)
	}
	return err
}

func (c *Cluster) readVersion(ctx context.Context) error {
	answer, err := c.exchange(ctx, http.MethodGet, "/version", nil)
	if err != nil {
		return fmt.Errorf("no cluster answers at %s: %w", c.adminURL, err)
	}
	if err := json.Unmarshal(answer, &c.version); err != nil || c.version.Version == "" {
		return fmt.Errorf("mockbroker: %s/version has no version of mockbroker, but %.200q", c.adminURL, answer)
	}
	return nil
}

// BootstrapServers returns the addresses that clients connect to.
func (c *Cluster) BootstrapServers() []string { return slices.Clone(*c.bootstrapServers.Load()) }

// AdminURL returns the address of the HTTP API and of the live page.
func (c *Cluster) AdminURL() string { return c.adminURL }

// Version returns the version of mockbroker, and the release of Kafka that the cluster behaves like.
func (c *Cluster) Version() api.VersionView { return c.version }

// State returns the whole state of the cluster.
func (c *Cluster) State(ctx context.Context) (api.StateView, error) {
	return get[api.StateView](ctx, c, "state", nil)
}

// Reset brings the cluster back to its initial state, on the same ports and with the same topics.
func (c *Cluster) Reset(ctx context.Context) error {
	return do(ctx, c, http.MethodPost, "reset", nil)
}

// Seed sets the seed of all later random choices.
func (c *Cluster) Seed(ctx context.Context, seed int) error {
	return do(ctx, c, http.MethodPost, "seed", api.SeedDocument{Seed: seed})
}

// Timelines draws partitions as text, all of them without a topic.
func (c *Cluster) Timelines(ctx context.Context, topic string) (string, error) {
	query := url.Values{}
	if topic != "" {
		query.Set("topic", topic)
	}
	view, err := get[api.LanesView](ctx, c, "lanes", query)
	return view.Text, err
}

// Stop ends a cluster that Launch started, and waits for its process. Others it leaves running.
func (c *Cluster) Stop() error {
	c.client.CloseIdleConnections()
	if c.process == nil {
		return nil
	}
	return c.process.stop()
}

// pollInterval is the time between two looks at the state, where the HTTP API has no wait.
const pollInterval = 10 * time.Millisecond

// poll looks until something is so, and describes it if it is not so in time.
func poll(ctx context.Context, look func(context.Context) (isSo bool, found string, err error)) error {
	ctx, cancel := context.WithTimeout(ctx, patience(ctx))
	defer cancel()
	ticks := time.NewTicker(pollInterval)
	defer ticks.Stop()
	last := "nothing yet"
	for {
		isSo, found, err := look(ctx)
		switch {
		case err == nil && isSo:
			return nil
		case ctx.Err() != nil:
			return fmt.Errorf("mockbroker: the wait timed out, and found %s: %w", last, ctx.Err())
		case err != nil:
			return err
		}
		last = found
		select {
		case <-ticks.C:
		case <-ctx.Done():
		}
	}
}
