import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * Members of a share group. Prints records as OFFSET:DELIVERIES.
 *
 * <p>Arguments: MODE BOOTSTRAP GROUP TOPIC [COUNT]. With `hold`, a member acquires a record and is idle until it is
 * killed. With `take`, one accepts COUNT records. With `acknowledge`, two members share four records, and one of them
 * accepts, releases, rejects and renews. With `refused`, a member polls until an error. With `steps`, members do what
 * the lines say that they read: `join BOOTSTRAP` as a new member, `poll` a record, `accept` it, `leave`.
 */
public final class ShareGroups {
    private static final long PATIENCE_MS = 60_000;
    private static final Duration POLL = Duration.ofMillis(200);

    private final String[] arguments;

    private ShareGroups(String[] arguments) {
        this.arguments = arguments;
    }

    public static void main(String[] arguments) throws InterruptedException, IOException {
        ShareGroups groups = new ShareGroups(arguments);
        switch (arguments[0]) {
            case "hold":
                groups.hold();
                break;
            case "take":
                groups.take(Integer.parseInt(arguments[4]));
                break;
            case "refused":
                groups.refused();
                break;
            case "steps":
                groups.steps();
                break;
            default:
                groups.acknowledge();
        }
    }

    private void hold() throws InterruptedException {
        KafkaShareConsumer<String, String> member = member();
        ConsumerRecord<String, String> record = next(member);
        System.out.println("holds " + shown(record));
        System.out.flush();
        Thread.sleep(PATIENCE_MS);
        member.close();
    }

    private void take(int count) {
        TreeMap<Long, String> taken = new TreeMap<>();
        try (KafkaShareConsumer<String, String> member = member()) {
            while (taken.size() < count) {
                ConsumerRecord<String, String> record = next(member);
                taken.put(record.offset(), shown(record));
                member.acknowledge(record, AcknowledgeType.ACCEPT);
            }
            commit(member);
        }
        System.out.println("took " + String.join(" ", taken.values()));
    }

    private void refused() {
        try (KafkaShareConsumer<String, String> member = member()) {
            next(member);
        } catch (KafkaException failure) {
            System.out.println(failure.getClass().getSimpleName() + ": " + failure.getMessage());
        }
    }

    private void steps() throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        KafkaShareConsumer<String, String> member = null;
        ConsumerRecord<String, String> record = null;
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] words = line.split(" ");
            switch (words[0]) {
                case "join":
                    member = member(words[1]);
                    System.out.println("subscribed");
                    break;
                case "poll":
                    record = next(member);
                    System.out.println("got " + shown(record));
                    break;
                case "accept":
                    member.acknowledge(record, AcknowledgeType.ACCEPT);
                    System.out.println("accepted: " + outcome(member));
                    break;
                default:
                    member.close();
                    System.out.println("left");
            }
            System.out.flush();
        }
    }

    private static String outcome(KafkaShareConsumer<String, String> member) {
        try {
            commit(member);
            return "ok";
        } catch (KafkaException failure) {
            return failure.getClass().getSimpleName();
        }
    }

    private void acknowledge() {
        try (KafkaShareConsumer<String, String> one = member();
                KafkaShareConsumer<String, String> two = member()) {
            ConsumerRecord<String, String> first = next(one);
            ConsumerRecord<String, String> second = next(two);
            System.out.println("share " + shown(first) + " " + shown(second));
            one.acknowledge(first, AcknowledgeType.RELEASE);
            commit(one);
            ConsumerRecord<String, String> again = next(one);
            System.out.println("released " + shown(again));
            one.acknowledge(again, AcknowledgeType.RENEW);
            commit(one);
            ConsumerRecord<String, String> renewed = next(one);
            System.out.println("renewed " + shown(renewed));
            one.acknowledge(renewed, AcknowledgeType.REJECT);
            commit(one);
            two.acknowledge(second, AcknowledgeType.ACCEPT);
            commit(two);
        }
        take(2);
    }

    private KafkaShareConsumer<String, String> member() {
        return member(arguments[1]);
    }

    private KafkaShareConsumer<String, String> member(String bootstrapServers) {
        Map<String, Object> configs = new HashMap<>(Map.of(
                "bootstrap.servers", bootstrapServers,
                "group.id", arguments[2],
                "share.acknowledgement.mode", "explicit",
                "share.acquire.mode", "record_limit",
                "max.poll.records", 1,
                "fetch.max.wait.ms", 100));
        KafkaShareConsumer<String, String> member =
                new KafkaShareConsumer<>(configs, new StringDeserializer(), new StringDeserializer());
        member.subscribe(List.of(arguments[3]));
        return member;
    }

    private static ConsumerRecord<String, String> next(KafkaShareConsumer<String, String> member) {
        long deadlineMs = System.currentTimeMillis() + PATIENCE_MS;
        while (System.currentTimeMillis() < deadlineMs) {
            for (ConsumerRecord<String, String> record : member.poll(POLL)) {
                return record;
            }
        }
        throw new IllegalStateException("no record");
    }

    private static void commit(KafkaShareConsumer<String, String> member) {
        List<KafkaException> failures = new ArrayList<>();
        Map<TopicIdPartition, Optional<KafkaException>> results = member.commitSync();
        results.values().forEach(each -> each.ifPresent(failures::add));
        if (!failures.isEmpty()) {
            throw failures.get(0);
        }
    }

    private static String shown(ConsumerRecord<String, String> record) {
        return record.offset() + ":" + record.deliveryCount().orElse((short) 0);
    }
}
