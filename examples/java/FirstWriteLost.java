import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

/** A first record is acknowledged, and then lost with its log: docs/stories/first-write-lost.md. */
public final class FirstWriteLost {
    private static final String LOSE_ALL = """
            {"topic": "orders", "partition": 0, "log": "truncate", "log_end_offset": 0, "producer_state": "none"}
            """;

    private FirstWriteLost() {
    }

    public static void main(String[] arguments) throws Exception {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers", Admin.BOOTSTRAP_SERVERS, "enable.idempotence", true);
        var producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
        producer.send(new ProducerRecord<>("orders", "order-1")).get();
        Admin.post("/elect", LOSE_ALL);
        producer.send(new ProducerRecord<>("orders", "order-2")).get();  // no error
        producer.close();
        var verdict = Admin.post("/assertions", "{\"assertions\": [{\"name\": \"no-loss\"}]}");
        Admin.check(verdict.contains("\"ok\":false") && verdict.contains("LOST"), verdict);
    }
}
