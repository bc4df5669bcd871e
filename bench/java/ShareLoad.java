import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Stores records of 100 bytes on average, and reads all of them with one share consumer, which accepts each batch by its
 * next poll. Prints one JSON object with the records per second, from the first record to the last one.
 *
 * <p>java -cp "JARS/*" ShareLoad.java BOOTSTRAP TOPIC SEED RECORDS
 */
public final class ShareLoad {
    private static final int PARTITIONS = 4;
    private static final Duration PATIENCE = Duration.ofSeconds(1);
    private static final long TIMEOUT_NS = 100_000_000_000L;

    private ShareLoad() {
    }

    private static void store(Map<String, Object> where, String topic, long seed, int count) {
        Random random = new Random(seed);
        byte[] letters = new byte[1 << 16];
        for (int i = 0; i < letters.length; i++) {
            letters[i] = (byte) ('A' + random.nextInt(26));
        }
        String text = new String(letters, StandardCharsets.US_ASCII);
        ByteArraySerializer serializer = new ByteArraySerializer();
        try (var producer = new KafkaProducer<>(where, serializer, serializer)) {
            for (int i = 0; i < count; i++) {
                int begin = random.nextInt(letters.length - 200);
                String value = text.substring(begin, begin + 50 + random.nextInt(101));
                producer.send(new ProducerRecord<>(topic, value.getBytes(StandardCharsets.US_ASCII)));
            }
        }
    }

    private static void prepare(Map<String, Object> where, String topic)
            throws ExecutionException, InterruptedException {
        try (Admin admin = Admin.create(where)) {
            admin.createTopics(List.of(new NewTopic(topic, PARTITIONS, (short) 1))).all().get();
            ConfigEntry earliest = new ConfigEntry("share.auto.offset.reset", "earliest");
            AlterConfigOp set = new AlterConfigOp(earliest, AlterConfigOp.OpType.SET);
            ConfigResource group = new ConfigResource(ConfigResource.Type.GROUP, topic);
            admin.incrementalAlterConfigs(Map.of(group, List.of(set))).all().get();
        }
    }

    private static double read(Map<String, Object> where, String topic, int count) {
        ByteArrayDeserializer deserializer = new ByteArrayDeserializer();
        Map<String, Object> settings = new java.util.HashMap<>(where);
        settings.put("group.id", topic);
        try (var consumer = new KafkaShareConsumer<>(settings, deserializer, deserializer)) {
            consumer.subscribe(List.of(topic));
            long begin = 0;
            long first = 0;
            long read = 0;
            long deadline = System.nanoTime() + TIMEOUT_NS;
            while (read < count) {
                int got = consumer.poll(PATIENCE).count();
                if (got > 0 && begin == 0) {
                    begin = System.nanoTime();
                    first = got;
                }
                read += got;
                if (System.nanoTime() > deadline) {
                    throw new IllegalStateException("only " + read + " records came");
                }
            }
            return (read - first) * 1e9 / (System.nanoTime() - begin);
        }
    }

    public static void main(String[] arguments) throws ExecutionException, InterruptedException {
        Map<String, Object> where = Map.of("bootstrap.servers", arguments[0]);
        String topic = arguments[1];
        int count = Integer.parseInt(arguments[3]);
        prepare(where, topic);
        store(where, topic, Long.parseLong(arguments[2]), count);
        System.out.printf("{\"share\": {\"records_per_s\": %.0f}}%n", read(where, topic, count));
    }
}
