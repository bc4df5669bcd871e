package tests

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mockbroker.test/mockbroker"
)

func TestAClusterIsStartedAsTheOptionsSay(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "scenario.json")
	scenario := `{"faults": [{"id": "lost", "match": {"api": "EndTxn"}, "effect": {"lose_response": "after_apply"}}]}`
	check(t, os.WriteFile(file, []byte(scenario), 0o600))
	cluster := mockbroker.Start(t,
		mockbroker.WithKafka("3.9"),
		mockbroker.WithBrokers(2),
		mockbroker.WithTopic("payments", 3),
		mockbroker.WithConfig("transaction.max.timeout.ms", "60000"),
		mockbroker.WithFeature("metadata.version", 20),
		mockbroker.WithClock("manual"),
		mockbroker.WithSeed(7),
		mockbroker.WithScenario(file),
		mockbroker.WithArguments("--log-level", "warning"),
		mockbroker.WithUnfiredFaults(),
	)
	state, err := cluster.State(t.Context())
	check(t, err)
	if len(cluster.BootstrapServers()) != 2 || len(state.Topics) != 1 || len(state.Topics[0].Partitions) != 3 {
		t.Errorf("%v, %+v", cluster.BootstrapServers(), state.Topics)
	}
	if state.Cluster.Kafka != "3.9" || state.Cluster.Seed != 7 || state.Cluster.Clock.Mode != "manual" {
		t.Errorf("%+v", state.Cluster)
	}
	if cluster.Version().Kafka != "3.9" || cluster.Version().Version == "" {
		t.Errorf("%+v", cluster.Version())
	}
	check(t, cluster.Advertise(t.Context(), "PLAINTEXT", "kafka:9092"))
	if servers := cluster.BootstrapServers(); !slices.Equal(servers, []string{"kafka:9092", "kafka:9093"}) {
		t.Errorf("%v", servers)
	}
	if hits, err := cluster.Fault("lost").Hits(t.Context()); hits != 0 || err != nil {
		t.Errorf("%d hits, %v", hits, err)
	}
}

func TestACommandThatDoesNotExistIsAnErrorThatTellsHowToInstallIt(t *testing.T) {
	t.Setenv("MOCKBROKER_COMMAND", "no-such-mockbroker --verbose")
	_, err := mockbroker.Launch(t.Context())
	has(t, err, "mockbroker cannot start", "command: no-such-mockbroker --verbose serve --port 0",
		"not found", "pip install 'mockbroker[http]'", "MOCKBROKER_COMMAND")
	var failure *mockbroker.StartError
	if !errors.As(err, &failure) || !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("%T", err)
	}
}

func TestAnArgumentThatDoesNotExistIsAnErrorWithTheOutput(t *testing.T) {
	t.Parallel()
	r := &recorder{}
	cluster := mockbroker.Start(r, mockbroker.WithKafka("9.9"))
	if cluster != nil || !r.isFatal || len(r.cleanups) != 0 {
		t.Fatalf("%v, %+v", cluster, r)
	}
	hasText(t, r.errors[0], "the command ended before the cluster was ready", "--kafka 9.9", "output:", "9.9")
}

func TestAProgramThatPrintsSomethingElseIsAnError(t *testing.T) {
	_, err := mockbroker.Launch(t.Context(), mockbroker.WithCommand("sh", "-c", "echo hello; cat"))
	has(t, err, "no address of the HTTP API", "hello")
}

func TestAStartThatTakesTooLongIsAnError(t *testing.T) {
	silent := mockbroker.WithCommand("sh", "-c", "exec cat")
	_, err := mockbroker.Launch(t.Context(), silent, mockbroker.WithStartTimeout(time.Millisecond))
	has(t, err, "not ready within 1ms")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := mockbroker.Launch(ctx, silent); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestARunningClusterIsUsed(t *testing.T) {
	t.Setenv("MOCKBROKER_ADMIN", shared.AdminURL()+"/")
	cluster, err := mockbroker.Connect(t.Context(), "")
	check(t, err)
	if cluster.AdminURL() != shared.AdminURL() || len(cluster.BootstrapServers()) != 2 {
		t.Errorf("%s, %v", cluster.AdminURL(), cluster.BootstrapServers())
	}
	check(t, cluster.Stop()) // it goes on
	check(t, shared.Seed(t.Context(), 0))
}

func TestWithoutACluster(t *testing.T) {
	t.Setenv("MOCKBROKER_ADMIN", "")
	_, err := mockbroker.Connect(t.Context(), "")
	has(t, err, "pass its admin URL, or set MOCKBROKER_ADMIN")

	nobody, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	address := "http://" + nobody.Addr().String()
	check(t, nobody.Close())
	_, err = mockbroker.Connect(t.Context(), address)
	has(t, err, "no cluster answers at "+address)

	r := &recorder{}
	if mockbroker.Use(r, address) != nil || !r.isFatal {
		t.Errorf("%+v", r)
	}
}

func TestARunningClusterTakesNoOptionsOfItsStart(t *testing.T) {
	_, err := mockbroker.Connect(t.Context(), shared.AdminURL(), mockbroker.WithKafka("3.9"))
	has(t, err, "cannot take options of its start: --kafka 3.9")
}

func TestParallelTestsTakeTurnsAtACluster(t *testing.T) {
	for _, name := range []string{"one", "other"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cluster := use(t, mockbroker.WithUnfiredFaults())
			add(t, cluster, mockbroker.On("EndTxn").Hold())
			t.Run("within", func(t *testing.T) { // it has its turn already
				add(t, use(t, mockbroker.WithUnfiredFaults()), mockbroker.On("EndTxn").Hold())
			})
			add(t, cluster, mockbroker.On("EndTxn").Hold().Named("mine"))
			if faults, err := cluster.Faults(t.Context()); len(faults) != 1 || err != nil {
				t.Errorf("%+v, %v", faults, err)
			}
		})
	}
}

func TestAnyRequestIsSent(t *testing.T) {
	var description struct{ OpenAPI string }
	check(t, shared.Request(t.Context(), http.MethodGet, "/api/v1/openapi.json", nil, &description))
	if description.OpenAPI != "3.1.0" {
		t.Errorf("%+v", description)
	}
	check(t, shared.Request(t.Context(), http.MethodPost, "/api/v1/seed", map[string]int{"seed": 0}, nil))
	has(t, shared.Request(t.Context(), http.MethodGet, "/livez", nil, new(int)), "GET /livez: json: cannot unmarshal")
}

// A reader of a connection gets its end when the cluster has stopped.
func TestAClusterStopsWithTheProgramThatIsKilled(t *testing.T) {
	t.Parallel()
	program := exec.Command(os.Args[0])
	program.Env = append(os.Environ(), launches+"=yes")
	input, err := program.StdinPipe()
	check(t, err)
	output, err := program.StdoutPipe()
	check(t, err)
	check(t, program.Start())
	defer func() { _ = input.Close() }()
	address, err := bufio.NewReader(output).ReadString('\n')
	check(t, err)
	connection, err := net.Dial("tcp", strings.TrimSpace(address))
	check(t, err)
	check(t, connection.SetDeadline(time.Now().Add(10*time.Second)))

	check(t, program.Process.Kill())
	_ = program.Wait()
	if _, err := io.ReadAll(connection); err != nil && !strings.Contains(err.Error(), "reset") {
		t.Error(err)
	}
}
