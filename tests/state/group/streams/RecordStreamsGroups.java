import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiFunction;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.FencedMemberEpochException;
import org.apache.kafka.common.errors.StreamsInvalidTopologyException;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.coordinator.common.runtime.CoordinatorMetadataDelta;
import org.apache.kafka.coordinator.common.runtime.CoordinatorMetadataImage;
import org.apache.kafka.coordinator.group.api.streams.assignor.MemberAssignment;
import org.apache.kafka.coordinator.group.api.streams.assignor.TopologyDescriber;
import org.apache.kafka.coordinator.group.generated.StreamsGroupTopologyValue.CopartitionGroup;
import org.apache.kafka.coordinator.group.generated.StreamsGroupTopologyValue.Subtopology;
import org.apache.kafka.coordinator.group.generated.StreamsGroupTopologyValue.TopicInfo;
import org.apache.kafka.coordinator.group.streams.CurrentAssignmentBuilder;
import org.apache.kafka.coordinator.group.streams.MemberState;
import org.apache.kafka.coordinator.group.streams.StreamsGroupMember;
import org.apache.kafka.coordinator.group.streams.StreamsTopology;
import org.apache.kafka.coordinator.group.streams.TasksTuple;
import org.apache.kafka.coordinator.group.streams.TasksTupleWithEpochs;
import org.apache.kafka.coordinator.group.streams.assignor.AssignmentConfigsImpl;
import org.apache.kafka.coordinator.group.streams.assignor.GroupSpecImpl;
import org.apache.kafka.coordinator.group.streams.assignor.MemberMetadataAndStateImpl;
import org.apache.kafka.coordinator.group.streams.assignor.StickyTaskAssignor;
import org.apache.kafka.coordinator.group.streams.topics.ConfiguredInternalTopic;
import org.apache.kafka.coordinator.group.streams.topics.ConfiguredTopology;
import org.apache.kafka.coordinator.group.streams.topics.InternalTopicManager;
import org.slf4j.helpers.NOPLogger;

/**
 * Passes cases to the classes of Kafka's group coordinator. The argument is `assignments`, `reconciliations` or
 * `topologies`; each line of stdin is a case, and each line of stdout its result.
 */
public final class RecordStreamsGroups {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private RecordStreamsGroups() {}

    public static void main(String[] arguments) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            JsonNode given = MAPPER.readTree(line);
            Object result =
                    switch (arguments[0]) {
                        case "assignments" -> assignments(given);
                        case "reconciliations" -> reconciliation(given);
                        default -> topology(given);
                    };
            System.out.println(MAPPER.writeValueAsString(result));
        }
    }

    // Assignments

    private static Object assignments(JsonNode given) {
        Map<String, MemberMetadataAndStateImpl> members = new HashMap<>();
        for (JsonNode each : given.get("members")) {
            members.put(
                    each.get(0).asText(),
                    new MemberMetadataAndStateImpl(
                            Optional.empty(),
                            Optional.empty(),
                            each.get(1).asText(),
                            Map.of(),
                            tasks(each.get(2)),
                            tasks(each.get(3)),
                            Map.of(),
                            MAPPER.convertValue(each.get(4), new TypeReference<Map<String, Map<Integer, Long>>>() {}),
                            Map.of()));
        }
        GroupSpecImpl group =
                new GroupSpecImpl(members, new AssignmentConfigsImpl(given.get("standby").asInt(), List.of()));
        Map<String, Object> result = new LinkedHashMap<>();
        new StickyTaskAssignor()
                .assign(group, new Described(given.get("topology")))
                .members()
                .forEach((memberId, assigned) -> result.put(memberId, assigned(assigned)));
        return result;
    }

    private static List<Object> assigned(MemberAssignment member) {
        return List.of(sorted(member.activeTasks()), sorted(member.standbyTasks()));
    }

    /** Subtopologies by their numbers of tasks, and whether they have state. */
    private record Described(JsonNode topology) implements TopologyDescriber {
        @Override
        public List<String> subtopologies() {
            List<String> names = new ArrayList<>();
            topology.fieldNames().forEachRemaining(names::add);
            return names;
        }

        @Override
        public int maxNumInputPartitions(String name) {
            return topology.get(name).get(0).asInt();
        }

        @Override
        public boolean isStateful(String name) {
            return topology.get(name).get(1).asInt() == 1;
        }
    }

    // Reconciliations

    private static Object reconciliation(JsonNode given) {
        StreamsGroupMember member =
                StreamsGroupMember.Builder.withDefaults("m")
                        .setMemberEpoch(given.get("epoch").asInt())
                        .setPreviousMemberEpoch(given.get("epoch").asInt() - 1)
                        .setState(MemberState.fromValue((byte) given.get("state").asInt()))
                        .setProcessId("p0")
                        .setAssignedTasks(tasksWithEpochs(given.get("assigned")))
                        .setTasksPendingRevocation(tasksWithEpochs(given.get("pending")))
                        .build();
        CurrentAssignmentBuilder builder =
                new CurrentAssignmentBuilder(member)
                        .withTargetAssignment(given.get("target_epoch").asInt(), tasksTuple(given.get("target")))
                        .withCurrentActiveTaskProcessId(activeHolder(given.get("active")))
                        .withCurrentStandbyTaskProcessIds(holders(given.get("standby")))
                        .withCurrentWarmupTaskProcessIds(holders(given.get("warmup")));
        if (!given.get("owned").isNull()) {
            builder.withOwnedAssignment(tasksTuple(given.get("owned")));
        }
        try {
            StreamsGroupMember built = builder.build();
            return List.of(
                    built.memberEpoch(),
                    built.previousMemberEpoch(),
                    built.state().value(),
                    listed(built.assignedTasks()),
                    listed(built.tasksPendingRevocation()));
        } catch (FencedMemberEpochException fenced) {
            return null;
        }
    }

    private static BiFunction<String, Integer, String> activeHolder(JsonNode given) {
        return (name, partition) -> given.path(name + "_" + partition).textValue();
    }

    private static BiFunction<String, Integer, Set<String>> holders(JsonNode given) {
        return (name, partition) ->
                MAPPER.convertValue(given.get(name + "_" + partition), new TypeReference<Set<String>>() {});
    }

    private static TasksTuple tasksTuple(JsonNode roles) {
        return new TasksTuple(tasks(roles.path(0)), tasks(roles.path(1)), tasks(roles.path(2)));
    }

    private static TasksTupleWithEpochs tasksWithEpochs(JsonNode roles) {
        Map<String, Map<Integer, Integer>> active =
                MAPPER.convertValue(roles.get(0), new TypeReference<Map<String, Map<Integer, Integer>>>() {});
        return new TasksTupleWithEpochs(active, tasks(roles.get(1)), tasks(roles.get(2)));
    }

    private static List<Object> listed(TasksTupleWithEpochs tasks) {
        Map<String, Map<Integer, Integer>> active = new TreeMap<>();
        tasks.activeTasksWithEpochs().forEach((name, epochs) -> active.put(name, new TreeMap<>(epochs)));
        return List.of(active, sorted(tasks.standbyTasks()), sorted(tasks.warmupTasks()));
    }

    // Topologies

    private static Object topology(JsonNode given) {
        Map<String, Subtopology> subtopologies = new TreeMap<>();
        for (JsonNode each : given.get("subs")) {
            subtopologies.put(each.get("id").asText(), subtopology(each));
        }
        ConfiguredTopology configured;
        try {
            configured =
                    InternalTopicManager.configureTopics(
                            NOPLogger.NOP_LOGGER,
                            "group",
                            "member",
                            7,
                            new StreamsTopology(3, subtopologies),
                            new Topics(given.get("existing")),
                            Time.SYSTEM);
        } catch (StreamsInvalidTopologyException invalid) {
            return Map.of("invalid", invalid.getMessage());
        }
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("ready", configured.isReady());
        result.put(
                "status",
                configured
                        .topicConfigurationException()
                        .map(each -> List.of(each.status().code(), each.getMessage()))
                        .orElse(null));
        List<Object> created = new ArrayList<>();
        configured
                .internalTopicsToBeCreated()
                .values()
                .forEach(each -> created.add(List.of(each.name(), each.numPartitions(), each.replicationFactor())));
        result.put("create", created);
        result.put("subs", configured.subtopologies().map(RecordStreamsGroups::configured).orElse(null));
        return result;
    }

    private static Subtopology subtopology(JsonNode given) {
        List<CopartitionGroup> groups = new ArrayList<>();
        for (JsonNode each : given.get("groups")) {
            groups.add(new CopartitionGroup()
                    .setSourceTopics(List.of(MAPPER.convertValue(each.get(0), Short[].class)))
                    .setRepartitionSourceTopics(List.of(MAPPER.convertValue(each.get(1), Short[].class))));
        }
        return new Subtopology()
                .setSubtopologyId(given.get("id").asText())
                .setSourceTopics(Arrays.asList(MAPPER.convertValue(given.get("sources"), String[].class)))
                .setRepartitionSinkTopics(Arrays.asList(MAPPER.convertValue(given.get("sinks"), String[].class)))
                .setRepartitionSourceTopics(topicInfos(given.get("repartition")))
                .setStateChangelogTopics(topicInfos(given.get("changelog")))
                .setCopartitionGroups(groups);
    }

    private static List<TopicInfo> topicInfos(JsonNode given) {
        List<TopicInfo> infos = new ArrayList<>();
        for (JsonNode each : given) {
            infos.add(new TopicInfo()
                    .setName(each.get(0).asText())
                    .setPartitions(each.get(1).asInt())
                    .setReplicationFactor((short) each.get(2).asInt()));
        }
        return infos;
    }

    private static List<Object> configured(
            Map<String, org.apache.kafka.coordinator.group.streams.topics.ConfiguredSubtopology> subtopologies) {
        List<Object> listed = new ArrayList<>();
        subtopologies.forEach((name, each) -> listed.add(List.of(
                name,
                each.numberOfTasks(),
                internal(each.repartitionSourceTopics()),
                internal(each.stateChangelogTopics()))));
        return listed;
    }

    private static List<Object> internal(Map<String, ConfiguredInternalTopic> topics) {
        List<Object> listed = new ArrayList<>();
        new TreeMap<>(topics).values().forEach(each -> listed.add(
                List.of(each.name(), each.numberOfPartitions(), each.replicationFactor().orElse((short) 0))));
        return listed;
    }

    /** The topics of a cluster, by their numbers of partitions. */
    private record Topics(JsonNode existing) implements CoordinatorMetadataImage {
        @Override
        public Set<Uuid> topicIds() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Set<String> topicNames() {
            Set<String> names = new HashSet<>();
            existing.fieldNames().forEachRemaining(names::add);
            return names;
        }

        @Override
        public Optional<TopicMetadata> topicMetadata(String name) {
            JsonNode partitions = existing.get(name);
            return partitions == null ? Optional.empty() : Optional.of(new Topic(name, partitions.asInt()));
        }

        @Override
        public Optional<TopicMetadata> topicMetadata(Uuid topicId) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CoordinatorMetadataDelta emptyDelta() {
            throw new UnsupportedOperationException();
        }

        @Override
        public long version() {
            return 1;
        }

        @Override
        public boolean isEmpty() {
            return existing.isEmpty();
        }
    }

    private record Topic(String name, int partitionCount) implements CoordinatorMetadataImage.TopicMetadata {
        @Override
        public Uuid id() {
            return new Uuid(1, name.hashCode());
        }

        @Override
        public List<String> partitionRacks(int partition) {
            return List.of();
        }
    }

    // Tasks

    private static Map<String, Set<Integer>> tasks(JsonNode given) {
        Map<String, Set<Integer>> read =
                MAPPER.convertValue(given, new TypeReference<Map<String, Set<Integer>>>() {});
        return read == null ? Map.of() : read;
    }

    private static Map<String, List<Integer>> sorted(Map<String, Set<Integer>> tasks) {
        Map<String, List<Integer>> listed = new TreeMap<>();
        tasks.forEach((name, partitions) -> listed.put(name, partitions.stream().sorted().toList()));
        return listed;
    }
}
