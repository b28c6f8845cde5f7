"""Docstrings as pages: code in single backquotes, signatures as the source has them, comments on fields as their text."""

from __future__ import annotations

import ast
import inspect
import pydoc
import re
import textwrap
from typing import TYPE_CHECKING, Any

from sphinx.util.inspect import stringify_signature

if TYPE_CHECKING:
    from sphinx.application import Sphinx

CODE = re.compile(r"(?<![`:\w])`([^`]+)`(?!`)")
NAME = re.compile(r"[A-Za-z_][\w.]*")


def setup(app: Sphinx) -> None:
    """Connect with autodoc."""
    app.connect("autodoc-process-docstring", _process_docstring)
    app.connect("autodoc-process-signature", _process_signature)


def restructured(text: str) -> str:
    """A docstring as reStructuredText: names in backquotes become references where there is something to refer to.

    >>> restructured("`rewards` of `step(-1)`")
    ':py:obj:`rewards` of ``step(-1)``'
    """
    return CODE.sub(lambda found: f":py:obj:`{found[1]}`" if NAME.fullmatch(found[1]) else f"``{found[1]}``", text)


def field_comments(class_: type) -> dict[str, str]:
    """The comments of a class on its fields: those behind them, or on the lines above."""
    source = textwrap.dedent(inspect.getsource(class_))
    lines, comments = source.splitlines(), dict[str, str]()
    (node,) = ast.parse(source).body
    assert isinstance(node, ast.ClassDef)
    for field in node.body:
        if not isinstance(field, ast.AnnAssign) or not isinstance(field.target, ast.Name):
            continue

        # Behind the field, else above it.
        behind = lines[(field.end_lineno or field.lineno) - 1].encode()[field.end_col_offset or 0 :].decode().strip()
        above = list[str]()
        line = field.lineno - 2
        while lines[line].strip().startswith("#"):
            above.insert(0, lines[line].strip())
            line -= 1
        text = " ".join(comment.lstrip("# ") for comment in ([behind] if behind.startswith("#") else above))
        if text:
            comments[field.target.id] = text
    return comments


def _process_docstring(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    if what == "attribute" and not any(lines):
        owner, _, field = name.rpartition(".")
        class_ = pydoc.locate(owner)
        if isinstance(class_, type):
            lines[:] = [field_comments(class_).get(field, ""), ""]
    lines[:] = restructured("\n".join(lines)).split("\n")


def _process_signature(
    app: Sphinx, what: str, name: str, thing: Any, options: Any, signature: str | None, returns: str | None
) -> tuple[str | None, str | None] | None:
    """The signature with its annotations as they are written: `NDArray[Any]`, and not what NumPy makes of it."""
    if signature is None or what not in ("class", "exception", "function", "method"):
        return None
    written = inspect.signature(thing)
    if what == "method" and list(written.parameters)[:1] in (["self"], ["cls"]):
        written = written.replace(parameters=list(written.parameters.values())[1:])
    return stringify_signature(written.replace(return_annotation=inspect.Signature.empty)), _returned(written)


def _returned(signature: inspect.Signature) -> str | None:
    return signature.return_annotation if isinstance(signature.return_annotation, str) else None
