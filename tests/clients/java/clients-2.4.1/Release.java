import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.ConsumerGroupListing;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.TopicPartition;

/** What this release calls what the other one names otherwise. */
final class Release {
    private Release() {}

    /** Adds offsets to the transaction, as no member of the group. */
    static void sendOffsets(
            KafkaProducer<String, String> producer,
            Map<TopicPartition, OffsetAndMetadata> offsets,
            String group) {
        producer.sendOffsetsToTransaction(offsets, group);
    }

    /** Adds offsets to the transaction; before 2.5 nobody says which member they come from. */
    static void sendOffsets(
            KafkaProducer<String, String> producer,
            Map<TopicPartition, OffsetAndMetadata> offsets,
            String group,
            KafkaConsumer<String, String> member) {
        producer.sendOffsetsToTransaction(offsets, group);
    }

    static TopicDescription describeTopic(Admin admin, String topic) throws Exception {
        return admin.describeTopics(List.of(topic)).all().get().get(topic);
    }

    static Collection<String> groups(Admin admin) throws Exception {
        return admin.listConsumerGroups().all().get().stream()
                .map(ConsumerGroupListing::groupId)
                .collect(Collectors.toList());
    }

    static String state(ConsumerGroupDescription group) {
        return group.state().toString();
    }
}
