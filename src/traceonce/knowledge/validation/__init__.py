"""Is a record true, whole and usable? Check files, and get every problem with its place and its remedy."""

from traceonce.knowledge.validation.check import check_files
from traceonce.knowledge.validation.problem import CheckedFile, Level, Problem
from traceonce.knowledge.validation.rules import RULES, describe_rules

__all__ = ["RULES", "CheckedFile", "Level", "Problem", "check_files", "describe_rules"]
