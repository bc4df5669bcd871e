package mockbroker.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import mockbroker.ClusterOptions;
import mockbroker.Mockbroker;
import mockbroker.MockbrokerException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

class MockbrokerExtensionTest {
  private static final List<Mockbroker> CLUSTERS = new ArrayList<>();

  @MockbrokerTest(topics = {"orders", "invoices:3"}, arguments = {"--seed", "7"})
  static class OneClusterForTheClass {
    @BeforeAll
    static void keep(Mockbroker cluster) {
      CLUSTERS.add(cluster);
    }

    @BeforeEach
    void appendARecord(Mockbroker cluster) {
      assertEquals(List.of(), cluster.values("orders"));
      cluster.partition("orders", 0).append(null, "order-1");
    }

    @RepeatedTest(4)
    void aTest(Mockbroker cluster) {
      assertSame(CLUSTERS.get(0), cluster);
      for (int number = 0; number < 10; number++) {
        cluster.partition("orders", 0).append(null, "order-2");
      }
      assertEquals(11, cluster.values("orders").size());
      assertEquals(7, cluster.state().cluster().seed());
    }

    @Nested
    class Inside {
      @Test
      void hasTheSameCluster(Mockbroker cluster) {
        assertSame(CLUSTERS.get(0), cluster);
      }
    }

    @Nested
    @MockbrokerTest(kafka = "2.8", topics = "orders")
    class WithItsOwn {
      @Test
      void hasAnother(Mockbroker cluster) {
        assertNotSame(CLUSTERS.get(0), cluster);
        assertEquals("2.8", cluster.version().kafka());
      }
    }
  }

  @MockbrokerTest(clusterPerTest = true)
  static class OneClusterForEachTest {
    @Test
    void aTest(Mockbroker cluster) {
      CLUSTERS.add(cluster);
    }

    @Test
    void anotherTest(Mockbroker cluster) {
      CLUSTERS.add(cluster);
    }
  }

  @MockbrokerTest(clusterPerTest = true)
  static class TooEarly {
    @BeforeAll
    static void wants(Mockbroker cluster) {
      assertNotNull(cluster);
    }

    @Test
    void aTest() {
      fail("is not run");
    }
  }

  static class Registered {
    @RegisterExtension
    static final MockbrokerExtension FIRST =
        MockbrokerExtension.with(ClusterOptions.defaults().topic("orders"));

    @RegisterExtension
    final MockbrokerExtension second = MockbrokerExtension.with(ClusterOptions.defaults());

    @Test
    void aTest() {
      CLUSTERS.add(FIRST.cluster());
      CLUSTERS.add(second.cluster());
    }
  }

  @MockbrokerTest(topics = "orders")
  static class Failing {
    @Test
    void aFaultNeverFires(Mockbroker cluster) {
      cluster.fault("EndTxn").id("lost").loseResponse();
    }

    @Test
    @AllowUnfired
    void aFaultMayNeverFire(Mockbroker cluster) {
      cluster.fault("EndTxn").loseResponse();
    }

    @Test
    void aTestFails(Mockbroker cluster) {
      cluster.partition("orders", 0).append(null, "order-1");
      cluster.fault("EndTxn").id("lost").loseResponse();
      fail("on purpose");
    }
  }

  @Test
  void aClassHasOneClusterThatIsResetBeforeEachTestAndSharedInTurns() {
    TestExecutionSummary summary =
        run(
            OneClusterForTheClass.class,
            Map.of(
                "junit.jupiter.execution.parallel.enabled", "true",
                "junit.jupiter.execution.parallel.mode.default", "concurrent",
                "junit.jupiter.execution.parallel.config.strategy", "fixed",
                "junit.jupiter.execution.parallel.config.fixed.parallelism", "4"));
    assertEquals(6, summary.getTestsSucceededCount(), () -> failures(summary).toString());
    assertEquals(1, CLUSTERS.size());
    assertStopped();
  }

  @Test
  void eachTestHasAClusterOfItsOwn() {
    assertEquals(2, run(OneClusterForEachTest.class).getTestsSucceededCount());
    assertEquals(2, pids().size());
    assertStopped();
  }

  @Test
  void aClusterPerTestIsNoParameterOfBeforeAll() {
    List<String> failures = failures(run(TooEarly.class));
    assertEquals(1, failures.size());
    assertTrue(failures.get(0).contains("tests and @BeforeEach methods only"), failures.get(0));
  }

  @Test
  void registeredExtensionsHaveTheirOwnClusters() {
    TestExecutionSummary summary = run(Registered.class);
    assertEquals(1, summary.getTestsSucceededCount(), () -> failures(summary).toString());
    assertEquals(2, pids().size());
    assertStopped();
    assertThrows(
        MockbrokerException.class,
        () -> MockbrokerExtension.with(ClusterOptions.defaults()).cluster());
  }

  @Test
  void aFailureIsReportedWithTheTimelineAndTheFaults() {
    PrintStream before = System.err;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    List<String> failures;
    System.setErr(new PrintStream(printed, true, StandardCharsets.UTF_8));
    try {
      failures = failures(run(Failing.class));
    } finally {
      System.setErr(before);
    }
    failures.sort(null);
    assertEquals(2, failures.size(), failures.toString());
    assertTrue(failures.get(0).startsWith("faults that never fired:\n  "), failures.get(0));
    assertTrue(failures.get(0).contains("lost"), failures.get(0));
    assertTrue(failures.get(0).endsWith("(@AllowUnfired permits them)"), failures.get(0));
    assertEquals("on purpose", failures.get(1));
    String report = printed.toString(StandardCharsets.UTF_8);
    assertTrue(report.contains("mockbroker timeline of aTestFails(Mockbroker):"), report);
    assertTrue(report.contains("orders-0"), report);
    assertTrue(report.contains("mockbroker faults:\n"), report);
    assertEquals(-1, report.indexOf("aFaultMayNeverFire"), report);
  }

  private static TestExecutionSummary run(Class<?> tests) {
    return run(tests, Map.of());
  }

  private static TestExecutionSummary run(Class<?> tests, Map<String, String> parameters) {
    CLUSTERS.clear();
    SummaryGeneratingListener summary = new SummaryGeneratingListener();
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(selectClass(tests))
            .configurationParameters(parameters)
            .build();
    LauncherFactory.create().execute(request, summary);
    assertNotEquals(0, summary.getSummary().getTestsFoundCount());
    return summary.getSummary();
  }

  private static List<String> failures(TestExecutionSummary summary) {
    List<String> texts = new ArrayList<>();
    summary.getFailures().forEach(each -> texts.add(each.getException().getMessage()));
    return texts;
  }

  private static Set<Long> pids() {
    Set<Long> pids = new HashSet<>();
    CLUSTERS.forEach(each -> pids.add(each.process().pid()));
    return pids;
  }

  private static void assertStopped() {
    assertTrue(CLUSTERS.stream().noneMatch(each -> each.process().isAlive()));
  }
}
