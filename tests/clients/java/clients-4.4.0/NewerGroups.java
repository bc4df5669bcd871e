import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * Joins a group by a protocol other than the classic one, and prints how it is told that there is none.
 *
 * <p>Arguments: BOOTSTRAP TOPIC PROTOCOL, which is `consumer` or `share`.
 */
public final class NewerGroups {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration POLL = Duration.ofMillis(500);

    private NewerGroups() {}

    public static void main(String[] arguments) {
        Map<String, Object> config =
                Map.of(
                        "bootstrap.servers", arguments[0],
                        "group.id", "group-of-" + arguments[1],
                        "key.deserializer", StringDeserializer.class.getName(),
                        "value.deserializer", StringDeserializer.class.getName());
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        try {
            if (arguments[2].equals("share")) {
                join(config, arguments[1], deadline);
            } else {
                consume(config, arguments[1], deadline);
            }
            System.out.println("nothing was said");
        } catch (KafkaException refusal) {
            System.out.println(refusal.getClass().getSimpleName() + ": " + refusal.getMessage());
        }
    }

    private static void consume(Map<String, Object> config, String topic, long deadline) {
        Map<String, Object> newer = new java.util.HashMap<>(config);
        newer.put("group.protocol", "consumer");
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(newer)) {
            consumer.subscribe(List.of(topic));
            while (System.nanoTime() < deadline) {
                consumer.poll(POLL);
            }
        }
    }

    private static void join(Map<String, Object> config, String topic, long deadline) {
        try (KafkaShareConsumer<String, String> consumer = new KafkaShareConsumer<>(config)) {
            consumer.subscribe(List.of(topic));
            while (System.nanoTime() < deadline) {
                consumer.poll(POLL);
            }
        }
    }
}
