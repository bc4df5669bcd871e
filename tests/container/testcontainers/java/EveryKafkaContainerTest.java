import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.Test;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.kafka.ConfluentKafkaContainer;
import org.testcontainers.utility.DockerImageName;

/** Every other class of the module starts the image, too. */
class EveryKafkaContainerTest {
    @Test
    void confluentKafkaContainer() throws Exception {
        var kafka = new ConfluentKafkaContainer(image("mockbroker"));
        startAndAsk(kafka, kafka::getBootstrapServers);
    }

    @Test
    @SuppressWarnings("deprecation")
    void olderKafkaContainerWithZooKeeper() throws Exception {
        var kafka = new org.testcontainers.containers.KafkaContainer(image("mockbroker"));
        startAndAsk(kafka, kafka::getBootstrapServers);
    }

    @Test
    @SuppressWarnings("deprecation")
    void olderKafkaContainerWithKRaft() throws Exception {
        var kafka = new org.testcontainers.containers.KafkaContainer(image("mockbroker:8.0.0")).withKraft();
        startAndAsk(kafka, kafka::getBootstrapServers);
    }

    private interface Address {
        String get();
    }

    private static DockerImageName image(String name) {
        return DockerImageName.parse(name).asCompatibleSubstituteFor("confluentinc/cp-kafka");
    }

    private static void startAndAsk(GenericContainer<?> kafka, Address address) throws Exception {
        try (kafka) {
            kafka.start();
            try (Admin admin = Admin.create(Map.of("bootstrap.servers", address.get()))) {
                var nodes = admin.describeCluster().nodes().get();
                assertEquals(1, nodes.size());
                assertEquals(
                        address.get().replace("PLAINTEXT://", ""),
                        nodes.iterator().next().host() + ":" + nodes.iterator().next().port());
            }
        }
    }
}
