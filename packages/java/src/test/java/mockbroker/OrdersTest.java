package mockbroker;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import mockbroker.junit.MockbrokerTest;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

@MockbrokerTest(brokers = 3, topics = "orders:1")
class OrdersTest {
  @Test
  void aCommitWhoseAnswerIsLostIsDoneOnce(Mockbroker cluster) {
    Fault lost = cluster.fault("EndTxn").transactionalId("orders-svc").loseResponse();

    Map<String, Object> settings =
        Map.of(
            "bootstrap.servers", cluster.bootstrapServers(),
            "transactional.id", "orders-svc");
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
      producer.initTransactions();
      producer.beginTransaction();
      producer.send(new ProducerRecord<>("orders", "order-1"));
      producer.commitTransaction();
    }

    assertEquals(1, lost.hits());
    assertEquals(List.of("order-1"), cluster.values("orders"));
    cluster.assertExactlyOnce("orders");
    cluster.assertNoOpenTransactions();
  }
}
