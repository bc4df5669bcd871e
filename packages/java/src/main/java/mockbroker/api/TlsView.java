// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** Certificate of the authority that clients have to trust. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record TlsView(
    @JsonProperty("ca_pem") String caPem) {
}

