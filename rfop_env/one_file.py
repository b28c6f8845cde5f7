"""Pages in one file: modules of JavaScript in one text, and a policy that lets nothing else run."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

STATIC = Path(__file__).parent / "web" / "static"  # the page of `rfop serve`, whose modules and styles others share
IMPORT = re.compile(r'^import (?:(?P<names>.+) from )?"\./(?P<file>.+)";\n', re.MULTILINE)
EXPORT = re.compile(r"(?:^|(?<=[;}]))export (?:default \w+;|(?=const|let|class|function|async function))", re.MULTILINE)
EXPORTED = re.compile(r"(?:^|(?<=[;}]))export (?:const|let|class|function|async function) ([\w$]+)", re.MULTILINE)


HEAD = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{{POLICY}}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{{TITLE}}</title>
<link rel="icon" href="data:,">
<style>
{{STYLE}}</style>
</head>
"""


def inline_modules(path: Path, folders: Sequence[Path] = (), exports: bool = False) -> str:
    """A JavaScript module and all that it imports as one text, for pages that have nowhere to import from.

    Imported modules lie beside it, in one of `folders`, or among those of the server's page. Each keeps its own names.
    With `exports` the text is a module that exports what the first one does.
    """
    texts: dict[str, str] = {}
    places = (path.parent, *folders, STATIC)

    def add(module: Path) -> None:
        text = module.read_text(encoding="utf-8")
        for match in IMPORT.finditer(text):
            if match["file"] not in texts:
                add(next(folder / match["file"] for folder in places if (folder / match["file"]).exists()))
        texts[module.name] = text

    add(path)
    first = texts.pop(path.name)
    imported = [_module(name, text) for name, text in texts.items()]
    last = _imports(first) if exports else EXPORT.sub("", _imports(first))
    return "\n".join(["const modules = {};", *imported, last])


def _module(name: str, text: str) -> str:
    """A module as a function that returns what it exports; one of another project (.mjs) may wait for something."""
    inside = f"{EXPORT.sub('', _imports(text))}\nreturn {{ {', '.join(EXPORTED.findall(text))} }};"
    run = "await (async () =>" if name.endswith(".mjs") else "(() =>"
    return f"modules[{name!r}] = {run} {{\n{inside}\n}})();"


def _imports(text: str) -> str:
    """A module that takes what it imports from `modules`."""

    def from_modules(match: re.Match[str]) -> str:
        names = match["names"]
        return "" if names is None else f"const {names.removeprefix('* as ')} = modules[{match['file']!r}];\n"

    return IMPORT.sub(from_modules, text)


def fill_page(template: Path, script: str, title: str, style: str, parts: Mapping[str, str], allowed: str = "") -> str:
    """A page of a template with `{{NAME}}` where a part goes, and `{{HEAD}}` for the head of every page.

    Besides `parts` these are TITLE, STYLE, SCRIPT and POLICY: this script and no other, nothing from elsewhere, but for
    what `allowed` adds to the policy.
    """
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    extra = "'wasm-unsafe-eval'" if allowed else ""
    policy = (
        f"default-src 'none'; script-src 'sha256-{digest}' {extra}; style-src 'unsafe-inline'; img-src data:; {allowed}"
    )
    filled = {"TITLE": html.escape(title), "POLICY": html.escape(policy), "STYLE": style, "SCRIPT": script, **parts}
    text = template.read_text(encoding="utf-8").replace("{{HEAD}}", HEAD)
    return re.sub(r"\{\{(\w+)\}\}", lambda match: filled[match[1]], text)
