import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.sink.TransactionNamingStrategy;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Copies a topic exactly once, until it is killed. A task fails twice and is restarted.
 *
 * <p>Arguments: bootstrap servers, input topic, output topic, group, naming strategy of the
 * transactions, and after how many records the task fails.
 */
final class CopyJob {
    private static final AtomicInteger SEEN = new AtomicInteger();

    private CopyJob() {}

    public static void main(String[] arguments) throws Exception {
        Configuration configs = new Configuration();
        configs.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
        configs.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, 10);
        configs.set(
                RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(500));
        StreamExecutionEnvironment flink =
                StreamExecutionEnvironment.createLocalEnvironment(2, configs);
        flink.enableCheckpointing(400);
        KafkaSource<String> source =
                KafkaSource.<String>builder()
                        .setBootstrapServers(arguments[0])
                        .setTopics(arguments[1])
                        .setGroupId(arguments[3])
                        .setStartingOffsets(OffsetsInitializer.earliest())
                        .setProperty("isolation.level", "read_committed")
                        .setValueOnlyDeserializer(new SimpleStringSchema())
                        .build();
        KafkaSink<String> sink =
                KafkaSink.<String>builder()
                        .setBootstrapServers(arguments[0])
                        .setRecordSerializer(
                                KafkaRecordSerializationSchema.builder()
                                        .setTopic(arguments[2])
                                        .setValueSerializationSchema(new SimpleStringSchema())
                                        .build())
                        .setDeliveryGuarantee(DeliveryGuarantee.EXACTLY_ONCE)
                        .setTransactionalIdPrefix(arguments[3])
                        .setTransactionNamingStrategy(
                                TransactionNamingStrategy.valueOf(arguments[4]))
                        .setProperty("transaction.timeout.ms", "60000")
                        .build();
        int failsAfter = Integer.parseInt(arguments[5]);
        flink.fromSource(source, WatermarkStrategy.noWatermarks(), "lines")
                .map(failingAfter(failsAfter))
                .sinkTo(sink);
        flink.execute("copy");
    }

    private static MapFunction<String, String> failingAfter(int failsAfter) {
        return line -> {
            int count = SEEN.incrementAndGet();
            if (count == failsAfter || count == 2 * failsAfter) {
                throw new IllegalStateException("record " + count);
            }
            return line;
        };
    }
}
