"""The one exception that a user of this tool sees."""


class ImageError(Exception):
    """What is wrong and what to do about it, in words for a terminal."""
