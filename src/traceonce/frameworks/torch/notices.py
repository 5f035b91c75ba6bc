"""What a reader must know of how PyTorch was watched."""

from __future__ import annotations

from traceonce.words.sentence import Phrase

COUNTS_WITHOUT_REASONS = Phrase(
    "counts_without_reasons",
    en="{why}: watching its callbacks instead: counts, but no reasons, no calls and no limits",
    zh="{why}：改为观察它的回调：有次数，没有原因、调用和上限",
)
COMPILES_NOTHING = Phrase(
    "compiles_nothing",
    en="{module}.compile() compiles nothing: PyTorch skips modules that are entirely its own; "
    "torch.compile(module) compiles them",
    zh="{module}.compile() 什么都没有编译：PyTorch 跳过完全由它自己的模块组成的模块；torch.compile(module) 会编译它们",
)
