package mockbroker;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** A process of {@code mockbroker serve}, which ends when this one does. */
final class ServeProcess {
  private static final long START_TIMEOUT_S = 30;
  private static final long STOP_TIMEOUT_S = 10;
  private static final long LAST_LINES_MS = 200;
  private static final int LINES_MAX = 40;
  private static final int EXIT_WRONG_OPTION = 2;
  private static final String ADVICE =
      "\nInstall it with `pip install 'mockbroker[http]'`, or set MOCKBROKER_COMMAND to its"
          + " command, such as `/path/to/venv/bin/mockbroker`";

  private final Process process;
  private final List<String> command;
  private final Deque<String> errors = new ArrayDeque<>();
  private final CompletableFuture<String> firstLine = new CompletableFuture<>();
  private final Thread errorReader;

  private ServeProcess(Process process, List<String> command) {
    this.process = process;
    this.command = command;
    errorReader = reader("stderr", process.errorReader(StandardCharsets.UTF_8), this::keep);
    Thread output =
        reader("stdout", process.inputReader(StandardCharsets.UTF_8), firstLine::complete);
    output.start();
    errorReader.start();
    process.onExit().thenRun(() -> firstLine.completeExceptionally(new IOException("it ended")));
  }

  /** Start a process with these arguments of {@code serve}. */
  static ServeProcess start(List<String> command, List<String> arguments) {
    List<String> all = new ArrayList<>(command);
    all.addAll(List.of("serve", "--port", "0", "--admin-port", "0", "--json", "--until-eof"));
    all.addAll(List.of("--log-level", "warning"));
    all.addAll(arguments);
    try {
      return new ServeProcess(new ProcessBuilder(all).start(), all);
    } catch (IOException error) {
      throw new MockbrokerException(notStarted(all, error.getMessage() + ADVICE), error);
    }
  }

  /** Return the command: the words of {@code MOCKBROKER_COMMAND}, or {@code mockbroker}. */
  static List<String> command(String variable) {
    return variable == null || variable.isBlank()
        ? List.of("mockbroker")
        : Arrays.asList(variable.strip().split("\\s+"));
  }

  /** Return what the process prints when it is ready. */
  JsonNode ready() {
    try {
      JsonNode ready = AdminClient.JSON.readTree(firstLine.get(START_TIMEOUT_S, TimeUnit.SECONDS));
      if (ready.hasNonNull("admin_url")) {
        return ready;
      }
      throw failed("it has no HTTP API: " + ready);
    } catch (ExecutionException | JsonProcessingException error) {
      throw failed(whyNotStarted());
    } catch (TimeoutException error) {
      throw failed("it is not ready after " + START_TIMEOUT_S + " s; " + whyNotStarted());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw failed("interrupted");
    }
  }

  ProcessHandle handle() {
    return process.toHandle();
  }

  /** End the process, wait for it, and return its exit code. */
  int stop() {
    try {
      process.getOutputStream().close();
      if (!process.waitFor(STOP_TIMEOUT_S, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
      errorReader.join();
      return process.exitValue();
    } catch (IOException error) {
      process.destroyForcibly();
      throw new MockbrokerException("the process was killed: " + error.getMessage(), error);
    } catch (InterruptedException interrupted) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new MockbrokerException("interrupted; the process was killed", interrupted);
    }
  }

  /** Return the last lines that the process wrote to stderr. */
  String errors() {
    synchronized (errors) {
      return String.join("\n", errors);
    }
  }

  private MockbrokerException failed(String why) {
    process.destroyForcibly();
    return new MockbrokerException(notStarted(command, why));
  }

  /** Return whether the process has ended, and what it printed. */
  String ending() {
    try {
      errorReader.join(LAST_LINES_MS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    String errors = errors();
    String end = process.isAlive() ? "it runs" : "it ended with " + process.exitValue();
    return end + ", and it printed: " + (errors.isEmpty() ? "nothing" : errors);
  }

  /** Return how the start ended, with advice unless an option is wrong. */
  private String whyNotStarted() {
    String ending = ending();
    boolean isWrongOption = !process.isAlive() && process.exitValue() == EXIT_WRONG_OPTION;
    return isWrongOption ? ending : ending + ADVICE;
  }

  private static String notStarted(List<String> command, String why) {
    return "mockbroker did not start: " + String.join(" ", command) + "\n" + why;
  }

  private void keep(String line) {
    synchronized (errors) {
      errors.addLast(line);
      if (errors.size() > LINES_MAX) {
        errors.removeFirst();
      }
    }
  }

  private static Thread reader(String name, BufferedReader lines, Consumer<String> use) {
    Thread thread = new Thread(() -> read(lines, use), "mockbroker " + name);
    thread.setDaemon(true);
    return thread;
  }

  private static void read(BufferedReader lines, Consumer<String> use) {
    try (lines) {
      lines.lines().forEach(use);
    } catch (IOException | UncheckedIOException ended) {
      // The process has ended, and its streams with it.
    }
  }
}
