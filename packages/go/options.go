package mockbroker

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

// defaultStartTimeout is long: a machine that compiles and tests is slow.
const defaultStartTimeout = 60 * time.Second

// settings of a cluster to start.
type settings struct {
	command      []string
	arguments    []string
	startTimeout time.Duration
	token        string
	allowUnfired bool
}

// An Option changes how a cluster is started or used.
type Option func(*settings)

func newSettings(options []Option) *settings {
	s := &settings{startTimeout: defaultStartTimeout, token: os.Getenv("MOCKBROKER_ADMIN_TOKEN")}
	for _, option := range options {
		option(s)
	}
	return s
}

func argument(words ...string) Option {
	return func(s *settings) { s.arguments = append(s.arguments, words...) }
}

// WithKafka lets the cluster behave like a release of Kafka, such as 3.9.
func WithKafka(release string) Option { return argument("--kafka", release) }

// WithBrokers sets the number of brokers; the default is one.
func WithBrokers(count int) Option { return argument("--brokers", strconv.Itoa(count)) }

// WithTopic creates a topic at the start.
func WithTopic(name string, partitions int) Option {
	return argument("--topic", fmt.Sprintf("%s:%d", name, partitions))
}

// WithConfig sets a broker config by Kafka's name, such as transaction.max.timeout.ms.
func WithConfig(key, value string) Option { return argument("--config", key+"="+value) }

// WithFeature sets the level of a feature, such as transaction.version.
func WithFeature(name string, level int) Option {
	return argument("--feature", fmt.Sprintf("%s=%d", name, level))
}

// WithClock sets the mode of the clock: offset (real time with jumps, the default), manual (jumps only), or real.
func WithClock(mode string) Option { return argument("--clock", mode) }

// WithSeed sets the seed of ids and random choices.
func WithSeed(seed int) Option { return argument("--seed", strconv.Itoa(seed)) }

// WithScenario takes the cluster, its faults and its steps from a scenario file.
func WithScenario(file string) Option { return argument("--scenario", file) }

// WithArguments adds arguments of `mockbroker serve`; the reference of the command line lists them.
func WithArguments(arguments ...string) Option { return argument(arguments...) }

// WithCommand sets the command and its first arguments, instead of $MOCKBROKER_COMMAND or mockbroker.
func WithCommand(words ...string) Option { return func(s *settings) { s.command = words } }

// WithStartTimeout limits the time until the cluster is ready; the default is a minute.
func WithStartTimeout(timeout time.Duration) Option {
	return func(s *settings) { s.startTimeout = timeout }
}

// WithToken sets the token that commands carry, instead of $MOCKBROKER_ADMIN_TOKEN.
func WithToken(token string) Option { return func(s *settings) { s.token = token } }

// WithUnfiredFaults lets a test pass whose faults have not all fired.
func WithUnfiredFaults() Option { return func(s *settings) { s.allowUnfired = true } }
