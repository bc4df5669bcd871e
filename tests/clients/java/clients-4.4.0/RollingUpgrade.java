import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * A group of the classic protocol that is upgraded to the consumer protocol and downgraded again, one member at a time.
 * Prints a line for each step.
 *
 * <p>Arguments: BOOTSTRAP GROUP TOPIC, which has two partitions.
 */
final class RollingUpgrade {
    private static final long PATIENCE_MS = 60_000;
    private static final Duration POLL = Duration.ofMillis(50);

    private final String bootstrapServers;
    private final String groupId;
    private final String topic;

    private RollingUpgrade(String bootstrapServers, String groupId, String topic) {
        this.bootstrapServers = bootstrapServers;
        this.groupId = groupId;
        this.topic = topic;
    }

    public static void main(String[] arguments) {
        new RollingUpgrade(arguments[0], arguments[1], arguments[2]).run();
    }

    private void run() {
        KafkaConsumer<String, String> first = member("classic");
        await(() -> owns(first, 2), first);
        KafkaConsumer<String, String> upgraded = member("consumer");
        await(() -> owns(first, 1) && owns(upgraded, 1), first, upgraded);
        first.commitSync();
        upgraded.commitSync();
        System.out.println("both protocols share");
        first.close();
        await(() -> owns(upgraded, 2), upgraded);
        System.out.println("upgraded");
        KafkaConsumer<String, String> last = member("classic");
        await(() -> owns(last, 1) && owns(upgraded, 1), last, upgraded);
        upgraded.close();
        await(() -> owns(last, 2), last);
        last.commitSync();
        System.out.println("downgraded");
        last.close();
    }

    private KafkaConsumer<String, String> member(String protocol) {
        Map<String, Object> configs = new HashMap<>(Map.of(
                "bootstrap.servers", bootstrapServers,
                "group.id", groupId,
                "group.protocol", protocol,
                "auto.offset.reset", "earliest",
                "enable.auto.commit", false));
        if (protocol.equals("classic")) {
            configs.put("heartbeat.interval.ms", 100);
        }
        KafkaConsumer<String, String> member =
                new KafkaConsumer<>(configs, new StringDeserializer(), new StringDeserializer());
        member.subscribe(List.of(topic));
        return member;
    }

    private static boolean owns(KafkaConsumer<String, String> member, int partitions) {
        return member.assignment().size() == partitions;
    }

    @SafeVarargs
    private static void await(BooleanSupplier condition, KafkaConsumer<String, String>... members) {
        long deadline = System.currentTimeMillis() + PATIENCE_MS;
        while (!condition.getAsBoolean()) {
            if (System.currentTimeMillis() > deadline) {
                throw new IllegalStateException("waited in vain");
            }
            for (KafkaConsumer<String, String> member : members) {
                member.poll(POLL);
            }
        }
    }
}
