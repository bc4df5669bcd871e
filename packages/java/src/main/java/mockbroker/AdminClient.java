package mockbroker;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import mockbroker.api.ProblemDocument;

/** Requests to the HTTP API of a cluster. */
final class AdminClient {
  private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(30);
  private static final long POLL_MS = 5;

  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  static final ObjectMapper JSON =
      JsonMapper.builder()
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.ACCEPT_SINGLE_VALUE_AS_ARRAY)
          .build();

  private final URI url;
  private final String token;
  private final Supplier<String> whyNoAnswer;

  /** Create the client of a port; the supplier says why the port may not answer. */
  AdminClient(URI url, String token, Supplier<String> whyNoAnswer) {
    this.url = url;
    this.token = token;
    this.whyNoAnswer = whyNoAnswer;
  }

  URI url() {
    return url;
  }

  <T> T get(String path, Class<T> type) {
    return send("GET", path, null, type, Duration.ZERO);
  }

  /** Send a request that waits on the side of the cluster. */
  <T> T waiting(String path, Class<T> type, Duration timeout) {
    return send("GET", path + "&timeout=" + text(timeout), null, type, timeout);
  }

  <T> T post(String path, Object document, Class<T> type) {
    return send("POST", path, document, type, Duration.ZERO);
  }

  <T> T put(String path, Object document, Class<T> type) {
    return send("PUT", path, document, type, Duration.ZERO);
  }

  void delete(String path) {
    send("DELETE", path, null, Void.class, Duration.ZERO);
  }

  /** Return the first value for which the condition holds; ask again until the timeout. */
  static <T> T until(String what, Duration timeout, Supplier<T> value, Predicate<T> condition) {
    long end = System.nanoTime() + timeout.toNanos();
    while (true) {
      T current = value.get();
      if (condition.test(current)) {
        return current;
      }
      if (System.nanoTime() > end) {
        throw new WaitTimeoutException(
            what + ": not within " + text(timeout) + "; now: " + current);
      }
      pause();
    }
  }

  private static void pause() {
    try {
      Thread.sleep(POLL_MS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new MockbrokerException("interrupted in a wait", interrupted);
    }
  }

  /** Return a path of escaped parts, such as {@code /topics/orders}. */
  static String path(Object... parts) {
    StringBuilder path = new StringBuilder("/api/v1");
    for (Object part : parts) {
      path.append('/').append(escaped(part));
    }
    return path.toString();
  }

  /** Return a path with query parameters; those without a value are left out. */
  static String query(String path, Map<String, Object> parameters) {
    return path
        + parameters.entrySet().stream()
            .map(each -> each.getKey() + "=" + escaped(each.getValue()))
            .sorted()
            .collect(Collectors.joining("&", "?", ""));
  }

  /** Return a document as JSON. */
  static String json(Object document) {
    return JSON.valueToTree(document).toString();
  }

  /** Return a duration as the API writes it. */
  static String text(Duration duration) {
    return duration.toMillis() + "ms";
  }

  private static String escaped(Object part) {
    return URLEncoder.encode(part.toString(), StandardCharsets.UTF_8).replace("+", "%20");
  }

  private <T> T send(String method, String path, Object document, Class<T> type, Duration wait) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(url + path)).timeout(ANSWER_TIMEOUT.plus(wait));
    if (token != null) {
      request.header("Authorization", "Bearer " + token);
    }
    try {
      if (method.equals("POST") || method.equals("PUT")) {
        request.header("Content-Type", "application/json");
        Object body = document == null ? Map.of() : document;
        request.method(method, BodyPublishers.ofByteArray(JSON.writeValueAsBytes(body)));
      } else {
        request.method(method, BodyPublishers.noBody());
      }
      HttpResponse<byte[]> response = HTTP.send(request.build(), BodyHandlers.ofByteArray());
      return read(method + " " + path, response, type);
    } catch (JsonProcessingException error) {
      throw new MockbrokerException(
          method + " " + url + path + ": not understood: " + error.getMessage(), error);
    } catch (IOException error) {
      throw new MockbrokerException(
          "no mockbroker answers at " + url + " (" + error + "); " + whyNoAnswer.get(), error);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new MockbrokerException("interrupted: " + method + " " + path, interrupted);
    }
  }

  private static <T> T read(String request, HttpResponse<byte[]> response, Class<T> type)
      throws IOException {
    if (response.statusCode() >= 400) {
      throw failure(request, response);
    }
    return type == Void.class ? null : JSON.readValue(response.body(), type);
  }

  private static MockbrokerException failure(String request, HttpResponse<byte[]> response)
      throws IOException {
    String kind = response.headers().firstValue("Content-Type").orElse("");
    if (!kind.startsWith("application/problem+json")) {
      String text = new String(response.body(), StandardCharsets.UTF_8);
      return new MockbrokerException(
          request + ": status " + response.statusCode() + ", not of mockbroker: " + text);
    }
    ProblemDocument problem = JSON.readValue(response.body(), ProblemDocument.class);
    if (problem.code().equals("timeout")) {
      return new WaitTimeoutException(problem.detail());
    }
    return new ProblemException(request, problem);
  }
}
