package mockbroker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StartTest {
  private static final String NOTHING = "http://127.0.0.1:9";

  @Test
  void aRunningClusterIsUsedAndGoesOn() throws Exception {
    ClusterOptions options =
        ClusterOptions.defaults()
            .kafka("4.4")
            .topic("orders")
            .config("num.partitions", 2)
            .feature("transaction.version", 1)
            .clock(ClockMode.MANUAL)
            .seed(7);
    try (Mockbroker started = Mockbroker.start(options)) {
      assertEquals("4.4", started.version().kafka());
      assertEquals(7, started.state().cluster().seed());
      assertEquals("manual", started.clock().view().mode().name().toLowerCase());
      String url = started.adminUrl() + "/";
      ClusterOptions wanted = ClusterOptions.defaults().kafka("4.4").topic("orders").topic("more");
      try (Mockbroker same = Mockbroker.open(wanted, url)) {
        assertNull(same.process());
        assertEquals(started.bootstrapServers(), same.bootstrapServers());
        assertEquals(2, same.topics().size());
        try (KafkaProducer<String, String> producer = Clients.producer(same, Map.of())) {
          Clients.send(producer, "order-1");
        }
      }
      assertEquals(List.of("order-1"), started.values("orders"));
      assertTrue(started.process().isAlive());

      try (Mockbroker stranger = Mockbroker.connect(started.adminUrl(), null)) {
        ProblemException refused = assertThrows(ProblemException.class, stranger::reset);
        assertEquals("unauthorized", refused.problem().code());
      }
      assertEquals(List.of("order-1"), started.values("orders"));

      MockbrokerException older =
          assertThrows(
              MockbrokerException.class,
              () -> Mockbroker.open(ClusterOptions.defaults().kafka("2.8"), url));
      assertTrue(older.getMessage().endsWith("like Kafka 4.4, and the test wants 2.8"));
      MockbrokerException larger =
          assertThrows(
              MockbrokerException.class,
              () -> Mockbroker.open(ClusterOptions.defaults().brokers(3), url));
      assertTrue(larger.getMessage().endsWith("has 1 brokers, and the test wants 3"));
      ProcessHandle process = started.process();
      process.destroyForcibly();
      process.onExit().get(20, TimeUnit.SECONDS);
      MockbrokerException dead = assertThrows(MockbrokerException.class, started::state);
      assertTrue(dead.getMessage().contains("it ended with 137"), dead.getMessage());
    }
  }

  @Test
  void aCommandThatIsMissingIsNamedWithAdvice() {
    MockbrokerException failure =
        assertThrows(
            MockbrokerException.class,
            () -> Mockbroker.start(ClusterOptions.defaults(), "no-such-command -m"));
    assertTrue(
        failure.getMessage().startsWith("mockbroker did not start: no-such-command -m serve"));
    assertTrue(failure.getMessage().contains("pip install 'mockbroker[http]'"));
    assertTrue(failure.getMessage().contains("MOCKBROKER_COMMAND"));
  }

  @Test
  void aWrongOptionIsPrintedAsTheCommandPrintsIt() {
    MockbrokerException failure =
        assertThrows(
            MockbrokerException.class,
            () -> Mockbroker.start(ClusterOptions.defaults().kafka("9.9")));
    assertTrue(failure.getMessage().contains("--kafka 9.9"), failure.getMessage());
    assertTrue(failure.getMessage().contains("it ended with"), failure.getMessage());
    assertTrue(failure.getMessage().contains("9.9"), failure.getMessage());
  }

  @Test
  void anAddressWithoutAClusterIsNamed() {
    MockbrokerException failure =
        assertThrows(
            MockbrokerException.class, () -> Mockbroker.connect(URI.create(NOTHING), "token"));
    assertTrue(failure.getMessage().startsWith("no mockbroker answers at " + NOTHING));
  }

  @Test
  void aCommandIsTheVariableOrTheNameOnThePath() {
    assertEquals(List.of("mockbroker"), ServeProcess.command(null));
    assertEquals(List.of("mockbroker"), ServeProcess.command(" "));
    assertEquals(List.of("python", "-m", "m"), ServeProcess.command(" python  -m m"));
  }

  @Test
  void theProcessEndsWhenTheTestsAreKilled() throws Exception {
    String classPath =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    Process tests =
        new ProcessBuilder(java, "-XX:TieredStopAtLevel=1", "-cp", classPath, "mockbroker.Holder")
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader lines = tests.inputReader()) {
      URI url = URI.create(lines.readLine());
      assertTrue(isServed(url));
      tests.destroyForcibly().waitFor();
      AdminClient.until("ended", Clients.SOON, () -> isServed(url), served -> !served);
    }
  }

  @Test
  void aScenarioThatIsNotMetFailsTheEnd(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("lost.json");
    Files.writeString(
        file,
        """
        {
          "cluster": {"topics": {"orders": 1}},
          "expect": [{"records": {"topic": "orders", "expected": ["order-1"]}}]
        }
        """);
    Mockbroker cluster = Mockbroker.start(ClusterOptions.defaults().scenario(file));
    AssertionError failure = assertThrows(AssertionError.class, cluster::close);
    assertTrue(failure.getMessage().startsWith("the scenario failed:\n"), failure.getMessage());
    assertTrue(failure.getMessage().contains("order-1"), failure.getMessage());
  }

  private static boolean isServed(URI url) {
    try (Mockbroker ignored = Mockbroker.connect(url)) {
      return ignored.process() == null;
    } catch (MockbrokerException refused) {
      return false;
    }
  }
}
