"""The version, which is that of the program (a test compares them)."""

VERSION = "0.1.0"
