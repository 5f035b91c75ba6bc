"""Found by Python itself at start-up, since `traceonce run` puts this folder on PYTHONPATH.

It starts the watching of this process and then hands over to the `sitecustomize` that would have been found without us.
It must work in any interpreter that the program starts, also one in which traceonce is not installed.
"""

import importlib.machinery
import importlib.util
import os
import sys


def _watch_this_process():
    try:
        from traceonce.observe import process_start
    except ImportError:
        return
    try:
        process_start.start()
    except Exception as error:
        process_start.complain(error)


def _hand_over():
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", sys.path)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


_HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != _HERE]
_watch_this_process()
_hand_over()
