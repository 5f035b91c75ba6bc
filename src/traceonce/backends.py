"""The old name of `traceonce.frameworks`: `from traceonce.backends import fake` goes on working, and says so."""

import warnings

from traceonce.frameworks import fake as fake

warnings.warn("traceonce.backends is now called traceonce.frameworks", DeprecationWarning, stacklevel=2)
