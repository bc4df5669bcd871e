import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

/** An idempotent producer is idle until retention deletes its records: docs/stories/idle-producer.md. */
public final class IdleProducer {
    private IdleProducer() {
    }

    public static void main(String[] arguments) throws Exception {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers", Admin.BOOTSTRAP_SERVERS, "enable.idempotence", true);
        var producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
        for (long order = 0; order < 3; order++) {
            var written = producer.send(new ProducerRecord<>("orders", "order-" + order)).get();
            Admin.check(written.offset() == order, "order " + order + " is at " + written.offset());
            Admin.post("/clock/advance", "{\"by\": \"3h\"}");
        }
        producer.close();
        var left = Admin.get("/topics/orders/partitions/0/records");
        Admin.check(!left.contains("order-0"), left);
    }
}
