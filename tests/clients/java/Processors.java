import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;

/** The exactly-once loop: what is read, what is made of it, and how far it was read, in one transaction. */
final class Processors {
    private static final Duration POLL = Duration.ofMillis(100);
    private static final int RECORDS_MAX = 10;

    private final Map<String, Processor> processors = new HashMap<>();
    private final String groupProtocol;

    Processors(String groupProtocol) {
        this.groupProtocol = groupProtocol;
    }

    Map<String, Client.Command> commands() {
        return Map.of(
                "processor", Client.done(words -> processors.put(
                        words.get(0), new Processor(words.subList(1, words.size()), groupProtocol))),
                "process", words -> processors.get(words.get(0)).process(words.get(1)),
                "stop", Client.done(words -> processors.remove(words.get(0)).stop()));
    }

    private static final class Processor {
        private final String group;
        private final String output;
        private final KafkaConsumer<String, String> consumer;
        private final KafkaProducer<String, String> producer;

        Processor(List<String> words, String groupProtocol) {
            group = words.get(2);
            output = words.get(4);
            Map<String, Object> configs =
                    Map.of("isolation.level", "read_committed", "max.poll.records", RECORDS_MAX);
            consumer = Members.join(words.get(0), group, words.get(3), groupProtocol, configs);
            producer = Producers.open(words.get(0), words.get(1));
        }

        List<String> process(String outcome) {
            ConsumerRecords<String, String> records = consumer.poll(POLL);
            if (records.isEmpty()) {
                return List.of();
            }
            producer.beginTransaction();
            Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
            for (ConsumerRecord<String, String> record : records) {
                String value = record.value().toUpperCase(Locale.ROOT);
                producer.send(new ProducerRecord<>(output, record.partition(), null, value));
                offsets.put(
                        new TopicPartition(record.topic(), record.partition()),
                        new OffsetAndMetadata(record.offset() + 1));
            }
            producer.flush(); // an abort would drop what has not been sent yet
            Release.sendOffsets(producer, offsets, group, consumer);
            if (outcome.equals("commit")) {
                producer.commitTransaction();
            } else {
                producer.abortTransaction();
            }
            return Members.texts(records);
        }

        void stop() {
            consumer.close();
            producer.close();
        }
    }
}
