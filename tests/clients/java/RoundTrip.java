import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Creates a topic, produces the sample records, reads them back by assignment, and prints one JSON
 * line with the digest of each partition; all of it once per compression.
 *
 * <p>Arguments: bootstrap servers, topic prefix, partitions, records, and the compressions.
 */
final class RoundTrip {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final String bootstrapServers;
    private final int partitionCount;
    private final int recordCount;

    private RoundTrip(String bootstrapServers, int partitionCount, int recordCount) {
        this.bootstrapServers = bootstrapServers;
        this.partitionCount = partitionCount;
        this.recordCount = recordCount;
    }

    public static void main(String[] arguments) throws Exception {
        RoundTrip roundTrip = new RoundTrip(
                arguments[0], Integer.parseInt(arguments[2]), Integer.parseInt(arguments[3]));
        for (String compression : List.of(arguments).subList(4, arguments.length)) {
            String topic = arguments[1] + "-" + compression;
            roundTrip.createTopic(topic);
            roundTrip.produce(topic, compression);
            print(topic, compression, roundTrip.consume(topic));
        }
    }

    private void createTopic(String topic) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers))) {
            NewTopic newTopic = new NewTopic(topic, partitionCount, (short) 1)
                    .configs(Map.of("retention.ms", "-1"));
            admin.createTopics(List.of(newTopic)).all().get();
        }
    }

    private void produce(String topic, String compression) throws Exception {
        Map<String, Object> configs = Map.of(
                "bootstrap.servers", bootstrapServers,
                "compression.type", compression,
                "linger.ms", 20,
                "acks", "all");
        List<Future<RecordMetadata>> answers = new ArrayList<>();
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                configs, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (int index = 0; index < recordCount; index++) {
                answers.add(producer.send(
                        SampleRecords.record(topic, index % partitionCount, index)));
            }
        }
        for (Future<RecordMetadata> answer : answers) {
            answer.get();
        }
    }

    private Map<Integer, List<ConsumerRecord<byte[], byte[]>>> consume(String topic) {
        List<TopicPartition> partitions = IntStream.range(0, partitionCount)
                .mapToObj(partition -> new TopicPartition(topic, partition))
                .collect(Collectors.toList());
        Map<Integer, List<ConsumerRecord<byte[], byte[]>>> received = new HashMap<>();
        partitions.forEach(partition -> received.put(partition.partition(), new ArrayList<>()));
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", bootstrapServers, "enable.auto.commit", false),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            long deadline = System.nanoTime() + TIMEOUT.toNanos();
            int missing = recordCount;
            while (missing > 0 && System.nanoTime() < deadline) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofSeconds(1))) {
                    received.get(record.partition()).add(record);
                    missing--;
                }
            }
        }
        return received;
    }

    private static void print(
            String topic, String compression, Map<Integer, List<ConsumerRecord<byte[], byte[]>>> received)
            throws Exception {
        List<String> digests = new ArrayList<>();
        for (int partition = 0; partition < received.size(); partition++) {
            digests.add('"' + SampleRecords.digest(received.get(partition)) + '"');
        }
        System.out.printf(
                "{\"topic\": \"%s\", \"compression\": \"%s\", \"records\": %d, \"sha256\": %s}%n",
                topic, compression, received.values().stream().mapToInt(List::size).sum(), digests);
    }
}
