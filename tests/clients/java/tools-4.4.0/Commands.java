import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import org.apache.kafka.common.utils.internals.Exit;

/**
 * Runs commands one after the other, since a JVM takes longer to start than any of them to run.
 *
 * <p>Each line of stdin is the name of a class with a main method, what it reads from its own stdin
 * in base64, and its arguments, parted by tabs. Each answer is a line as well: the exit status, and what
 * went to stdout and stderr, in base64.
 */
final class Commands {
    /** What a command throws instead of ending the JVM; what it does about it does not count. */
    private static final class Exited extends Error {
        private static final long serialVersionUID = 1;
    }

    private final List<Runnable> shutdownHooks = new ArrayList<>();
    private Integer status;

    public static void main(String[] arguments) throws Exception {
        PrintStream answers = System.out;
        Commands commands = new Commands();
        Exit.setExitProcedure(commands::exit);
        Exit.setHaltProcedure(commands::exit);
        Exit.setShutdownHookAdder((name, hook) -> commands.shutdownHooks.add(hook));
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            answers.println(commands.run(line.split("\t", -1)));
        }
    }

    private void exit(int exitStatus, String message) {
        if (status == null) {
            status = exitStatus;
            if (message != null) {
                System.err.println(message);
            }
            System.setErr(new PrintStream(OutputStream.nullOutputStream()));
        }
        throw new Exited();
    }

    private String run(String[] words) {
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        System.setOut(new PrintStream(output, true, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(errors, true, StandardCharsets.UTF_8));
        System.setIn(new ByteArrayInputStream(Base64.getDecoder().decode(words[1])));
        status = null;
        call(words);
        shutdownHooks.forEach(Runnable::run);
        shutdownHooks.clear();
        return String.join("\t", String.valueOf(status), encoded(output), encoded(errors));
    }

    private void call(String[] words) {
        Object arguments = Arrays.copyOfRange(words, 2, words.length);
        int ownStatus = 0;
        try {
            Class.forName(words[0]).getMethod("main", String[].class).invoke(null, arguments);
        } catch (ReflectiveOperationException | LinkageError failure) {
            if (!(failure.getCause() instanceof Exited)) {
                failure.printStackTrace();
                ownStatus = 1;
            }
        }
        if (status == null) {
            status = ownStatus;
        }
    }

    private static String encoded(ByteArrayOutputStream bytes) {
        return Base64.getEncoder().encodeToString(bytes.toByteArray());
    }
}
