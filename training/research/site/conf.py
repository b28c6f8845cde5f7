"""The settings of Sphinx; `python -m training.research site` builds with them."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from sphinx.deprecation import RemovedInSphinx10Warning

import rfop_env
from training.research.site import contents, docstrings, links, play_pages, replays

if TYPE_CHECKING:
    from sphinx.application import Sphinx

warnings.filterwarnings("ignore", category=RemovedInSphinx10Warning, module="myst_nb")

# What is built: the pages of the repository where they lie, without anything else that lies there.
project = "rfop-env"
author = "The rfop-env authors"
project_copyright = author
version = release = rfop_env.__version__
extensions = ["myst_nb", "sphinx.ext.autodoc"]
root_doc = contents.START
include_patterns = list(contents.PATTERNS)
exclude_patterns = [".*", "build", "dist", "runs"]
source_suffix = {".md": "myst-nb", ".ipynb": "myst-nb", ".rst": "restructuredtext"}

# Markdown as code hosts read it.
smartquotes = False
myst_heading_anchors = 4

# Notebooks with the outputs that they are stored with.
nb_execution_mode = "off"

# The reference.
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
autodoc_mock_imports = ["pufferlib", "pyspiel", "tensordict", "torchrl"]  # their adapters are documented without them
add_module_names = False
python_maximum_signature_line_length = 80
toc_object_entries_show_parents = "hide"

# How it looks.
html_theme = "furo"
html_title = "rfop-env"
html_copy_source = False
html_show_sphinx = False
html_static_path = ["static"]
html_css_files = ["site.css"]
html_theme_options = {"navigation_with_keys": False}
pygments_style = "default"
pygments_dark_style = "github-dark"


def setup(app: Sphinx) -> None:
    """Connect the parts of the site."""
    app.connect("source-read", _add_contents)
    docstrings.setup(app)
    links.setup(app)
    replays.setup(app)
    play_pages.setup(app)


def _add_contents(app: Sphinx, page: str, source: list[str]) -> None:
    if page == contents.START:
        source[0] += contents.toctrees()
