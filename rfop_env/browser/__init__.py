"""A page without a server: games drawn in the browser, by the Python of this package."""
