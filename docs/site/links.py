"""Links to files of the repository: to a copy that the browser opens, and from a replay to its page."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import quote

from docutils import nodes
from sphinx.addnodes import download_reference

from docs.site.replays import FOLDER
from rfop_env.replays.replay import SUFFIX

if TYPE_CHECKING:
    from sphinx.application import Sphinx

COPIES = "_downloads"  # where Sphinx puts the copies


def setup(app: Sphinx) -> None:
    """Connect with Sphinx."""
    app.connect("doctree-resolved", _open_files)


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
            link = nodes.reference("", "", *node.children, refuri=address(page, node["filename"]), internal=True)
            node.replace_self(link)
