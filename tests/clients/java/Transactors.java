import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringSerializer;

/** Producers whose every call tells what it raised, and what was raised to the callbacks meanwhile. */
final class Transactors {
    /** One call of a producer. */
    private interface Step {
        void run() throws Exception;
    }

    private final Map<String, KafkaProducer<String, String>> producers = new HashMap<>();
    private final Map<String, List<String>> reports = new HashMap<>();

    Map<String, Client.Command> commands() {
        return Map.of(
                "transactor", Client.done(words -> make(words.get(0), words.subList(1, words.size()))),
                "attempt", words -> attempt(words.get(0), words.get(1), words.subList(2, words.size())),
                "reports", words -> reported(words.get(0)),
                "dismiss", Client.done(words -> producers.remove(words.get(0)).close(Duration.ZERO)));
    }

    private void make(String name, List<String> settings) {
        Map<String, Object> configs = new HashMap<>();
        for (String setting : settings) {
            String[] parts = setting.split("=", 2);
            configs.put(parts[0], parts[1]);
        }
        producers.put(name, new KafkaProducer<>(configs, new StringSerializer(), new StringSerializer()));
        reports.put(name, new ArrayList<>());
    }

    private List<String> attempt(String name, String call, List<String> words) {
        try {
            step(name, call, words).run();
            return List.of();
        } catch (Exception exception) {
            return chain(exception);
        }
    }

    private Step step(String name, String call, List<String> words) {
        KafkaProducer<String, String> producer = producers.get(name);
        switch (call) {
            case "init_transactions":
                return producer::initTransactions;
            case "begin_transaction":
                return producer::beginTransaction;
            case "send":
                return () -> send(name, words);
            case "flush":
                return producer::flush;
            case "send_offsets_to_transaction":
                return () -> Release.sendOffsets(producer, offsets(words), words.get(0));
            case "commit_transaction":
                return producer::commitTransaction;
            case "abort_transaction":
                return producer::abortTransaction;
            default:
                throw new IllegalArgumentException(call);
        }
    }

    private void send(String name, List<String> words) {
        List<String> told = reports.get(name);
        producers.get(name).send(
                new ProducerRecord<>(words.get(0), Integer.parseInt(words.get(1)), null, words.get(2)),
                (metadata, exception) -> {
                    if (exception != null) {
                        synchronized (told) {
                            told.add(String.join(" < ", chain(exception)));
                        }
                    }
                });
    }

    private static Map<TopicPartition, OffsetAndMetadata> offsets(List<String> words) {
        return Map.of(
                new TopicPartition(words.get(1), Integer.parseInt(words.get(2))),
                new OffsetAndMetadata(Long.parseLong(words.get(3))));
    }

    private List<String> reported(String name) {
        awaitSender(name);
        List<String> told = reports.get(name);
        synchronized (told) {
            List<String> all = new ArrayList<>(told);
            told.clear();
            return all;
        }
    }

    /**
     * Waits until the thread of a client id waits for the network. Calls return before it has drawn its
     * conclusions from what made them return, and what the next call raises would be chance.
     */
    static void awaitSender(String clientId) {
        Thread sender = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().endsWith("| " + clientId))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no thread of " + clientId));
        while (Arrays.stream(sender.getStackTrace())
                .noneMatch(frame -> frame.getMethodName().equals("select"))) {
            Thread.onSpinWait();
        }
    }

    /** Returns what was raised, and what that was caused by. */
    private static List<String> chain(Throwable raised) {
        List<String> names = new ArrayList<>();
        for (Throwable each = raised; each != null; each = each.getCause()) {
            String name = each.getClass().getSimpleName();
            if (!name.equals("ExecutionException")
                    && (names.isEmpty() || !names.get(names.size() - 1).equals(name))) {
                names.add(name);
            }
        }
        return names;
    }
}
