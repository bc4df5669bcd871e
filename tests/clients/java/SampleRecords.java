import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;

/** The sample records and their digest, by the rules of tests/clients/support/records.py. */
final class SampleRecords {
    private static final long FIRST_TIMESTAMP_MS = 1_700_000_000_000L;

    private SampleRecords() {}

    static ProducerRecord<byte[], byte[]> record(String topic, int partition, int index) {
        byte[] key = index % 7 == 3 ? null : bytes("key-" + index % 997);
        byte[] value =
                index % 70 == 35 ? null : bytes("value-" + index + "-" + "kafka".repeat(index % 40));
        long timestampMs = FIRST_TIMESTAMP_MS + index * 7919L % 1_000_000;
        List<Header> headers = new ArrayList<>();
        for (int step = 0; step < index % 3; step++) {
            headers.add(new RecordHeader(
                    "step", bytes((index + step) % 13 == 0 ? "" : index + "/" + step)));
        }
        return new ProducerRecord<>(topic, partition, timestampMs, key, value, headers);
    }

    static String digest(List<ConsumerRecord<byte[], byte[]>> records) throws NoSuchAlgorithmException {
        MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
        for (ConsumerRecord<byte[], byte[]> record : records) {
            update(sha256, record.key());
            update(sha256, record.value());
            Header[] headers = record.headers().toArray();
            sha256.update(ByteBuffer.allocate(12)
                    .putLong(record.timestamp())
                    .putInt(headers.length)
                    .array());
            for (Header header : headers) {
                update(sha256, bytes(header.key()));
                update(sha256, header.value());
            }
        }
        StringBuilder hex = new StringBuilder();
        for (byte octet : sha256.digest()) {
            hex.append(String.format("%02x", octet));
        }
        return hex.toString();
    }

    private static void update(MessageDigest sha256, byte[] data) {
        sha256.update(ByteBuffer.allocate(4).putInt(data == null ? -1 : data.length).array());
        if (data != null) {
            sha256.update(data);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
