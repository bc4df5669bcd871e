import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.StringSerializer;

/** The commit that arrives in the next transaction: docs/stories/delayed-end-txn.md. */
public final class DelayedEndTxn {
    private static final String HOLD_THE_FIRST_END = """
            {"id": "late", "match": {"api": "EndTxn"}, "trigger": {"once": true}, "effect": {"hold": "request"}}
            """;

    private DelayedEndTxn() {
    }

    public static void main(String[] arguments) throws Exception {
        boolean isCommittedByTheLateEnd = arguments[0].equals("torn");
        Map<String, Object> settings = Map.of(
                "bootstrap.servers", Admin.BOOTSTRAP_SERVERS,
                "transactional.id", "orders-svc",
                "request.timeout.ms", 1000);
        var producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
        producer.initTransactions();
        commit(producer, "order-1");

        Admin.post("/faults", HOLD_THE_FIRST_END);
        commit(producer, "order-2");  // after a second, and a retry

        producer.beginTransaction();
        producer.send(new ProducerRecord<>("orders", "order-3")).get();
        Admin.post("/faults/late/release", "{}");
        boolean isAborted = true;
        try {
            producer.abortTransaction();
        } catch (KafkaException tooLate) {
            isAborted = false;
        }
        Admin.check(isAborted != isCommittedByTheLateEnd, "aborted: " + isAborted);
        producer.close();
    }

    private static void commit(KafkaProducer<String, String> producer, String value)
            throws ExecutionException, InterruptedException {
        producer.beginTransaction();
        producer.send(new ProducerRecord<>("orders", value)).get();
        producer.commitTransaction();
    }
}
