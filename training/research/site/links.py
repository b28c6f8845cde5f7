"""What pages need to be read in a browser: links to files that lead somewhere, names in tables that fit the screen.

A link to a file of the repository leads to a copy that the browser opens, and a link to a replay to its page.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import quote

from docutils import nodes
from sphinx.addnodes import download_reference

from rfop_env.replays.replay_file import SUFFIX
from training.research.site.replays import FOLDER

if TYPE_CHECKING:
    from sphinx.application import Sphinx

COPIES = "_downloads"  # where Sphinx puts the copies
BREAKS = re.compile(r"(?<=[_/:.,(=+-])")  # a long name may go on in the next line after one of these


def setup(app: Sphinx) -> None:
    """Connect with Sphinx."""
    app.connect("doctree-resolved", _open_files)
    app.connect("doctree-resolved", _break_names)


def address(page: str, copy: str) -> str:
    """The address of a copied file as a page sees it; a replay's is that of the page which plays it.

    >>> address("docs/environments/Paris-v0", "3f2a/Paris-v0.rfop")
    '../../replays/Paris-v0.html'
    >>> address("README", "3f2a/a file.toml")
    '_downloads/3f2a/a%20file.toml'
    """
    path = PurePosixPath(copy)
    target = f"{FOLDER}/{path.stem}.html" if path.suffix == SUFFIX else f"{COPIES}/{path}"
    return "../" * page.count("/") + quote(target)


def _open_files(app: Sphinx, tree: nodes.document, page: str) -> None:
    for node in list(tree.findall(download_reference)):
        if "filename" in node:
            to = address(page, node["filename"])
            classes = ["replay"] if to.endswith(".html") else []
            node.replace_self(nodes.reference("", "", *node.children, refuri=to, internal=True, classes=classes))


def _break_names(app: Sphinx, tree: nodes.document, page: str) -> None:
    """Let code in tables break between the words of a name."""
    for cell in tree.findall(nodes.entry):
        for code in cell.findall(nodes.literal):
            pieces = list[nodes.Node]()
            for piece in filter(None, BREAKS.split(code.astext())):
                pieces += [nodes.Text(piece), nodes.raw("", "<wbr>", format="html")]
            code.children = []
            code.extend(pieces[:-1])
