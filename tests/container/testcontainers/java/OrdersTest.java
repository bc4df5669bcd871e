import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.testcontainers.kafka.KafkaContainer;
import org.testcontainers.utility.DockerImageName;

class OrdersTest {
    private static final DockerImageName IMAGE =
            DockerImageName.parse("mockbroker").asCompatibleSubstituteFor("apache/kafka");
    private static final KafkaContainer KAFKA = new KafkaContainer(IMAGE)
            .withExposedPorts(9092, 8092)
            .withEnv("MOCKBROKER_ADMIN_TOKEN", "secret")
            .withEnv("MOCKBROKER_KAFKA_VERSION", "3.9")
            .withEnv("MOCKBROKER_TOPICS", "orders:1");

    @BeforeAll
    static void start() {
        KAFKA.start();
    }

    @AfterAll
    static void stop() {
        KAFKA.stop();
    }

    @Test
    void aCommitWhoseResponseIsLostIsCommittedOnce() throws Exception {
        post("faults", "{\"id\": \"lost\", \"match\": {\"api\": \"EndTxn\"},"
                + " \"effect\": {\"lose_response\": \"after_apply\"}}");

        Map<String, Object> till = Map.of(
                "bootstrap.servers", KAFKA.getBootstrapServers(), "transactional.id", "till");
        try (var producer = new KafkaProducer<>(till, new StringSerializer(), new StringSerializer())) {
            producer.initTransactions();
            producer.beginTransaction();
            producer.send(new ProducerRecord<>("orders", "order-1"));
            producer.commitTransaction();
        }

        Map<String, Object> shop = Map.of(
                "bootstrap.servers", KAFKA.getBootstrapServers(),
                "group.id", "shop",
                "auto.offset.reset", "earliest",
                "isolation.level", "read_committed");
        try (var consumer = new KafkaConsumer<>(shop, new StringDeserializer(), new StringDeserializer())) {
            consumer.subscribe(List.of("orders"));
            var records = consumer.poll(Duration.ofSeconds(30));
            assertEquals("order-1", records.iterator().next().value());
        }

        assertTrue(answer(request("faults/lost")).contains("\"hits\":1"));
        assertTrue(post("assertions", "{\"assertions\": [{\"name\": \"exactly-once\"}]}").contains("\"ok\":true"));
    }

    private static String post(String path, String document) throws Exception {
        return answer(request(path)
                .header("Content-Type", "application/json")
                .header("Authorization", "Bearer secret")
                .POST(BodyPublishers.ofString(document)));
    }

    private static HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(
                "http://" + KAFKA.getHost() + ":" + KAFKA.getMappedPort(8092) + "/api/v1/" + path));
    }

    private static String answer(HttpRequest.Builder request) throws Exception {
        var response = HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
        assertEquals(2, response.statusCode() / 100, response.body());
        return response.body();
    }
}
