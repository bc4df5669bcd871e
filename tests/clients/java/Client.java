import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;

/**
 * Does what the lines on stdin say, one answer line each; support/client_program.py has the words.
 *
 * <p>Arguments: the protocol of groups, unless it is the classic one.
 */
final class Client {
    /** What one command does with the words behind it; it returns those of its answer. */
    interface Command {
        List<String> run(List<String> words) throws Exception;
    }

    /** A command whose answer is that it was done. */
    interface Deed {
        void run(List<String> words) throws Exception;
    }

    private final Map<String, Command> commands = new HashMap<>();

    private Client(String groupProtocol) {
        commands.put("round-trip", RoundTrip::run);
        commands.put("secure", SecureRoundTrip::run);
        commands.putAll(new Producers().commands());
        commands.putAll(new Transactors().commands());
        commands.putAll(new Members(groupProtocol).commands());
        commands.putAll(new Processors(groupProtocol).commands());
        commands.putAll(new Administration().commands());
    }

    static Command done(Deed deed) {
        return words -> {
            deed.run(words);
            return List.of();
        };
    }

    public static void main(String[] arguments) throws Exception {
        Client client = new Client(arguments.length == 0 ? "classic" : arguments[0]);
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            List<String> words = Arrays.asList(line.split("\t", -1));
            System.out.println(client.answer(words.get(0), words.subList(1, words.size())));
        }
    }

    private String answer(String command, List<String> words) {
        try {
            List<String> answer = new ArrayList<>(List.of("ok"));
            answer.addAll(commands.get(command).run(words));
            return String.join("\t", answer);
        } catch (Exception exception) {
            Throwable cause =
                    exception instanceof ExecutionException ? exception.getCause() : exception;
            return String.join("\t", "error", cause.getClass().getSimpleName(),
                    String.valueOf(cause).replaceAll("\\s+", " "));
        }
    }
}
