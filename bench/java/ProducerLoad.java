import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.StringJoiner;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Produces as fast as it can, as kafka-producer-perf-test does: no keys, values of 50 to 150 letters, the producer's
 * defaults. Prints one JSON object: a compression to its records per second and their mean latency.
 *
 * <p>java -cp "JARS/*" ProducerLoad.java BOOTSTRAP TOPIC SEED [PROPERTIES-FILE]
 */
public final class ProducerLoad {
    private static final long WARM_UP_NS = 1_000_000_000L;
    private static final long MEASURED_NS = 2_500_000_000L;
    private static final int VALUES = 10_007;

    private final String bootstrapServers;
    private final String topic;
    private final Properties more;
    private final byte[][] values = new byte[VALUES][];

    private ProducerLoad(String bootstrapServers, String topic, long seed, Properties more) {
        this.more = more;
        this.bootstrapServers = bootstrapServers;
        this.topic = topic;
        Random random = new Random(seed);
        for (int i = 0; i < VALUES; i++) {
            StringBuilder value = new StringBuilder();
            for (int left = 50 + random.nextInt(101); left > 0; left--) {
                value.append((char) ('A' + random.nextInt(26)));
            }
            values[i] = value.toString().getBytes(StandardCharsets.US_ASCII);
        }
    }

    /** Counts what was acknowledged and what failed; the producer's one thread calls it. */
    private static final class Tally {
        final AtomicLong acknowledged = new AtomicLong();
        final AtomicLong failed = new AtomicLong();
        final AtomicLong latencyNs = new AtomicLong();
        volatile long lastNs;
    }

    private Tally send(KafkaProducer<byte[], byte[]> producer, long durationNs) {
        Tally tally = new Tally();
        long begin = System.nanoTime();
        for (int i = 0; ; i++) {
            long sent = System.nanoTime();
            if (sent - begin > durationNs) {
                break;
            }
            producer.send(new ProducerRecord<>(topic, values[i % VALUES]), (metadata, error) -> {
                long now = System.nanoTime();
                if (error != null) {
                    tally.failed.incrementAndGet();
                } else {
                    tally.acknowledged.incrementAndGet();
                    tally.latencyNs.addAndGet(now - sent);
                }
                tally.lastNs = now;
            });
        }
        producer.flush();
        return tally;
    }

    private String measure(String compression) {
        Map<String, Object> configs = new HashMap<>();
        configs.put("bootstrap.servers", bootstrapServers);
        configs.put("compression.type", compression);
        more.forEach((name, value) -> configs.put((String) name, value));
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(configs, new ByteArraySerializer(), new ByteArraySerializer())) {
            int partitions = producer.partitionsFor(topic).size();
            send(producer, WARM_UP_NS);
            long begin = System.nanoTime();
            Tally tally = send(producer, MEASURED_NS);
            long acknowledged = tally.acknowledged.get();
            return String.format(
                    java.util.Locale.ROOT,
                    "{\"records_per_s\": %.1f, \"latency_ms\": %.3f, \"failed\": %d, \"partitions\": %d}",
                    acknowledged / ((tally.lastNs - begin) / 1e9),
                    tally.latencyNs.get() / 1e6 / Math.max(acknowledged, 1),
                    tally.failed.get(),
                    partitions);
        }
    }

    public static void main(String[] arguments) throws IOException {
        Properties more = new Properties();
        if (arguments.length > 3) {
            try (InputStream file = new FileInputStream(arguments[3])) {
                more.load(file);
            }
        }
        ProducerLoad load = new ProducerLoad(arguments[0], arguments[1], Long.parseLong(arguments[2]), more);
        StringJoiner phases = new StringJoiner(", ", "{", "}");
        phases.add("\"plain\": " + load.measure("none"));
        phases.add("\"lz4\": " + load.measure("lz4"));
        System.out.println(phases);
    }
}
