"""Families of causes: what reports colour by.

The palette of the pages (``report/page/styles/tokens.css``) has a colour for each family, by its code. The format of
Chrome's traces knows a fixed list of colours by name; `chrome` is the nearest to that of the page.
"""

from __future__ import annotations

from typing import NamedTuple

from traceonce.words.translated import Text


class Family(NamedTuple):
    """Causes of one colour, and what the legend calls them."""

    code: str
    name: Text
    chrome: str


VALUE = Family("value", Text("Python value", "Python 值"), "bad")
SHAPE = Family("shape", Text("Shape", "形状"), "rail_response")
TYPE = Family("type", Text("Type or structure", "类型或结构"), "rail_load")
OBJECT = Family("object", Text("Object identity", "对象身份"), "detailed_memory_dump")
FUNCTION = Family("function", Text("New function", "新函数"), "olive")
CONTEXT = Family("context", Text("Context or guard", "上下文或假定"), "light_memory_dump")
COMPILE = Family("compile", Text("Compilation", "编译"), "terrible")
BACKWARD = Family("backward", Text("Backward build", "反向图构建"), "background_memory_dump")
EAGER = Family("eager", Text("Not compiled", "不再编译"), "rail_animation")
SILENT = Family("silent", Text("Wrong value", "值错误"), "rail_animation")
UNKNOWN = Family("unknown", Text("Unknown", "未知"), "thread_state_unknown")

# Events that have no cause.
FAILED = Family("failed", Text("Failed", "失败"), "rail_animation")
FIRST = Family("first", Text("First trace", "首次追踪"), "generic_work")
INTERNAL = Family("internal", Text("Framework's own", "框架自身"), "grey")

# In the order of the legend. What a framework does for itself is drawn, but never counted: it is not in the legend.
LEGEND = (VALUE, SHAPE, TYPE, OBJECT, FUNCTION, CONTEXT, COMPILE, BACKWARD, EAGER, SILENT, UNKNOWN, FAILED, FIRST)
