import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.SubscriptionPattern;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * Members of a group of the consumer protocol: two share the partitions of a topic, one leaves, and a static member
 * comes back to its partitions; a group of the classic protocol is upgraded and downgraded while it runs. Prints a line
 * for each.
 *
 * <p>Arguments: BOOTSTRAP TOPIC, which has two partitions with a record each.
 */
public final class ConsumerGroups {
    private static final long PATIENCE_MS = 60_000;
    private static final Duration POLL = Duration.ofMillis(50);

    private final String bootstrapServers;
    private final String topic;
    private final Set<String> read = new HashSet<>();

    private ConsumerGroups(String bootstrapServers, String topic) {
        this.bootstrapServers = bootstrapServers;
        this.topic = topic;
    }

    public static void main(String[] arguments) {
        ConsumerGroups groups = new ConsumerGroups(arguments[0], arguments[1]);
        groups.share();
        groups.restart();
        groups.match();
        groups.migrate();
    }

    private void share() {
        KafkaConsumer<String, String> one = member("shared", null);
        KafkaConsumer<String, String> two = member("shared", null);
        one.subscribe(List.of(topic));
        two.subscribe(List.of(topic));
        await(() -> one.assignment().size() == 1 && two.assignment().size() == 1 && read.size() == 2, one, two);
        one.commitSync();
        System.out.println("shared " + read.size());
        two.close();
        await(() -> one.assignment().size() == 2, one);
        System.out.println("one is left with " + one.assignment().size());
        one.close();
    }

    private void restart() {
        KafkaConsumer<String, String> one = member("static", "i-1");
        KafkaConsumer<String, String> two = member("static", "i-2");
        one.subscribe(List.of(topic));
        two.subscribe(List.of(topic));
        await(() -> one.assignment().size() == 1 && two.assignment().size() == 1, one, two);
        Set<TopicPartition> before = two.assignment();
        two.close();
        KafkaConsumer<String, String> again = member("static", "i-2");
        again.subscribe(List.of(topic));
        await(() -> again.assignment().size() == 1, one, again);
        System.out.println("back " + (again.assignment().equals(before) && one.assignment().size() == 1));
        one.close();
        again.close();
    }

    private void match() {
        try (KafkaConsumer<String, String> one = member("matching", null)) {
            one.subscribe(new SubscriptionPattern(topic.substring(0, 3) + ".*"));
            await(() -> one.assignment().size() == 2, one);
            System.out.println("matched " + one.assignment().size());
        }
    }

    private void migrate() {
        KafkaConsumer<String, String> old = classic("rolling");
        old.subscribe(List.of(topic));
        await(() -> old.assignment().size() == 2, old);
        KafkaConsumer<String, String> upgraded = member("rolling", null);
        upgraded.subscribe(List.of(topic));
        await(() -> old.assignment().size() == 1 && upgraded.assignment().size() == 1, old, upgraded);
        old.commitSync();
        upgraded.commitSync();
        System.out.println("both have " + upgraded.assignment().size());
        old.close();
        await(() -> upgraded.assignment().size() == 2, upgraded);
        System.out.println("upgraded with " + upgraded.assignment().size());
        KafkaConsumer<String, String> again = classic("rolling");
        again.subscribe(List.of(topic));
        await(() -> again.assignment().size() == 1 && upgraded.assignment().size() == 1, again, upgraded);
        upgraded.close();
        await(() -> again.assignment().size() == 2, again);
        again.commitSync();
        System.out.println("downgraded with " + again.assignment().size());
        again.close();
    }

    private KafkaConsumer<String, String> classic(String group) {
        Map<String, Object> config = config(group);
        config.put("group.protocol", "classic");
        config.put("heartbeat.interval.ms", 100);
        return new KafkaConsumer<>(config);
    }

    private KafkaConsumer<String, String> member(String group, String instanceId) {
        Map<String, Object> config = config(group);
        config.put("group.protocol", "consumer");
        if (instanceId != null) {
            config.put("group.instance.id", instanceId);
        }
        return new KafkaConsumer<>(config);
    }

    private Map<String, Object> config(String group) {
        return new HashMap<>(
                Map.of(
                        "bootstrap.servers", bootstrapServers,
                        "group.id", group + "-" + topic,
                        "auto.offset.reset", "earliest",
                        "enable.auto.commit", false,
                        "key.deserializer", StringDeserializer.class.getName(),
                        "value.deserializer", StringDeserializer.class.getName()));
    }

    @SafeVarargs
    private void await(BooleanSupplier condition, KafkaConsumer<String, String>... members) {
        long deadline = System.currentTimeMillis() + PATIENCE_MS;
        while (!condition.getAsBoolean()) {
            if (System.currentTimeMillis() > deadline) {
                throw new IllegalStateException("waited in vain");
            }
            for (KafkaConsumer<String, String> member : members) {
                member.poll(POLL).forEach(each -> read.add(each.partition() + ":" + each.value()));
            }
        }
    }
}
