"""What the pictures of all games share: the palette, the measure of text, the SVG document, and common pieces.

Kept apart from the core, whose files the compiled rules depend on.
"""
