import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Transactional producers, and a reader of what they wrote. */
final class Producers {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final String LONG_TIMEOUT_MS = "60000";

    /** Closing waits for the fetch under way. */
    private static final int FETCH_MAX_WAIT_MS = 50;

    private final Map<String, KafkaProducer<String, String>> producers = new HashMap<>();

    Map<String, Client.Command> commands() {
        return Map.of(
                "open", Client.done(words -> producers.put(
                        words.get(0),
                        open(words.get(0), words.get(1), words.get(2), words.get(3)))),
                "begin", Client.done(words -> producers.get(words.get(0)).beginTransaction()),
                "send", Client.done(this::send),
                "repeat", Client.done(this::repeat),
                "offsets", Client.done(this::sendOffsets),
                "commit", Client.done(words -> producers.get(words.get(0)).commitTransaction()),
                "abort", Client.done(words -> producers.get(words.get(0)).abortTransaction()),
                "close", Client.done(words -> producers.remove(words.get(0)).close(Duration.ZERO)),
                "read", words -> read(
                        words.get(0),
                        new TopicPartition(words.get(1), Integer.parseInt(words.get(2))),
                        words.get(3),
                        words.get(4)));
    }

    static KafkaProducer<String, String> open(String bootstrapServers, String transactionalId) {
        return open(transactionalId, bootstrapServers, transactionalId, LONG_TIMEOUT_MS);
    }

    private static KafkaProducer<String, String> open(
            String clientId, String bootstrapServers, String transactionalId, String timeoutMs) {
        KafkaProducer<String, String> producer = new KafkaProducer<>(
                Map.of(
                        "client.id", clientId,
                        "bootstrap.servers", bootstrapServers,
                        "transactional.id", transactionalId,
                        "transaction.timeout.ms", timeoutMs,
                        "max.block.ms", (int) TIMEOUT.toMillis()),
                new StringSerializer(),
                new StringSerializer());
        producer.initTransactions();
        return producer;
    }

    private void send(List<String> words) throws Exception {
        String name = words.get(0);
        try {
            producers.get(name).send(record(words)).get();
        } catch (ExecutionException refused) {
            Transactors.awaitSender(name);
            throw refused;
        }
    }

    /** Commits transactions of one record each, back to back. */
    private void repeat(List<String> words) throws Exception {
        KafkaProducer<String, String> producer = producers.get(words.get(0));
        for (int left = Integer.parseInt(words.get(2)); left > 0; left--) {
            producer.beginTransaction();
            producer.send(new ProducerRecord<>(words.get(1), 0, null, "record-" + left)).get();
            producer.commitTransaction();
        }
    }

    private static ProducerRecord<String, String> record(List<String> words) {
        return new ProducerRecord<>(
                words.get(1), Integer.parseInt(words.get(2)), null, words.get(3));
    }

    private void sendOffsets(List<String> words) {
        TopicPartition partition =
                new TopicPartition(words.get(2), Integer.parseInt(words.get(3)));
        OffsetAndMetadata offset = new OffsetAndMetadata(Long.parseLong(words.get(4)));
        Release.sendOffsets(
                producers.get(words.get(0)), Map.of(partition, offset), words.get(1));
    }

    private static List<String> read(
            String bootstrapServers, TopicPartition partition, String isolationLevel, String last) {
        List<String> values = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers", bootstrapServers,
                        "isolation.level", isolationLevel,
                        "fetch.max.wait.ms", FETCH_MAX_WAIT_MS),
                new StringDeserializer(),
                new StringDeserializer())) {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            long deadline = System.nanoTime() + TIMEOUT.toNanos();
            while (!values.contains(last)) {
                if (System.nanoTime() > deadline) {
                    throw new IllegalStateException("read only " + values);
                }
                for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofSeconds(1))) {
                    values.add(record.value());
                }
            }
        }
        return values;
    }
}
