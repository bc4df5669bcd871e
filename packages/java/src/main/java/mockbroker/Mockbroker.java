package mockbroker;

import static mockbroker.AdminClient.path;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import mockbroker.api.AssertionDocument;
import mockbroker.api.AssertionsDocument;
import mockbroker.api.BrokersView;
import mockbroker.api.CrashDocument;
import mockbroker.api.FailureView;
import mockbroker.api.FaultView;
import mockbroker.api.FaultsView;
import mockbroker.api.HangingView;
import mockbroker.api.HangingsView;
import mockbroker.api.LanesView;
import mockbroker.api.NewTopicDocument;
import mockbroker.api.OutcomeView;
import mockbroker.api.RecordView;
import mockbroker.api.StateView;
import mockbroker.api.TopicView;
import mockbroker.api.TopicsView;
import mockbroker.api.VersionView;

/** A mock Kafka cluster, in a process that this one started or in one that was running. */
public final class Mockbroker implements AutoCloseable {
  /** Environment variable with the command of mockbroker, its words separated by spaces. */
  public static final String COMMAND_VARIABLE = "MOCKBROKER_COMMAND";

  /** Environment variable with the URL of the HTTP API of a running cluster. */
  public static final String ADMIN_VARIABLE = "MOCKBROKER_ADMIN";

  /** Environment variable with the token that commands of a running cluster need. */
  public static final String TOKEN_VARIABLE = "MOCKBROKER_ADMIN_TOKEN";

  private final AdminClient admin;
  private final ServeProcess process;
  private final ClusterOptions options;
  private final String bootstrapServers;

  private Mockbroker(AdminClient admin, ServeProcess process, ClusterOptions options) {
    this.admin = admin;
    this.process = process;
    this.options = options;
    version();
    bootstrapServers = state().cluster().bootstrapServers();
  }

  // Start, connect, stop

  /** Start a cluster of one broker of the newest release, without topics. */
  public static Mockbroker start() {
    return start(ClusterOptions.defaults());
  }

  /**
   * Start a cluster in a process of its own, which ends when this process ends.
   *
   * @throws MockbrokerException if it does not start, with the command and what it printed
   */
  public static Mockbroker start(ClusterOptions options) {
    return start(options, System.getenv(COMMAND_VARIABLE));
  }

  static Mockbroker start(ClusterOptions options, String command) {
    ServeProcess process =
        ServeProcess.start(ServeProcess.command(command), options.arguments());
    JsonNode ready = process.ready();
    URI url = URI.create(ready.get("admin_url").asText());
    try {
      String token = System.getenv(TOKEN_VARIABLE);
      return new Mockbroker(new AdminClient(url, token, process::ending), process, options);
    } catch (RuntimeException error) {
      process.stop();
      throw error;
    }
  }

  /**
   * Use a running cluster.
   *
   * @throws MockbrokerException if none answers at the URL
   */
  public static Mockbroker connect(URI adminUrl) {
    return connect(adminUrl, System.getenv(TOKEN_VARIABLE));
  }

  /** Use a running cluster whose commands need a token. */
  public static Mockbroker connect(URI adminUrl, String token) {
    URI url = URI.create(adminUrl.toString().replaceAll("/+$", ""));
    AdminClient admin = new AdminClient(url, token, () -> "start one with `mockbroker serve`");
    return new Mockbroker(admin, null, ClusterOptions.defaults());
  }

  /**
   * Use the running cluster of {@code MOCKBROKER_ADMIN} if that is set, else start one.
   *
   * <p>A running cluster gets the missing topics of the options.
   *
   * @throws MockbrokerException if the running cluster has another release or too few brokers
   */
  public static Mockbroker open(ClusterOptions options) {
    return open(options, System.getenv(ADMIN_VARIABLE));
  }

  static Mockbroker open(ClusterOptions options, String adminUrl) {
    if (adminUrl == null || adminUrl.isBlank()) {
      return start(options);
    }
    Mockbroker running = connect(URI.create(adminUrl));
    running.adapt(options);
    return running;
  }

  private void adapt(ClusterOptions wanted) {
    StateView state = state();
    String kafka = state.cluster().kafka();
    if (wanted.kafka() != null && !wanted.kafka().equals(kafka)) {
      throw new MockbrokerException(
          "the cluster at " + adminUrl() + " behaves like Kafka " + kafka + ", and the test wants "
              + wanted.kafka());
    }
    if (state.brokers().size() < wanted.brokers()) {
      throw new MockbrokerException(
          "the cluster at " + adminUrl() + " has " + state.brokers().size()
              + " brokers, and the test wants " + wanted.brokers());
    }
    List<String> present = topics().stream().map(TopicView::name).toList();
    wanted.topics().forEach(
        (name, partitions) -> {
          if (!present.contains(name)) {
            createTopic(name, partitions);
          }
        });
  }

  /**
   * End the process of this cluster, and wait for its end; a cluster that was running goes on.
   *
   * @throws AssertionError if the cluster has a scenario, and what that expects has not happened
   */
  @Override
  public void close() {
    if (process == null) {
      return;
    }
    int exit = process.stop();
    if (exit != 0 && options.hasScenario()) {
      throw new AssertionError("the scenario failed:\n" + process.errors());
    }
  }

  /** Return the process of this cluster; null if it was running. */
  public ProcessHandle process() {
    return process == null ? null : process.handle();
  }

  // The cluster

  /** Return the value of {@code bootstrap.servers}. */
  public String bootstrapServers() {
    return bootstrapServers;
  }

  /** Return the URL of the HTTP API and of the live page. */
  public URI adminUrl() {
    return admin.url();
  }

  /** Return the version of mockbroker, and the release of Kafka that it emulates. */
  public VersionView version() {
    return admin.get("/version", VersionView.class);
  }

  /** Return the whole state. */
  public StateView state() {
    return admin.get(path("state"), StateView.class);
  }

  /**
   * Reset the cluster to its initial state, on the same ports and with the same topics.
   *
   * <p>Logs, groups, transactions, faults, the journal and the clock are as at the start, and all
   * connections are closed.
   */
  public void reset() {
    admin.post(path("reset"), null, Void.class);
  }

  /** Return all topics. */
  public List<TopicView> topics() {
    return admin.get(path("topics"), TopicsView.class).topics();
  }

  /** Create a topic. */
  public TopicView createTopic(String name, int partitions) {
    return createTopic(
        NewTopicDocument.builder().name(name).partitions(partitions).build());
  }

  /** Create a topic with replicas and configs. */
  public TopicView createTopic(NewTopicDocument document) {
    return admin.post(path("topics"), document, TopicView.class);
  }

  /** Return the values that consumers of a topic get with {@code read_committed}, as text. */
  public List<String> values(String topic) {
    return admin.get(path("topics", topic), TopicView.class).partitions().stream()
        .flatMap(each -> partition(topic, each.partition()).records().stream())
        .map(RecordView::value)
        .map(value -> value == null ? null : value.text())
        .collect(Collectors.toList());
  }

  /** Return a partition. */
  public Partition partition(String topic, int partition) {
    return new Partition(admin, topic, partition);
  }

  /** Return a transactional id. */
  public Transaction transaction(String transactionalId) {
    return new Transaction(admin, transactionalId);
  }

  /** Return a group. */
  public Group group(String groupId) {
    return new Group(admin, groupId);
  }

  /** Return a broker. */
  public Broker broker(int id) {
    return new Broker(admin, id);
  }

  /** Crash all brokers: what was not flushed is lost. */
  public void crash() {
    admin.post(path("crash"), new CrashDocument(null), BrokersView.class);
  }

  /** Return the clock. */
  public Clock clock() {
    return new Clock(admin);
  }

  /** Return the journal. */
  public Journal journal() {
    return new Journal(admin);
  }

  /** Return the hanging transactions: open in a partition, and never ended by a coordinator. */
  public List<HangingView> hanging() {
    return admin.get(path("hanging"), HangingsView.class).hanging();
  }

  /** Draw the partitions: batches, markers and offsets. */
  public String timeline() {
    return admin.get(path("lanes"), LanesView.class).text();
  }

  // Requests that have no method

  /** Send a GET request, such as {@code /api/v1/tls}, and read its answer. */
  public <T> T get(String path, Class<T> answer) {
    return admin.get(path, answer);
  }

  /** Send a POST request; {@code document} may be null, and {@code answer} {@code Void.class}. */
  public <T> T post(String path, Object document, Class<T> answer) {
    return admin.post(path, document, answer);
  }

  /** Send a PUT request; {@code document} may be null, and {@code answer} {@code Void.class}. */
  public <T> T put(String path, Object document, Class<T> answer) {
    return admin.put(path, document, answer);
  }

  /** Send a DELETE request. */
  public void delete(String path) {
    admin.delete(path);
  }

  // Faults

  /** Describe a fault at calls of these APIs, by Kafka's names; of all if there are none. */
  public FaultBuilder fault(String... apis) {
    return new FaultBuilder(admin, apis);
  }

  /** Return all faults, in the order of their creation. */
  public List<FaultView> faults() {
    return admin.get(path("faults"), FaultsView.class).faults();
  }

  /** Return the faults that have not fired. */
  public List<FaultView> unfiredFaults() {
    return admin.get(path("journal", "unfired"), FaultsView.class).faults();
  }

  /** Remove all faults; the calls that they hold are released. */
  public void removeFaults() {
    admin.delete(path("faults"));
  }

  // Assertions

  /** Assert that readers get each record of a topic once, and only those that were committed. */
  public void assertExactlyOnce(String topic) {
    check("exactly-once", Map.of("topic", topic));
  }

  /** Assert that readers of a topic get exactly these values, each once. */
  public void assertExactlyOnce(String topic, List<String> expected) {
    check("exactly-once", Map.of("topic", topic, "expected", expected));
  }

  /** Assert that no record of a topic was written twice. */
  public void assertNoDuplicates(String topic) {
    check("no-duplicates", Map.of("topic", topic));
  }

  /** Assert that readers of a topic get all these values. */
  public void assertNoLoss(String topic, List<String> expected) {
    check("no-loss", Map.of("topic", topic, "expected", expected));
  }

  /** Assert that readers of a topic get these values, in this order in each partition. */
  public void assertRecords(String topic, List<String> expected) {
    check("records", Map.of("topic", topic, "expected", expected));
  }

  /** Assert that no transaction is open. */
  public void assertNoOpenTransactions() {
    check("no-open-transactions", Map.of());
  }

  /** Assert that no transaction hangs. */
  public void assertNoHangingTransactions() {
    check("no-hanging-transactions", Map.of());
  }

  /** Assert that no producer wrote to a topic after it was fenced. */
  public void assertNoZombieWrites(String topic) {
    check("no-zombie-writes", Map.of("topic", topic));
  }

  /** Assert that the last transaction of a transactional id was committed. */
  public void assertCommitted(String transactionalId) {
    check("committed", Map.of("transactional_id", transactionalId));
  }

  /** Assert that the last transaction of a transactional id was aborted. */
  public void assertAborted(String transactionalId) {
    check("aborted", Map.of("transactional_id", transactionalId));
  }

  /** Assert that a producer of a transactional id was fenced. */
  public void assertFenced(String transactionalId) {
    check("fenced", Map.of("transactional_id", transactionalId));
  }

  /** Assert that all faults have fired. */
  public void assertAllFaultsFired() {
    check("all-faults-fired", Map.of());
  }

  /**
   * Check an assertion by its name, with its arguments.
   *
   * @throws AssertionError if it does not hold, with the timeline of the partitions
   */
  public void check(String assertion, Map<String, Object> arguments) {
    AssertionDocument document = new AssertionDocument(assertion, new HashMap<>(arguments));
    OutcomeView outcome =
        admin.post(
            path("assertions"), new AssertionsDocument(List.of(document)), OutcomeView.class);
    if (!outcome.ok()) {
      throw new AssertionError(
          outcome.failures().stream().map(FailureView::text).collect(Collectors.joining("\n\n")));
    }
  }
}
