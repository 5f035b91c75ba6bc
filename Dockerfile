# The server: recordings of a team in one place. compose.yml has it with PostgreSQL; docs/serving.md says the rest.
FROM python:3.13-slim AS build
WORKDIR /source
COPY . .
RUN python -m venv /opt/traceonce && /opt/traceonce/bin/pip install --no-cache-dir '.[serve]'

FROM python:3.13-slim
RUN useradd --system --uid 10001 --home-dir /var/lib/traceonce --create-home traceonce
COPY --from=build /opt/traceonce /opt/traceonce
ENV PATH="/opt/traceonce/bin:$PATH" TRACEONCE_HOME=/var/lib/traceonce
USER traceonce
VOLUME /var/lib/traceonce
EXPOSE 8765
# Without TRACEONCE_TOKEN the server refuses to start here: others could reach it.
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s CMD ["python", "-c", "import os, urllib.request as http; http.urlopen(http.Request('http://127.0.0.1:8765/api/v1/health', headers={'Authorization': 'Bearer ' + os.environ['TRACEONCE_TOKEN']}), timeout=4)"]
CMD ["traceonce", "serve", "--host", "0.0.0.0"]
