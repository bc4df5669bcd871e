# syntax=docker/dockerfile:1
# mockbroker as an image: docker run -p 9092:9092 -p 8092:8092 mockbroker
# It has a shell, because tests that start Kafka's images bring start scripts of their own.

# The whole image of Python has a compiler, for the innermost loops.
FROM python:3.13 AS build
WORKDIR /src
RUN python -m venv /opt/mockbroker
COPY requirements/run.txt requirements/
RUN /opt/mockbroker/bin/pip install --no-cache-dir --require-hashes -r requirements/run.txt
COPY pyproject.toml README.md LICENSE hatch_build.py ./
COPY tools/compilation.py tools/conversations.py tools/
COPY mockbroker mockbroker
# The scripts and recordings of `mockbroker diff`, which the build archives.
COPY tests/conformance tests/conformance
COPY tests/facts tests/facts
# A read-only container cannot store bytecode, so compile it here instead of at each start.
RUN /opt/mockbroker/bin/pip install --no-cache-dir --no-deps . \
    && /opt/mockbroker/bin/python -m compileall -q /opt/mockbroker/lib \
    && /opt/mockbroker/bin/pip uninstall --yes pip

FROM python:3.13-slim
ARG VERSION=0.2.0
LABEL org.opencontainers.image.title="mockbroker" \
      org.opencontainers.image.description="A Kafka cluster in one process, for tests of exactly-once clients" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}"
RUN useradd --uid 1000 --home-dir /var/lib/mockbroker --create-home --shell /bin/bash mockbroker
COPY --from=build /opt/mockbroker /opt/mockbroker
COPY container/usr /usr
# Start scripts append to these files, and edit them in place.
COPY --chown=1000:1000 container/etc /etc
ENV PATH=/opt/mockbroker/bin:$PATH \
    PYTHONUNBUFFERED=1
USER 1000
WORKDIR /var/lib/mockbroker
EXPOSE 9092 8092
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=3s --start-period=10s --retries=3 \
    CMD ["mockbroker", "ready", "--quiet"]
ENTRYPOINT ["/usr/local/bin/entrypoint"]
CMD ["serve"]
