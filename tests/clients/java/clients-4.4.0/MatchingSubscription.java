import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.SubscriptionPattern;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * A member of a consumer group that subscribes to what matches a regular expression; prints what it is assigned.
 *
 * <p>Arguments: BOOTSTRAP GROUP PATTERN COUNT, the last of which is how many partitions it waits for.
 */
final class MatchingSubscription {
    private static final long PATIENCE_MS = 60_000;
    private static final Duration POLL = Duration.ofMillis(50);

    private MatchingSubscription() {}

    public static void main(String[] arguments) {
        Map<String, Object> configs = Map.of(
                "bootstrap.servers", arguments[0], "group.id", arguments[1], "group.protocol", "consumer");
        try (KafkaConsumer<String, String> member =
                new KafkaConsumer<>(configs, new StringDeserializer(), new StringDeserializer())) {
            member.subscribe(new SubscriptionPattern(arguments[2]));
            long deadline = System.currentTimeMillis() + PATIENCE_MS;
            while (member.assignment().size() < Integer.parseInt(arguments[3])) {
                if (System.currentTimeMillis() > deadline) {
                    throw new IllegalStateException("waited in vain");
                }
                member.poll(POLL);
            }
            List<String> assigned = member.assignment().stream()
                    .map(TopicPartition::toString)
                    .sorted()
                    .collect(Collectors.toList());
            System.out.println(String.join(" ", assigned));
        }
    }
}
