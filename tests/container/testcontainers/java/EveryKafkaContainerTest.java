import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.kafka.ConfluentKafkaContainer;
import org.testcontainers.utility.DockerImageName;

/** Every other class of the module starts the image, too. */
class EveryKafkaContainerTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @Test
    void confluentKafkaContainer() {
        var kafka = new ConfluentKafkaContainer(image("mockbroker"));
        transact(kafka, kafka::getBootstrapServers);
    }

    @Test
    @SuppressWarnings("deprecation")
    void olderKafkaContainerWithZooKeeper() {
        var kafka = new org.testcontainers.containers.KafkaContainer(image("mockbroker"));
        transact(kafka, kafka::getBootstrapServers);
    }

    @Test
    @SuppressWarnings("deprecation")
    void olderKafkaContainerWithKRaft() {
        var kafka = new org.testcontainers.containers.KafkaContainer(image("mockbroker:8.0.0")).withKraft();
        transact(kafka, kafka::getBootstrapServers);
    }

    private interface Address {
        String get();
    }

    private static DockerImageName image(String name) {
        return DockerImageName.parse(name).asCompatibleSubstituteFor("confluentinc/cp-kafka");
    }

    private static void transact(GenericContainer<?> kafka, Address address) {
        try (kafka) {
            kafka.start();
            Map<String, Object> configs = Map.of(
                    "bootstrap.servers", address.get(),
                    "transactional.id", "till",
                    "group.id", "shop",
                    "auto.offset.reset", "earliest",
                    "isolation.level", "read_committed");
            try (var producer = new KafkaProducer<>(configs, new StringSerializer(), new StringSerializer());
                    var consumer = new KafkaConsumer<>(configs, new StringDeserializer(), new StringDeserializer())) {
                producer.initTransactions();
                producer.beginTransaction();
                producer.send(new ProducerRecord<>("orders", "order-1"));
                producer.commitTransaction();
                consumer.subscribe(List.of("orders"));
                assertEquals("order-1", consumer.poll(PATIENCE).iterator().next().value());
            }
        }
    }
}
