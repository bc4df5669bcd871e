import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.InvocationTargetException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.requests.AbstractRequest;

/**
 * Writes messages with Kafka's own generated classes (Kafka 4).
 *
 * Each line of the input is an object: the generated class, the version, the value by Kafka's field names and, for a
 * request, its API key and the error code to refuse it with. Each line of the output has the bytes in hex.
 */
public final class RecordMessages {
    private static final ObjectMapper JSON = new ObjectMapper();

    public static void main(String[] arguments) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            JsonNode in = JSON.readTree(line);
            ObjectNode out = JSON.createObjectNode();
            short version = (short) in.get("version").asInt();
            try {
                byte[] bytes = written(message(in, version), version);
                out.put("bytes", HexFormat.of().formatHex(bytes));
                if (in.has("error")) {
                    out.put("refusal", HexFormat.of().formatHex(refusal(in, version, bytes)));
                }
            } catch (Exception exception) {
                Throwable cause = exception instanceof InvocationTargetException ? exception.getCause() : exception;
                out.put("failure", cause.toString());
            }
            System.out.println(JSON.writeValueAsString(out));
        }
    }

    private static Message message(JsonNode in, short version) throws Exception {
        return (Message) Class.forName(in.get("class").asText() + "JsonConverter")
            .getMethod("read", JsonNode.class, short.class)
            .invoke(null, in.get("value"), version);
    }

    private static byte[] written(Message message, short version) {
        ByteBuffer buffer = MessageUtil.toByteBufferAccessor(message, version).buffer();
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    private static byte[] refusal(JsonNode in, short version, byte[] bytes) {
        ApiKeys key = ApiKeys.forId(in.get("api_key").asInt());
        AbstractRequest request =
            AbstractRequest.parseRequest(key, version, new ByteBufferAccessor(ByteBuffer.wrap(bytes))).request;
        Errors error = Errors.forCode((short) in.get("error").asInt());
        return written(request.getErrorResponse(0, error.exception(in.get("why").asText())).data(), version);
    }
}
