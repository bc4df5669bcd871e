import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

/** The batch that arrived after its transaction had ended: docs/stories/late-batch.md. */
public final class LateBatch {
    private static final String HOLD_UNTIL_ABORTED = """
            {"id": "late",
             "match": {"api": "Produce", "topic": "orders"},
             "trigger": {"every_time": true},
             "effect": {"hold": "request", "until": {"marker": "abort", "topic": "orders", "partition": 0}}}
            """;

    private LateBatch() {
    }

    public static void main(String[] arguments) throws Exception {
        boolean hangs = arguments[0].equals("hangs");
        Map<String, Object> settings = Map.of(
                "bootstrap.servers", Admin.BOOTSTRAP_SERVERS,
                "transactional.id", "orders-svc",
                "linger.ms", 0,
                "request.timeout.ms", 3000,
                "delivery.timeout.ms", 4000);
        var producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
        producer.initTransactions();
        producer.beginTransaction();
        producer.send(new ProducerRecord<>("orders", "in time")).get();
        Admin.post("/faults", HOLD_UNTIL_ABORTED);
        try {
            producer.send(new ProducerRecord<>("orders", "late")).get();
            throw new AssertionError("the batch was not held");
        } catch (ExecutionException givenUp) {
            producer.abortTransaction();  // the client gave up the batch, but it is still on the network
        }
        Admin.get("/faults/late/wait?released=1&timeout=30s");
        producer.close();
        Admin.check(Admin.get("/hanging").contains("\"topic\":\"orders\"") == hangs, Admin.get("/hanging"));
    }
}
