import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.utils.Exit;

/**
 * Runs the main method of the class that is named first, once per line of stdin with its words as
 * arguments, and prints a line "." after each: a JVM takes longer to start than a command to run.
 * It ends with the first that fails.
 */
final class Commands {
    private Commands() {}

    public static void main(String[] arguments) throws Exception {
        Exit.setExitProcedure((status, message) -> {
            if (status != 0) {
                Runtime.getRuntime().halt(status);
            }
        });
        Method main = Class.forName(arguments[0]).getMethod("main", String[].class);
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            main.invoke(null, (Object) line.split(" "));
            System.out.println(".");
        }
    }
}
