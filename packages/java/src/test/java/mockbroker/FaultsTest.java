package mockbroker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import mockbroker.api.Answer;
import mockbroker.api.FaultView;
import mockbroker.api.Hold;
import mockbroker.api.Latency;
import mockbroker.api.LoseResponse;
import mockbroker.api.Slicer;
import mockbroker.api.SlicerSettings;
import mockbroker.api.SlicerSettings.StreamEnum;
import mockbroker.api.Times;
import mockbroker.junit.AllowUnfired;
import mockbroker.junit.MockbrokerTest;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.junit.jupiter.api.Test;

@AllowUnfired
@MockbrokerTest(topics = "orders")
class FaultsTest {
  @Test
  void anErrorIsRetried(Mockbroker cluster) {
    Fault full = cluster.fault("Produce").topic("orders").times(2).answer("KAFKA_STORAGE_ERROR");
    try (KafkaProducer<String, String> producer = Clients.producer(cluster, Map.of())) {
      Clients.send(producer, "order-1");
    }
    assertEquals(2, full.waitForHits(2, Clients.SOON).hits());
    assertEquals(2, full.calls());
    assertEquals(List.of("order-1"), cluster.values("orders"));
    cluster.assertAllFaultsFired();
  }

  @Test
  void eachTriggerIsReadBack(Mockbroker cluster) {
    cluster.fault("Produce").once().dropRequest();
    cluster.fault("Produce").times(2).dropRequest();
    cluster.fault("Produce").onCall(3).dropRequest();
    cluster.fault("Produce").everyTime().dropRequest();
    cluster.fault("Produce").withProbability(0.25).dropRequest();
    List<String> triggers =
        cluster.faults().stream().map(each -> each.trigger().toString()).toList();
    assertEquals(
        List.of(
            "Once[once=true]",
            "Times[times=2]",
            "OnCall[onCall=3]",
            "EveryTime[everyTime=true]",
            "WithProbability[withProbability=0.25]"),
        triggers);
  }

  @Test
  void eachEffectIsReadBack(Mockbroker cluster) {
    Duration time = Duration.ofMillis(20);
    Fault first = cluster.fault("EndTxn").id("first").hold(time);
    List<Fault> faults =
        List.of(
            first,
            cluster.fault("Produce").answer("NOT_LEADER_OR_FOLLOWER"),
            cluster.fault("Produce").applyThenAnswer("REQUEST_TIMED_OUT"),
            cluster.fault("Produce").loseResponse(),
            cluster.fault("Produce").loseResponseSilently(),
            cluster.fault("EndTxn").hold(At.epochBump("orders-svc")),
            cluster.fault("EndTxn").hold(At.hits(first, 1)),
            cluster.fault("EndTxn").hold(At.held(first, 1)),
            cluster.fault("EndTxn").hold(At.released(first, 1)),
            cluster.fault("EndTxn").holdResponse(),
            cluster.fault("EndTxn").holdResponse(At.marker("orders", 0)),
            cluster.fault("EndTxn").hold(At.commitMarker("orders", 0)),
            cluster.fault("EndTxn").hold(At.abortMarker("orders", 0)),
            cluster.fault("EndTxn").hold(At.records("orders", 1)),
            cluster.fault("EndTxn").hold(At.records("orders", 0, 1)),
            cluster.fault("EndTxn").hold(At.logEndOffset("orders", 0, 1)),
            cluster.fault("Produce").delay(time),
            cluster.fault("Produce").throttle(time),
            cluster.fault("Produce").duplicate(),
            cluster.fault("Produce").corrupt(),
            cluster.fault().observe(),
            cluster.fault().clientId("a").latency(time, Duration.ofMillis(1)),
            cluster.fault().bandwidth(100),
            cluster.fault().resetPeer());
    assertEquals(
        faults.stream().map(Fault::id).toList(),
        cluster.faults().stream().map(FaultView::id).toList());
    assertTrue(cluster.faults().stream().allMatch(each -> each.effect() != null));
    assertInstanceOf(Hold.class, first.view().effect());
    assertEquals(new Answer("NOT_LEADER_OR_FOLLOWER", null), faults.get(1).view().effect());
    assertEquals(
        LoseResponse.HowEnum.SILENCE, ((LoseResponse) faults.get(4).view().effect()).how());
    assertEquals("1ms", ((Latency) faults.get(21).view().effect()).latency().jitter());
    cluster.removeFaults();
    assertEquals(List.of(), cluster.faults());
  }

  @Test
  void eachSelectorIsReadBack(Mockbroker cluster) {
    Fault fault =
        cluster
            .fault("Produce", "AddPartitionsToTxn")
            .topic("orders", "invoices")
            .partition(0, 1)
            .transactionalId("orders-*")
            .producerId(1000L)
            .producerEpoch(1)
            .clientId("shop")
            .broker(1)
            .version(4, 5)
            .trigger(new Times(2))
            .observe();
    assertEquals(
        Set.of("Produce", "AddPartitionsToTxn"), Set.copyOf(fault.view().match().api()));
    assertEquals(List.of(0, 1), fault.view().match().partition());
    assertEquals(List.of("orders-*"), fault.view().match().transactionalId());
    assertTrue(fault.toString().contains("orders-*"));
    fault.remove();
    assertEquals(List.of(), cluster.faults());
  }

  @Test
  void anEffectWithoutAMethodIsADocument(Mockbroker cluster) {
    Fault slow =
        cluster
            .fault()
            .clientId("shop")
            .effect(new Slicer(new SlicerSettings(100L, 10L, "1ms", StreamEnum.UPSTREAM, 1.0)));
    try (KafkaProducer<String, String> producer =
        Clients.producer(cluster, Map.of("client.id", "shop"))) {
      Clients.send(producer, "order-1");
    }
    assertTrue(slow.hits() > 0);
    assertTrue(slow.view().touchedBytes() > 0);
  }

  @Test
  void aWaitThatEndsNamesTheClosestCall(Mockbroker cluster) {
    Fault fault = cluster.fault("Produce").topic("invoices").loseResponse();
    try (KafkaProducer<String, String> producer = Clients.producer(cluster, Map.of())) {
      Clients.send(producer, "order-1");
    }
    WaitTimeoutException timeout =
        assertThrows(
            WaitTimeoutException.class, () -> fault.waitForHits(1, Duration.ofMillis(10)));
    assertTrue(timeout.getMessage().contains("invoices"), timeout.getMessage());
    assertTrue(timeout.getMessage().contains("closest call"), timeout.getMessage());
  }

  @Test
  void aRefusedFaultShowsTheDetailAndTheSimilarNames(Mockbroker cluster) {
    ProblemException problem =
        assertThrows(ProblemException.class, () -> cluster.fault("Produse").loseResponse());
    assertEquals("invalid", problem.problem().code());
    assertTrue(problem.getMessage().startsWith(problem.problem().detail()), problem.getMessage());
    assertTrue(problem.getMessage().contains("Produce"), problem.getMessage());
    assertTrue(problem.getMessage().endsWith("[invalid, POST /api/v1/faults]"));
  }
}
