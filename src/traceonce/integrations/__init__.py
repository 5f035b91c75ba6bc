"""Where traceonce meets other tools: pytest, Keras, OpenTelemetry, logging. Composes; nobody imports it."""
