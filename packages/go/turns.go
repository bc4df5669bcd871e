package mockbroker

import (
	"strings"
	"sync"
)

// turns has the turn of each cluster that tests of this program use, by its admin URL.
var turns sync.Map

// A turn is the use of a cluster by one test: others would lose their faults when it resets the cluster.
type turn struct {
	// running is locked while a test has the turn.
	running sync.Mutex
	// mutex guards the test's name.
	mutex sync.Mutex
	test  string
}

// takeTurn waits until no parallel test uses the cluster. A test, and its subtests, may take its turn again.
func takeTurn(t TestingT, adminURL string) {
	found, _ := turns.LoadOrStore(adminURL, &turn{})
	turn := found.(*turn)
	if turn.isOf(t.Name()) {
		return
	}
	turn.running.Lock()
	turn.set(t.Name())
	t.Cleanup(func() {
		turn.set("")
		turn.running.Unlock()
	})
}

func (u *turn) isOf(test string) bool {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	return u.test != "" && strings.HasPrefix(test+"/", u.test+"/")
}

func (u *turn) set(test string) {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	u.test = test
}
