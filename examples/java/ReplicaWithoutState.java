import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

/** The first record is deleted, and the next leader has never seen it: docs/stories/replica-without-state.md. */
public final class ReplicaWithoutState {
    private ReplicaWithoutState() {
    }

    public static void main(String[] arguments) throws Exception {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers", Admin.BOOTSTRAP_SERVERS, "enable.idempotence", true);
        var producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
        producer.send(new ProducerRecord<>("orders", "order-1")).get();
        Admin.post("/elect", "{\"topic\": \"orders\", \"partition\": 0, \"producer_state\": \"none\"}");
        // Up to 2.4 it is unknown now, and takes another epoch; later brokers accept it.
        var written = producer.send(new ProducerRecord<>("orders", "order-2")).get();
        Admin.check(written.offset() == 1, "order-2 is at " + written.offset());
        producer.close();
    }
}
