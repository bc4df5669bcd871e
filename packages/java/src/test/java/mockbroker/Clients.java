package mockbroker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Real clients of the tests. */
final class Clients {
  static final Duration SOON = Duration.ofSeconds(20);
  static final String TRANSACTIONAL_ID = "orders-svc";

  private Clients() {}

  static KafkaProducer<String, String> producer(Mockbroker cluster, Map<String, Object> settings) {
    Map<String, Object> all = new HashMap<>();
    all.put("bootstrap.servers", cluster.bootstrapServers());
    all.put("retry.backoff.ms", 1);
    all.put("reconnect.backoff.ms", 1);
    all.putAll(settings);
    return new KafkaProducer<>(all, new StringSerializer(), new StringSerializer());
  }

  static KafkaProducer<String, String> transactional(Mockbroker cluster) {
    return producer(cluster, Map.of("transactional.id", TRANSACTIONAL_ID));
  }

  static void send(KafkaProducer<String, String> producer, String... values) {
    for (String value : values) {
      producer.send(new ProducerRecord<>("orders", 0, null, value));
    }
    producer.flush();
  }

  /** Read so many values of the topic, and commit their offsets. */
  static List<String> read(Mockbroker cluster, String group, int count) {
    Map<String, Object> settings =
        Map.of(
            "bootstrap.servers", cluster.bootstrapServers(),
            "group.id", group,
            "auto.offset.reset", "earliest",
            "isolation.level", "read_committed");
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
      consumer.subscribe(List.of("orders"));
      List<String> values = new ArrayList<>();
      long end = System.nanoTime() + SOON.toNanos();
      while (values.size() < count && System.nanoTime() < end) {
        for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(100))) {
          values.add(record.value());
        }
      }
      consumer.commitSync();
      return values;
    }
  }
}
