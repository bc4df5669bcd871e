package mockbroker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import mockbroker.api.JournalSelection;
import mockbroker.api.LedgerDocument;
import mockbroker.api.LedgerView;
import mockbroker.api.NewTopicDocument;
import mockbroker.api.RecreateDocument;
import mockbroker.api.SeedDocument;
import mockbroker.api.SeedView;
import mockbroker.api.TopicView;
import mockbroker.junit.MockbrokerTest;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.junit.jupiter.api.Test;

@MockbrokerTest(brokers = 3, topics = "orders")
class ControlsTest {
  @Test
  void aPartitionHasRecordsOffsetsAndProducers(Mockbroker cluster) {
    Partition partition = cluster.partition("orders", 0);
    assertEquals(0, partition.append("key", "order-1").offset());
    try (KafkaProducer<String, String> producer = Clients.producer(cluster, Map.of())) {
      Clients.send(producer, "order-2", "order-3");
    }
    assertEquals(List.of("order-1", "order-2", "order-3"), cluster.values("orders"));
    assertEquals("key", partition.records().get(0).key().text());
    assertEquals(3, partition.logEndOffset());
    assertEquals(3, partition.highWatermark());
    assertEquals(3, partition.lastStableOffset());
    assertEquals(1, partition.producers().size());
    assertTrue(partition.forgetProducer(partition.producers().get(0).producerId()));
    assertEquals(2, partition.batches().size());
    partition.moveLogStart(1);
    assertEquals(1, partition.logStartOffset());
    partition.loseTail(1);
    assertEquals(1, partition.logEndOffset());
  }

  @Test
  void brokersAndLeadersChange(Mockbroker cluster) {
    Partition partition = cluster.partition("orders", 0);
    int elected = partition.elect(2);
    assertEquals(2, elected);
    assertEquals(2, partition.view().leader());
    cluster.broker(2).kill();
    assertEquals("killed", cluster.broker(2).view().state());
    cluster.broker(2).start();
    cluster.broker(2).stop();
    cluster.broker(2).start();
    assertEquals("running", cluster.broker(2).view().state());
    cluster.broker(1).isolate();
    cluster.broker(1).rejoin();
    assertThrows(ProblemException.class, () -> cluster.broker(9).kill());
  }

  @Test
  void aGroupHasOffsetsAndACoordinator(Mockbroker cluster) {
    cluster.partition("orders", 0).append(null, "order-1");
    assertEquals(List.of("order-1"), Clients.read(cluster, "billing", 1));
    Group group = cluster.group("billing");
    assertEquals(1, group.committedOffset("orders", 0));
    assertEquals(-1, group.committedOffset("orders", 1));
    group.waitForMembers(0, Clients.SOON);
    int before = group.coordinator();
    assertNotEquals(before, group.moveCoordinator());
    assertEquals(before, group.moveCoordinator(before));
  }

  @Test
  void theJournalFindsAndCountsRequests(Mockbroker cluster) {
    Journal journal = cluster.journal();
    try (KafkaProducer<String, String> producer = Clients.producer(cluster, Map.of())) {
      Clients.send(producer, "order-1");
    }
    journal.waitForRequests("Produce", 1, Clients.SOON);
    assertEquals(1, journal.count("Produce"));
    assertEquals(0, journal.count(JournalSelection.builder().api("Produce").topic("other")));
    assertTrue(
        journal.entries(JournalSelection.builder().api("Produce")).stream()
            .allMatch(each -> each.api().equals("Produce")));
    WaitTimeoutException timeout =
        assertThrows(
            WaitTimeoutException.class,
            () -> journal.waitForRequests("Produce", 2, Duration.ofMillis(10)));
    assertEquals(
        "2 requests that match {\"api\":[\"Produce\"]}: not within 10ms; now: 1",
        timeout.getMessage());
    journal.clear();
    assertEquals(0, journal.count("Produce"));
    journal.off();
  }

  @Test
  void aRequestWithoutAMethodTakesDocuments(Mockbroker cluster) {
    String path = "/api/v1/topics/orders/recreate";
    TopicView topic = cluster.post(path, new RecreateDocument(3, 0L), TopicView.class);
    assertEquals(3, topic.partitions().size());
    assertEquals(9, cluster.post("/api/v1/seed", new SeedDocument(9), SeedView.class).seed());
    LedgerDocument ledger = new LedgerDocument(true, 50L);
    assertTrue(cluster.put("/api/v1/ledger", ledger, LedgerView.class).isOn());
    assertEquals(50, cluster.get("/api/v1/ledger", LedgerView.class).rowsMax());
    cluster.delete("/api/v1/topics/orders/partitions/0/records?before=0");
    ProblemException unknown =
        assertThrows(ProblemException.class, () -> cluster.get("/api/v1/cluck", Void.class));
    assertEquals(404, unknown.problem().status());
  }

  @Test
  void theClockIsSetAndTheClusterReset(Mockbroker cluster) {
    Instant later = cluster.clock().now().plus(Duration.ofDays(1));
    cluster.clock().set(later);
    assertTrue(!cluster.clock().now().isBefore(later));
    cluster.createTopic("invoices", 2);
    cluster.createTopic(
        NewTopicDocument.builder()
            .name("payments")
            .replicationFactor(3)
            .config(Map.of("min.insync.replicas", "2"))
            .build());
    assertEquals(3, cluster.topics().size());
    cluster.partition("orders", 0).append(null, "order-1");
    cluster.reset();
    assertEquals(List.of(), cluster.values("orders"));
    assertTrue(cluster.clock().now().isBefore(later));
    assertTrue(cluster.timeline().contains("orders"));
  }
}
