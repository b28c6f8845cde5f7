"""The generator of the documentation: tables and pictures that come from code and from files of results.

    python -m training.research docs            rewrite what is stale
    python -m training.research docs --check    print what is stale
    python -m training.research notebooks       run the notebooks and store their outputs

`pages.py` finds the blocks, `blocks.py` lists what may stand in them; one module for each source fills them.
`figures.py` draws the figures of published results.
"""
