package mockbroker

import (
	"context"
	"time"

	"mockbroker.test/mockbroker/api"
)

// endTimeout limits what is asked of a cluster after a test.
const endTimeout = 10 * time.Second

// TestingT is the part of *testing.T that is used.
type TestingT interface {
	Helper()
	Cleanup(func())
	Errorf(format string, arguments ...any)
	Fatalf(format string, arguments ...any)
	Logf(format string, arguments ...any)
	Failed() bool
	Name() string
}

// Start starts a cluster for a test, and stops it after the test.
//
// A test that has passed otherwise fails if one of its faults never fired, unless WithUnfiredFaults allows it.
// The log of a failed test has the timelines of the cluster's partitions and its faults.
func Start(t TestingT, options ...Option) *Cluster {
	t.Helper()
	s := newSettings(options)
	cluster, err := s.launch(context.Background())
	if err != nil {
		t.Fatalf("%v", err)
		return nil
	}
	t.Cleanup(func() {
		t.Helper()
		cluster.examine(t, s.allowUnfired)
		if err := cluster.Stop(); err != nil {
			t.Errorf("%v", err)
		}
	})
	return cluster
}

// Use connects a test to a cluster that runs elsewhere, as Connect does, and resets the cluster before the test.
//
// It reports faults and timelines as Start does, and removes the test's faults. Parallel tests of one program take
// turns. Of the options only WithToken and WithUnfiredFaults go with it.
func Use(t TestingT, adminURL string, options ...Option) *Cluster {
	t.Helper()
	s := newSettings(options)
	ctx, cancel := context.WithTimeout(context.Background(), endTimeout)
	defer cancel()
	cluster, err := s.connect(ctx, adminURL)
	if err != nil {
		t.Fatalf("%v", err)
		return nil
	}
	takeTurn(t, cluster.adminURL)
	if err := cluster.resetForTest(); err != nil {
		t.Fatalf("%v", err)
		return nil
	}
	t.Cleanup(func() {
		t.Helper()
		cluster.examine(t, s.allowUnfired)
		ctx, cancel := context.WithTimeout(context.Background(), endTimeout)
		defer cancel()
		if err := cluster.RemoveFaults(ctx); err != nil {
			t.Errorf("%v", err)
		}
	})
	return cluster
}

func (c *Cluster) resetForTest() error {
	ctx, cancel := context.WithTimeout(context.Background(), endTimeout)
	defer cancel()
	return c.Reset(ctx)
}

// examine reports faults that never fired, and describes the cluster of a failed test.
func (c *Cluster) examine(t TestingT, allowUnfired bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), endTimeout)
	defer cancel()
	if !t.Failed() && !allowUnfired {
		view, err := get[api.FaultsView](ctx, c, "journal/unfired", nil)
		if err != nil {
			t.Errorf("%v", err)
		}
		for _, fault := range view.Faults {
			t.Errorf("a fault never fired: %s", fault.Story)
		}
	}
	if !t.Failed() {
		return
	}
	if timelines, err := c.Timelines(ctx, ""); err == nil {
		t.Logf("mockbroker timeline\n%s", timelines)
	}
	if view, err := get[api.FaultsView](ctx, c, "faults", nil); err == nil {
		for _, fault := range view.Faults {
			t.Logf("mockbroker fault: %s", fault.Story)
		}
	}
}
