"""Shipped checks: conformance, random play, redraw, goldens, speed."""
