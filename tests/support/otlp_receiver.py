"""Receiver of OTLP over HTTP: keeps the spans and metrics that processes export to it."""

from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Final

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.metrics.v1.metrics_pb2 import Metric, ResourceMetrics
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, Span


class OtlpReceiver:
    """What has arrived."""

    def __init__(self, url: str) -> None:
        self.url: Final = url
        self.traces: Final[list[ResourceSpans]] = []
        self.measured: Final[list[ResourceMetrics]] = []

    def receive(self, path: str, body: bytes) -> None:
        """Decode a request."""
        if path == "/v1/traces":
            self.traces.extend(ExportTraceServiceRequest.FromString(body).resource_spans)
        else:
            assert path == "/v1/metrics"
            self.measured.extend(ExportMetricsServiceRequest.FromString(body).resource_metrics)

    @property
    def spans(self) -> list[Span]:
        """All spans, in the order in which they arrived."""
        return [
            span
            for of_resource in self.traces
            for of_scope in of_resource.scope_spans
            for span in of_scope.spans
        ]

    @property
    def metrics(self) -> dict[str, Metric]:
        """The metrics by name, as they arrived last."""
        return {
            metric.name: metric
            for of_resource in self.measured
            for of_scope in of_resource.scope_metrics
            for metric in of_scope.metrics
        }


@contextmanager
def otlp_receiver() -> Generator[OtlpReceiver]:
    """Receive OTLP on a free port."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.receive(self.path, self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_args: object) -> None:
            """Log nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        received = OtlpReceiver(f"http://127.0.0.1:{server.server_port}")
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield received
        finally:
            server.shutdown()
            thread.join()
