"""From a diagnosis to changes of the source that may stop the tracing; what they are worth is for `prove` to show."""
