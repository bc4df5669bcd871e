import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.serialization.StringSerializer;

/** A new instance takes over the transactional id, and the old one is fenced: docs/stories/fenced-zombie.md. */
public final class FencedZombie {
    private FencedZombie() {
    }

    private static KafkaProducer<String, String> instance() {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers", Admin.BOOTSTRAP_SERVERS, "transactional.id", "orders-svc");
        var producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
        producer.initTransactions();
        producer.beginTransaction();
        return producer;
    }

    public static void main(String[] arguments) throws Exception {
        var zombie = instance();
        zombie.send(new ProducerRecord<>("orders", "of the zombie")).get();
        var owner = instance();
        owner.send(new ProducerRecord<>("orders", "of the owner")).get();
        owner.commitTransaction();
        try {
            zombie.commitTransaction();
            throw new AssertionError("the zombie was not fenced");
        } catch (ProducerFencedException fenced) {
            zombie.close();
        }
        owner.close();
        var visible = Admin.get("/topics/orders/partitions/0/records?isolation=read_committed");
        Admin.check(visible.contains("of the owner") && !visible.contains("of the zombie"), visible);
    }
}
