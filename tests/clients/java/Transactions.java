import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
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

/** Does what the lines on stdin say, one answer line each; support/client_program.py has the words. */
final class Transactions {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    /** Closing waits for the fetch under way. */
    private static final int FETCH_MAX_WAIT_MS = 50;

    private final Map<String, KafkaProducer<String, String>> producers = new HashMap<>();

    public static void main(String[] arguments) throws Exception {
        Transactions transactions = new Transactions();
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            List<String> words = Arrays.asList(line.split("\t", -1));
            System.out.println(transactions.answer(words.get(0), words.subList(1, words.size())));
        }
    }

    private String answer(String command, List<String> words) {
        try {
            List<String> answer = new ArrayList<>(List.of("ok"));
            answer.addAll(run(command, words));
            return String.join("\t", answer);
        } catch (Exception exception) {
            Throwable cause = isWrapping(exception) ? exception.getCause() : exception;
            return String.join("\t", "error", cause.getClass().getSimpleName(),
                    String.valueOf(cause).replaceAll("\\s+", " "));
        }
    }

    private static boolean isWrapping(Exception exception) {
        return exception instanceof ExecutionException
                || exception instanceof InvocationTargetException;
    }

    private List<String> run(String command, List<String> words) throws Exception {
        if (command.equals("open")) {
            open(words.get(0), words.get(1), words.get(2), words.get(3));
            return List.of();
        }
        if (command.equals("read")) {
            TopicPartition partition =
                    new TopicPartition(words.get(1), Integer.parseInt(words.get(2)));
            return read(words.get(0), partition, words.get(3), words.get(4));
        }
        KafkaProducer<String, String> producer = producers.get(words.get(0));
        switch (command) {
            case "begin" -> producer.beginTransaction();
            case "send" -> producer.send(new ProducerRecord<>(
                    words.get(1), Integer.parseInt(words.get(2)), null, words.get(3))).get();
            case "offsets" -> sendOffsets(
                    producer,
                    words.get(1),
                    Map.of(
                            new TopicPartition(words.get(2), Integer.parseInt(words.get(3))),
                            new OffsetAndMetadata(Long.parseLong(words.get(4)))));
            case "commit" -> producer.commitTransaction();
            case "abort" -> producer.abortTransaction();
            case "close" -> producers.remove(words.get(0)).close(Duration.ZERO);
            default -> throw new IllegalArgumentException(command);
        }
        return List.of();
    }

    private void open(
            String name, String bootstrapServers, String transactionalId, String timeoutMs) {
        KafkaProducer<String, String> producer = new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers", bootstrapServers,
                        "transactional.id", transactionalId,
                        "transaction.timeout.ms", timeoutMs,
                        "max.block.ms", (int) TIMEOUT.toMillis()),
                new StringSerializer(),
                new StringSerializer());
        producers.put(name, producer);
        producer.initTransactions();
    }

    /** The group is named by its id up to 3.9, by its metadata from 2.5 on. */
    private static void sendOffsets(
            KafkaProducer<String, String> producer,
            String groupId,
            Map<TopicPartition, OffsetAndMetadata> offsets)
            throws Exception {
        for (Method method : KafkaProducer.class.getMethods()) {
            if (!method.getName().equals("sendOffsetsToTransaction")) {
                continue;
            }
            Class<?> groupType = method.getParameterTypes()[1];
            Object group = groupType == String.class
                    ? groupId
                    : groupType.getConstructor(String.class).newInstance(groupId);
            method.invoke(producer, offsets, group);
            return;
        }
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
