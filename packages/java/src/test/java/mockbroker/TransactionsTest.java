package mockbroker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import mockbroker.junit.MockbrokerTest;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.errors.InvalidTxnStateException;
import org.junit.jupiter.api.Test;

@MockbrokerTest(brokers = 3, topics = "orders")
class TransactionsTest {
  @Test
  void aHeldCommitIsDoneWhenItIsReleased(Mockbroker cluster) throws Exception {
    Fault held = cluster.fault("EndTxn").hold();
    try (KafkaProducer<String, String> producer = Clients.transactional(cluster)) {
      begin(producer, "order-1");
      CompletableFuture<Void> commit = CompletableFuture.runAsync(producer::commitTransaction);
      held.waitForHeld(1, Clients.SOON);
      assertEquals("Ongoing", transaction(cluster).state());
      assertEquals(List.of(), cluster.values("orders"));
      assertFalse(commit.isDone());

      assertEquals(1, held.release());
      commit.get(20, TimeUnit.SECONDS);
    }
    held.waitForReleased(1, Clients.SOON);
    transaction(cluster).waitForState("CompleteCommit", Clients.SOON);
    cluster.assertExactlyOnce("orders", List.of("order-1"));
    cluster.assertCommitted(Clients.TRANSACTIONAL_ID);
  }

  @Test
  void aHoldEndsAtAnEventOfAnotherTransaction(Mockbroker cluster) throws Exception {
    Fault held =
        cluster
            .fault("EndTxn")
            .transactionalId(Clients.TRANSACTIONAL_ID)
            .hold(At.transactionState("other", "CompleteCommit"));
    try (KafkaProducer<String, String> producer = Clients.transactional(cluster);
        KafkaProducer<String, String> other =
            Clients.producer(cluster, Map.of("transactional.id", "other"))) {
      begin(producer, "order-1");
      CompletableFuture<Void> commit = CompletableFuture.runAsync(producer::commitTransaction);
      held.waitForHeld(1, Clients.SOON);
      begin(other, "order-2");
      other.commitTransaction();
      commit.get(20, TimeUnit.SECONDS);
    }
    cluster.assertExactlyOnce("orders", List.of("order-1", "order-2"));
  }

  @Test
  void aJumpOfTheClockExpiresAnOpenTransaction(Mockbroker cluster) {
    cluster.clock().freeze();
    try (KafkaProducer<String, String> producer = Clients.transactional(cluster)) {
      begin(producer, "order-1");
      assertEquals(1, cluster.clock().advance(Duration.ofMinutes(2)).fellDue().size());
      transaction(cluster).waitForState("CompleteAbort", Clients.SOON);
      assertThrows(InvalidTxnStateException.class, producer::commitTransaction);
    }
    cluster.clock().resume();
    assertEquals(List.of(), cluster.values("orders"));
    assertEquals(1, cluster.partition("orders", 0).uncommittedRecords().size());
    cluster.assertAborted(Clients.TRANSACTIONAL_ID);
  }

  @Test
  void anEndingIsDoneStepByStep(Mockbroker cluster) throws Exception {
    try (KafkaProducer<String, String> producer = Clients.transactional(cluster)) {
      begin(producer, "order-1");
      transaction(cluster).holdEnding();
      CompletableFuture<Void> commit = CompletableFuture.runAsync(producer::commitTransaction);
      transaction(cluster).waitForState("PrepareCommit", Clients.SOON);
      assertThrows(AssertionError.class, cluster::assertNoOpenTransactions);
      assertTrue(transaction(cluster).step().contains("orders"), "the marker of the partition");
      transaction(cluster).release();
      commit.get(20, TimeUnit.SECONDS);
      transaction(cluster).waitForState("CompleteCommit", Clients.SOON);
      assertNull(transaction(cluster).step());
    }
    cluster.assertNoOpenTransactions();
    cluster.assertNoHangingTransactions();
    assertEquals(List.of(), cluster.hanging());
  }

  @Test
  void aCoordinatorMovesInATransaction(Mockbroker cluster) {
    try (KafkaProducer<String, String> producer = Clients.transactional(cluster)) {
      begin(producer, "order-1");
      int before = transaction(cluster).coordinator();
      int after = transaction(cluster).moveCoordinator();
      assertEquals(after, transaction(cluster).coordinator());
      assertTrue(before != after);
      producer.commitTransaction();
    }
    cluster.assertExactlyOnce("orders", List.of("order-1"));
  }

  @Test
  void theCoordinatorAbortsATransactionAndForgetsItsId(Mockbroker cluster) {
    try (KafkaProducer<String, String> producer = Clients.transactional(cluster)) {
      begin(producer, "order-1");
      transaction(cluster).abort();
      transaction(cluster).waitForState("CompleteAbort", Clients.SOON);
    }
    transaction(cluster).expire();
    ProblemException unknown =
        assertThrows(ProblemException.class, () -> transaction(cluster).view());
    assertEquals("not-found", unknown.problem().code());
  }

  @Test
  void aDuplicateFailsTheAssertionWithItsTimeline(Mockbroker cluster) {
    Fault twice = cluster.fault("Produce").topic("orders").duplicate();
    try (KafkaProducer<String, String> producer =
        Clients.producer(cluster, Map.of("enable.idempotence", false))) {
      Clients.send(producer, "order-1");
    }
    assertEquals(1, twice.hits());
    AssertionError failure =
        assertThrows(AssertionError.class, () -> cluster.assertExactlyOnce("orders"));
    assertTrue(failure.getMessage().contains("orders-0"), failure.getMessage());
    assertTrue(failure.getMessage().contains("duplicate"), failure.getMessage());
    assertThrows(AssertionError.class, () -> cluster.assertNoDuplicates("orders"));
    assertThrows(
        AssertionError.class, () -> cluster.assertNoLoss("orders", List.of("order-1", "order-2")));
  }

  @Test
  void aSecondProducerFencesTheFirst(Mockbroker cluster) {
    try (KafkaProducer<String, String> first = Clients.transactional(cluster);
        KafkaProducer<String, String> second = Clients.transactional(cluster)) {
      begin(first, "order-1");
      begin(second, "order-2");
      assertThrows(RuntimeException.class, first::commitTransaction);
      second.commitTransaction();
    }
    cluster.assertFenced(Clients.TRANSACTIONAL_ID);
    cluster.assertNoZombieWrites("orders");
    cluster.assertRecords("orders", List.of("order-2"));
  }

  private static void begin(KafkaProducer<String, String> producer, String value) {
    producer.initTransactions();
    producer.beginTransaction();
    Clients.send(producer, value);
  }

  private static Transaction transaction(Mockbroker cluster) {
    return cluster.transaction(Clients.TRANSACTIONAL_ID);
  }
}
