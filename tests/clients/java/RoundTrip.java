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

/** Creates a topic, produces the sample records and reads them back by assignment. */
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

    /** Takes bootstrap servers, topic, partitions, records and compression; returns the digests. */
    static List<String> run(List<String> words) throws Exception {
        RoundTrip roundTrip = new RoundTrip(
                words.get(0), Integer.parseInt(words.get(2)), Integer.parseInt(words.get(3)));
        String topic = words.get(1);
        roundTrip.createTopic(topic);
        roundTrip.produce(topic, words.get(4));
        Map<Integer, List<ConsumerRecord<byte[], byte[]>>> received = roundTrip.consume(topic);
        List<String> digests = new ArrayList<>();
        for (int partition = 0; partition < received.size(); partition++) {
            digests.add(SampleRecords.digest(received.get(partition)));
        }
        return digests;
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
            if (missing > 0) {
                throw new IllegalStateException(missing + " records are missing");
            }
        }
        return received;
    }
}
