import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.TreeMap;

/**
 * Prints the configs of brokers and topics of a release: name, type, default, allowed values.
 *
 * <pre>java -cp "tools/kafka:.cache/kafka/libs-3.6.2/*" tools/kafka/PrintConfigs.java</pre>
 */
public class PrintConfigs {
    private static final String[][] DEFINITIONS = {
        {"broker", "kafka.server.KafkaConfig", "configDef"},
        {"broker", "org.apache.kafka.server.config.AbstractKafkaConfig", "CONFIG_DEF"},
        {"topic", "kafka.log.LogConfig", "configDef"},
        {"topic", "org.apache.kafka.storage.internals.log.LogConfig", "CONFIG"},
    };

    public static void main(String[] arguments) throws Exception {
        for (String[] each : DEFINITIONS) {
            try {
                print(each[0], member(Class.forName(each[1]), each[2]));
            } catch (ClassNotFoundException absent) {
                System.err.println(each[1] + " is not in this release");
            }
        }
    }

    private static Object member(Class<?> type, String name) throws Exception {
        Class<?> holder = type;
        Object scala = null;
        try {
            holder = Class.forName(type.getName() + "$");
            scala = holder.getField("MODULE$").get(null);
        } catch (ClassNotFoundException written_in_java) {
            // its members are static
        }
        for (Method method : holder.getDeclaredMethods()) {
            boolean isIt = method.getName().equals(name) || method.getName().endsWith("$$" + name);
            if (isIt && method.getParameterCount() == 0) {
                method.setAccessible(true);
                return method.invoke(scala);
            }
        }
        for (Field field : holder.getDeclaredFields()) {
            if (field.getName().equals(name) || field.getName().endsWith("$$" + name)) {
                field.setAccessible(true);
                return field.get(scala);
            }
        }
        throw new ClassNotFoundException(type.getName());
    }

    private static void print(String kind, Object definition) throws Exception {
        Map<?, ?> keys = (Map<?, ?>) definition.getClass().getMethod("configKeys").invoke(definition);
        for (Map.Entry<?, ?> each : new TreeMap<Object, Object>(keys).entrySet()) {
            Object key = each.getValue();
            System.out.printf("%s %s %s [%s] [%s]%n", kind, each.getKey(),
                field(key, "type"), field(key, "defaultValue"), field(key, "validator"));
        }
    }

    private static Object field(Object key, String name) throws Exception {
        return key.getClass().getField(name).get(key);
    }
}
