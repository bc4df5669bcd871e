import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;

/** A small client of mockbroker's admin API, whose address is set by `mockbroker run`. */
final class Admin {
    static final String BOOTSTRAP_SERVERS = System.getenv("KAFKA_BOOTSTRAP_SERVERS");
    private static final String URL = System.getenv("MOCKBROKER_ADMIN") + "/api/v1";
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private Admin() {
    }

    static String get(String path) throws IOException, InterruptedException {
        return answer(HttpRequest.newBuilder(URI.create(URL + path)).GET());
    }

    static String post(String path, String json) throws IOException, InterruptedException {
        return answer(HttpRequest.newBuilder(URI.create(URL + path))
                .header("Content-Type", "application/json").POST(BodyPublishers.ofString(json)));
    }

    private static String answer(HttpRequest.Builder request) throws IOException, InterruptedException {
        var response = CLIENT.send(request.build(), BodyHandlers.ofString());
        if (response.statusCode() >= 400) {
            throw new IOException(response.body());
        }
        return response.body();
    }

    static void check(boolean isSo, String what) {
        if (!isSo) {
            throw new AssertionError(what);
        }
    }
}
