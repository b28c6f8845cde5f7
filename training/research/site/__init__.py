"""The documentation site: every page of the repository, the API reference and a replay of each game, for any browser.

    python -m training.research site            build/site/index.html

`contents.py` has the order of the pages, `conf.py` the settings of Sphinx, `docstrings.py` turns docstrings into pages,
`links.py` lets links to files lead somewhere, `replays.py` makes the pages to watch.
"""
