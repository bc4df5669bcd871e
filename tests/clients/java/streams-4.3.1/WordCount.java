import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;

/**
 * Counts words exactly once, from a topic of lines by way of a repartition topic and a store with a
 * changelog to a topic of counts, until stdin ends.
 *
 * <p>Arguments: bootstrap servers, application id, input topic, output topic, and configs as
 * NAME=VALUE.
 */
final class WordCount {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private WordCount() {}

    public static void main(String[] arguments) throws Exception {
        Properties configs = new Properties();
        configs.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, arguments[0]);
        configs.put(StreamsConfig.APPLICATION_ID_CONFIG, arguments[1]);
        configs.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
        for (String config : List.of(arguments).subList(4, arguments.length)) {
            String[] parts = config.split("=", 2);
            configs.put(parts[0], parts[1]);
        }
        KafkaStreams streams = new KafkaStreams(topology(arguments[2], arguments[3]), configs);
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

    private static Topology topology(String input, String output) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream(input, Consumed.with(Serdes.String(), Serdes.String()))
                .flatMapValues(line -> List.of(line.toLowerCase(Locale.ROOT).split(" ")))
                .groupBy((key, word) -> word, Grouped.with("words", Serdes.String(), Serdes.String()))
                .count(Materialized.as("counts"))
                .toStream()
                .to(output, Produced.with(Serdes.String(), Serdes.Long()));
        return builder.build();
    }
}
