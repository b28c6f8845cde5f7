"""Shipped checks: conformance, random play, determinize, goldens, speed."""
