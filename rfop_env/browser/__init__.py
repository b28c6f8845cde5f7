"""The games in a browser: rules as WebAssembly, drawings and sentences as MicroPython, pages without a server."""
