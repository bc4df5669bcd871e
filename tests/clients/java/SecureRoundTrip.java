import java.io.FileInputStream;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Stores a record and reads it back, with the settings of a properties file. */
final class SecureRoundTrip {
    private SecureRoundTrip() {}

    /** Takes a file, a topic with one partition and a value; returns all values of the topic. */
    static List<String> run(List<String> words) throws Exception {
        Properties settings = new Properties();
        try (InputStream file = new FileInputStream(words.get(0))) {
            settings.load(file);
        }
        String topic = words.get(1);
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(
                settings, new StringSerializer(), new StringSerializer())) {
            producer.send(new ProducerRecord<>(topic, words.get(2))).get();
        }
        settings.setProperty("group.id", "secure");
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
                settings, new StringDeserializer(), new StringDeserializer())) {
            List<TopicPartition> partitions = List.of(new TopicPartition(topic, 0));
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            List<String> values = new ArrayList<>();
            while (!values.contains(words.get(2))) {
                for (ConsumerRecord<String, String> each : consumer.poll(Duration.ofSeconds(10))) {
                    values.add(each.value());
                }
            }
            return values;
        }
    }
}
