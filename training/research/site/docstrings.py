"""Docstrings as pages: code in single backquotes, signatures as the source has them, fields with their comments."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import itertools
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
    return CODE.sub(lambda match: f":py:obj:`{match[1]}`" if NAME.fullmatch(match[1]) else f"``{match[1]}``", text)


def field_table(class_: type) -> str:
    """The fields of a dataclass in reStructuredText, each with its type, default and comment."""
    source = textwrap.dedent(inspect.getsource(class_))
    lines = source.splitlines()
    (node,) = ast.parse(source).body
    assert isinstance(node, ast.ClassDef)

    directives = list[str]()
    for field in node.body:
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            directives += ["", f".. py:attribute:: {field.target.id}", f"   :type: {ast.unparse(field.annotation)}"]
            if field.value is not None and not isinstance(field.value, ast.Call):
                directives.append(f"   :value: {ast.unparse(field.value)}")
            directives += ["", f"   {_comment_on(field, lines)}"]
    return "\n".join([*directives, ""])


def _comment_on(field: ast.AnnAssign, lines: list[str]) -> str:
    """The comment behind a field, else the one on the lines above it, else nothing."""
    # Columns of a syntax tree count bytes.
    last = lines[(field.end_lineno or field.lineno) - 1].encode()
    comments = [last[field.end_col_offset or 0 :].decode().strip()]
    if not comments[0].startswith("#"):
        above = itertools.takewhile(lambda line: line.strip().startswith("#"), reversed(lines[: field.lineno - 1]))
        comments = [line.strip() for line in above][::-1]
    return " ".join(comment.lstrip("# ") for comment in comments)


def _process_docstring(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    text = restructured("\n".join(lines))
    if isinstance(thing, type) and dataclasses.is_dataclass(thing):
        text += restructured(field_table(thing))
    lines[:] = text.split("\n")


def _process_signature(
    app: Sphinx, what: str, name: str, thing: Any, options: Any, signature: str | None, returns: str | None
) -> tuple[str, str | None] | None:
    """The signature with its annotations as they are written: `NDArray[Any]`, and not what NumPy makes of it.

    A dataclass has none, because its fields follow.
    """
    if signature is None or what not in ("class", "exception", "function", "method"):
        return None
    if dataclasses.is_dataclass(thing):
        return "", None
    signature_object = inspect.signature(thing)
    if what == "method" and list(signature_object.parameters)[:1] in (["self"], ["cls"]):
        signature_object = signature_object.replace(parameters=list(signature_object.parameters.values())[1:])
    returned = signature_object.return_annotation if what in ("function", "method") else None
    text = stringify_signature(signature_object.replace(return_annotation=inspect.Signature.empty))
    return text, returned if isinstance(returned, str) else None
