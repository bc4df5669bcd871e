import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/** Consumers that share the partitions of a topic as members of a group. */
final class Members {
    private static final Duration POLL = Duration.ofMillis(100);

    private final Map<String, KafkaConsumer<String, String>> members = new HashMap<>();
    private final String groupProtocol;

    Members(String groupProtocol) {
        this.groupProtocol = groupProtocol;
    }

    Map<String, Client.Command> commands() {
        return Map.of(
                "join", Client.done(words -> members.put(words.get(0), join(
                        words.get(1), words.get(2), words.get(3), groupProtocol, instance(words.get(4))))),
                "poll", words -> texts(members.get(words.get(0)).poll(POLL)),
                "assignment", words -> members.get(words.get(0)).assignment().stream()
                        .map(TopicPartition::partition)
                        .sorted()
                        .map(String::valueOf)
                        .collect(Collectors.toList()),
                "commit-offsets", Client.done(words -> members.get(words.get(0)).commitSync()),
                "leave", Client.done(words -> members.remove(words.get(0)).close()));
    }

    /** A consumer that joins in its polls, and hears of a rebalance at once. */
    static KafkaConsumer<String, String> join(
            String bootstrapServers,
            String group,
            String topic,
            String groupProtocol,
            Map<String, Object> more) {
        Map<String, Object> configs = new HashMap<>(Map.of(
                "bootstrap.servers", bootstrapServers,
                "group.id", group,
                "auto.offset.reset", "earliest",
                "enable.auto.commit", false,
                "fetch.max.wait.ms", 50));
        if (groupProtocol.equals("classic")) { // the only one of older releases
            configs.putAll(Map.of("session.timeout.ms", 10_000, "heartbeat.interval.ms", 100));
        } else { // the broker chooses them
            configs.put("group.protocol", groupProtocol);
        }
        configs.putAll(more);
        KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(configs, new StringDeserializer(), new StringDeserializer());
        consumer.subscribe(List.of(topic));
        return consumer;
    }

    private static Map<String, Object> instance(String instanceId) {
        return instanceId.isEmpty() ? Map.of() : Map.of("group.instance.id", instanceId);
    }

    static List<String> texts(ConsumerRecords<String, String> records) {
        List<String> texts = new ArrayList<>();
        for (ConsumerRecord<String, String> record : records) {
            texts.add(record.partition() + ":" + record.offset() + ":" + record.value());
        }
        return texts;
    }
}
