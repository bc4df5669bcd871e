import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.types.BoundField;
import org.apache.kafka.common.protocol.types.Schema;
import org.apache.kafka.common.protocol.types.Struct;
import org.apache.kafka.common.protocol.types.Type;
import org.apache.kafka.common.record.MemoryRecords;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;

/**
 * Writes messages with the schemas of Kafka 2.4, where not every message has a generated class yet.
 *
 * Each line of the input is an object: the API key, whether it is the request, the version and the value as a list in
 * the order of the wire and, for a request, the error code to refuse it with. Each line of the output has the bytes.
 */
public final class RecordOldMessages {
    private static final ObjectMapper JSON = new ObjectMapper();

    public static void main(String[] arguments) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            JsonNode in = JSON.readTree(line);
            ObjectNode out = JSON.createObjectNode();
            short version = (short) in.get("version").asInt();
            try {
                ApiKeys key = ApiKeys.forId(in.get("api_key").asInt());
                boolean request = in.get("request").asBoolean();
                Schema schema = request ? key.requestSchema(version) : key.responseSchema(version);
                Struct struct = (Struct) value(schema, in.get("value"));
                out.put("bytes", HexFormat.of().formatHex(written(struct)));
                if (in.has("error")) {
                    out.put("refusal", HexFormat.of().formatHex(written(refusal(in, key, version, struct))));
                }
            } catch (Exception exception) {
                Throwable cause = exception instanceof InvocationTargetException ? exception.getCause() : exception;
                out.put("failure", cause.toString());
            }
            System.out.println(JSON.writeValueAsString(out));
        }
    }

    private static byte[] written(Struct struct) {
        ByteBuffer buffer = ByteBuffer.allocate(struct.sizeOf());
        struct.writeTo(buffer);
        return buffer.array();
    }

    private static Struct refusal(JsonNode in, ApiKeys key, short version, Struct struct) throws Exception {
        AbstractRequest request = AbstractRequest.parseRequest(key, version, struct);
        Errors error = Errors.forCode((short) in.get("error").asInt());
        AbstractResponse response = request.getErrorResponse(0, error.exception(in.get("why").asText()));
        for (Class<?> type = response.getClass(); ; type = type.getSuperclass()) {
            try {
                Method toStruct = type.getDeclaredMethod("toStruct", short.class);
                toStruct.setAccessible(true);
                return (Struct) toStruct.invoke(response, version);
            } catch (NoSuchMethodException exception) {
                continue;
            }
        }
    }

    private static Object value(Type type, JsonNode in) throws Exception {
        if (in.isNull()) {
            return null;
        }
        if (type instanceof Schema) {
            Iterator<JsonNode> values = in.iterator();
            Struct struct = struct((Schema) type, values);
            if (values.hasNext()) {
                throw new IllegalArgumentException("more values than fields: " + in);
            }
            return struct;
        }
        if (type.isArray()) {
            List<Object> items = new ArrayList<>();
            for (JsonNode item : in) {
                items.add(value(type.arrayElementType().get(), item));
            }
            return items.toArray();
        }
        return scalar(type, in);
    }

    /** Fills a struct; one that stands directly in another has no place of its own in the newer classes. */
    private static Struct struct(Schema schema, Iterator<JsonNode> values) throws Exception {
        Struct struct = new Struct(schema);
        for (BoundField field : schema.fields()) {
            Type type = field.def.type;
            struct.set(field, type instanceof Schema ? struct((Schema) type, values) : value(type, values.next()));
        }
        return struct;
    }

    private static Object scalar(Type type, JsonNode in) throws Exception {
        if (type == Type.BOOLEAN) {
            return in.asBoolean();
        } else if (type == Type.INT8) {
            return (byte) in.asInt();
        } else if (type == Type.INT16) {
            return (short) in.asInt();
        } else if (type == Type.INT32) {
            return in.asInt();
        } else if (type == Type.INT64) {
            return in.asLong();
        } else if (type == Type.STRING || type == Type.NULLABLE_STRING) {
            return in.asText();
        } else if (type == Type.BYTES || type == Type.NULLABLE_BYTES) {
            return ByteBuffer.wrap(in.binaryValue());
        } else if (type == Type.RECORDS) {
            return MemoryRecords.readableRecords(ByteBuffer.wrap(in.binaryValue()));
        }
        throw new IllegalArgumentException("no such kind: " + type);
    }
}
