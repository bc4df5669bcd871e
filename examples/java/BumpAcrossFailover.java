import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

/** The response to an epoch bump is lost, and the coordinator moves: docs/stories/bump-across-failover.md. */
public final class BumpAcrossFailover {
    private BumpAcrossFailover() {
    }

    private static void fault(String id, String api, String trigger, String effect) throws Exception {
        Admin.post("/faults", """
                {"id": "%s", "match": {"api": "%s"}, "trigger": %s, "effect": %s}
                """.formatted(id, api, trigger, effect));
    }

    public static void main(String[] arguments) throws Exception {
        boolean isFenced = arguments[0].equals("fenced");
        Map<String, Object> settings = Map.of(
                "bootstrap.servers", Admin.BOOTSTRAP_SERVERS,
                "transactional.id", "orders-svc",
                "request.timeout.ms", 5000,
                "delivery.timeout.ms", 6000,
                "linger.ms", 0);
        var producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
        producer.initTransactions();
        producer.beginTransaction();
        // After this error a client does not know what was appended: it aborts with another epoch.
        fault("refused", "Produce", "{\"once\": true}", "{\"answer\": \"INVALID_RECORD\"}");
        try {
            producer.send(new ProducerRecord<>("orders", "order-1")).get();
            throw new AssertionError("the record was not refused");
        } catch (ExecutionException refused) {
            // The sender reports an error before it updates its own state; its next request shows that it has.
            producer.partitionsFor("payments");
            fault("lost", "InitProducerId", "{\"once\": true}", "{\"lose_response\": \"after_apply\"}");
            fault("again", "InitProducerId", "{\"on_call\": 2}", "{\"hold\": \"request\"}");
        }
        var aborted = CompletableFuture.runAsync(producer::abortTransaction);
        Admin.get("/faults/again/wait?held=1&timeout=10s");
        Admin.post("/coordinators/move", "{\"transactional_id\": \"orders-svc\"}");
        Admin.post("/faults/again/release", "{}");
        try {
            aborted.get(20, TimeUnit.SECONDS);
            Admin.check(!isFenced, "the producer was not treated as a zombie");
        } catch (ExecutionException fenced) {
            Admin.check(isFenced, fenced.toString());
        }
        producer.close();
    }
}
