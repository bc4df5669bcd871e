import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.ForeachAction;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;

/**
 * Counts words exactly once, from a topic of lines by way of a repartition topic and a store with a
 * changelog to a topic of counts, until stdin ends.
 *
 * <p>Arguments: bootstrap servers, application id, input topic, output topic, after how many counts
 * it stands still in the middle of a transaction (0: never), and configs as NAME=VALUE.
 */
final class WordCount {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private WordCount() {}

    public static void main(String[] arguments) throws Exception {
        Properties configs = new Properties();
        configs.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, arguments[0]);
        configs.put(StreamsConfig.APPLICATION_ID_CONFIG, arguments[1]);
        configs.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
        for (String config : List.of(arguments).subList(5, arguments.length)) {
            String[] parts = config.split("=", 2);
            configs.put(parts[0], parts[1]);
        }
        long stillAfter = Long.parseLong(arguments[4]);
        KafkaStreams streams =
                new KafkaStreams(topology(arguments[2], arguments[3], stillAfter), configs);
        streams.setUncaughtExceptionHandler(failure -> {
            failure.printStackTrace();
            Runtime.getRuntime().halt(1);
            return null;
        });
        streams.start();
        while (System.in.read() != -1) {
            // what is written to stdin does not matter
        }
        if (!streams.close(TIMEOUT)) {
            throw new IllegalStateException("not closed in " + TIMEOUT);
        }
    }

    private static Topology topology(String input, String output, long stillAfter) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, Long> counts =
                builder.stream(input, Consumed.with(Serdes.String(), Serdes.String()))
                        .flatMapValues(line -> List.of(line.toLowerCase(Locale.ROOT).split(" ")))
                        .groupBy((key, word) -> word, Grouped.with("words", Serdes.String(), Serdes.String()))
                        .count(Materialized.as("counts"))
                        .toStream();
        counts.to(output, Produced.with(Serdes.String(), Serdes.Long()));
        counts.foreach(standingStillAfter(stillAfter));
        return builder.build();
    }

    /** Once it has handed over so many counts, the thread that would commit them never goes on. */
    private static ForeachAction<String, Long> standingStillAfter(long counts) {
        AtomicLong counted = new AtomicLong();
        return (word, count) -> {
            if (counted.incrementAndGet() == counts) {
                new Semaphore(0).acquireUninterruptibly();
            }
        };
    }
}
