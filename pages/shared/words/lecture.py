"""Texts for a class: its name, and the link by which others open the page."""

HERE = "Open this page"
NO_CODE = "With the package segno on the server, the link stands here as a QR code, too."
NOT_OUTSIDE = "The link is for this machine only: open the page by the machine's name or IP address to share it."


def code_of(link: str) -> str:
    """The QR code, for those who do not see it."""
    return f"QR code of {link}"
