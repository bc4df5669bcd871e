import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.InvalidPidMappingException;
import org.apache.kafka.common.serialization.StringSerializer;

/** A producer continues after its transactional id has expired: docs/stories/expired-id.md. */
public final class ExpiredId {
    private ExpiredId() {
    }

    private static KafkaProducer<String, String> instance() {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers", Admin.BOOTSTRAP_SERVERS, "transactional.id", "orders-svc");
        var producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
        producer.initTransactions();
        return producer;
    }

    private static void writeOne(KafkaProducer<String, String> producer) throws Exception {
        producer.beginTransaction();
        producer.send(new ProducerRecord<>("orders", "order-1")).get();
        producer.commitTransaction();
    }

    public static void main(String[] arguments) throws Exception {
        var producer = instance();
        var passed = Admin.post("/clock/advance", "{\"by\": \"8d\"}");
        Admin.check(passed.contains("orders-svc"), passed);
        try {
            writeOne(producer);
            throw new AssertionError("nobody should know the transactional id");
        } catch (ExecutionException failure) {
            Admin.check(failure.getCause() instanceof InvalidPidMappingException, failure.toString());
        } catch (InvalidPidMappingException failure) {
            // With transaction.version 2 the leader of the partition returns the error.
        }
        producer.close();
        var successor = instance();  // the application must create a new producer
        writeOne(successor);
        successor.close();
    }
}
