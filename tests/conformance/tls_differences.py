"""Explained differences between the TLS of Java and that of OpenSSL, which Python's ssl uses."""

from typing import Final

from tests.conformance.explained import Explained, Place
from tests.conformance.releases import between

OF_TLS: Final[tuple[Explained, ...]] = (
    Explained(
        what="The alert with which a handshake is refused",
        kafka="has Java's: `certificate_unknown` for each certificate that is not valid",
        ours="has OpenSSL's: `unknown_ca`, `certificate_expired`",
        reason="Clients report each of them as a failed handshake, and do not try again.",
        places=(
            *(
                Place(f"certificates_that_are_{asked}", field="alert")
                for asked in ("required", "requested")
            ),
            Place("tls_handshakes", field="alert", presets=between("2.4", "2.8")),
        ),
    ),
    Explained(
        what="The alert for bytes that only resemble TLS",
        kafka="has Java's: none for an alert, `internal_error` for data before a handshake",
        ours="has OpenSSL's",
        reason="No client sends them.",
        places=(
            Place("bytes_without_tls", "a record of data*", "received"),
            Place("bytes_without_tls", "a record that is too long*", "received"),
            Place("bytes_without_tls", "an alert*", "received"),
            Place("bytes_without_tls", "a record of zeros*", "received", between("2.4", "2.5")),
        ),
    ),
    Explained(
        what="The message for a store that cannot be read, when a config names it",
        kafka="has the exceptions of Java",
        ours="has the same code, and says what is wrong with the store",
        reason="Java's text does not say whether the file or the password is wrong.",
        places=(
            Place("stores_that_change", "*store that is not there*", "*error_message"),
            Place("stores_that_change", "*of another password*", "*error_message"),
            Place("stores_that_change", "*of another type*", "*error_message"),
            Place("stores_that_change", "no key store*", "*error_message"),
            Place("stores_that_change", "a certificate of*", "*error_message"),
        ),
    ),
)
