"""Measured figures in a page of the documentation: they stand between two marks, which name them."""

from __future__ import annotations

import re

from rfop_env.core.errors import BadArgument


def with_block(page: str, name: str, content: str) -> str:
    """A page with `content` between `<!-- name -->` and `<!-- /name -->`; `BadArgument` where these are missing."""
    block = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
    if not block.search(page):
        raise BadArgument(f"the page has no place for the table: <!-- {name} --> and <!-- /{name} -->")
    return block.sub(lambda found: f"{found[1]}{content}\n{found[2]}", page)
