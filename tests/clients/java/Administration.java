import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;

/** What an administrator does with topics, configs, groups and records. */
final class Administration {
    private final Map<String, Admin> admins = new HashMap<>();

    Map<String, Client.Command> commands() {
        return Map.ofEntries(
                Map.entry("create-topic", Client.done(this::createTopic)),
                Map.entry("topics", words -> sorted(admin(words).listTopics().names().get())),
                Map.entry("partition-count", words -> List.of(String.valueOf(
                        Release.describeTopic(admin(words), words.get(1)).partitions().size()))),
                Map.entry("topic-config", this::topicConfig),
                Map.entry("alter-topic-config", Client.done(this::alterTopicConfig)),
                Map.entry("create-partitions", Client.done(words -> admin(words)
                        .createPartitions(Map.of(
                                words.get(1),
                                NewPartitions.increaseTo(Integer.parseInt(words.get(2)))))
                        .all()
                        .get())),
                Map.entry("groups", words -> sorted(Release.groups(admin(words)))),
                Map.entry("group", this::group),
                Map.entry("delete-group", Client.done(words -> admin(words)
                        .deleteConsumerGroups(List.of(words.get(1)))
                        .all()
                        .get())),
                Map.entry("delete-records", this::deleteRecords),
                Map.entry("delete-topic", Client.done(words -> admin(words)
                        .deleteTopics(List.of(words.get(1)))
                        .all()
                        .get())));
    }

    private Admin admin(List<String> words) {
        return admins.computeIfAbsent(
                words.get(0), servers -> Admin.create(Map.of("bootstrap.servers", servers)));
    }

    private void createTopic(List<String> words) throws Exception {
        Map<String, String> configs = words.subList(3, words.size()).stream()
                .map(config -> config.split("=", 2))
                .collect(Collectors.toMap(parts -> parts[0], parts -> parts[1]));
        NewTopic topic = new NewTopic(words.get(1), Integer.parseInt(words.get(2)), (short) 1);
        admin(words).createTopics(List.of(topic.configs(configs))).all().get();
    }

    private List<String> topicConfig(List<String> words) throws Exception {
        ConfigResource topic = topic(words);
        return List.of(admin(words)
                .describeConfigs(List.of(topic))
                .all()
                .get()
                .get(topic)
                .get(words.get(2))
                .value());
    }

    private void alterTopicConfig(List<String> words) throws Exception {
        AlterConfigOp change = new AlterConfigOp(
                new ConfigEntry(words.get(2), words.get(3)), AlterConfigOp.OpType.SET);
        admin(words).incrementalAlterConfigs(Map.of(topic(words), List.of(change))).all().get();
    }

    private static ConfigResource topic(List<String> words) {
        return new ConfigResource(ConfigResource.Type.TOPIC, words.get(1));
    }

    private List<String> group(List<String> words) throws Exception {
        ConsumerGroupDescription group = admin(words)
                .describeConsumerGroups(List.of(words.get(1)))
                .all()
                .get()
                .get(words.get(1));
        return List.of(Release.state(group), String.valueOf(group.members().size()));
    }

    private List<String> deleteRecords(List<String> words) throws Exception {
        TopicPartition partition =
                new TopicPartition(words.get(1), Integer.parseInt(words.get(2)));
        RecordsToDelete before = RecordsToDelete.beforeOffset(Long.parseLong(words.get(3)));
        return List.of(String.valueOf(admin(words)
                .deleteRecords(Map.of(partition, before))
                .lowWatermarks()
                .get(partition)
                .get()
                .lowWatermark()));
    }

    private static List<String> sorted(Collection<String> names) {
        return names.stream().sorted().collect(Collectors.toList());
    }
}
