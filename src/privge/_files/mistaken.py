"""What a file is that stands in the place of another, and which command takes it: more than that it is not JSON."""

_TABLES = {
    b"privge-plan": "a plan of who teaches and who is asked: `privge teach question` and `privge teach fuse` take it "
    "as --plan",
    b"privge.provenance": "an embedding: `privge similar` and `privge embed --update` take it",
    b"privge.campaign": "a file of reports: `privge embed`, `privge teach question` and `privge teach fuse` take it as "
    "--reports",
}
"""Marks in the last part of tables that the package wrote."""

_DOCUMENTS = {
    "privge-question": "a question that teachers taught: `privge campaign new --question` makes a campaign of it",
    "privge-campaign": "a campaign: `privge campaign show` shows it",
}
"""How the format of a document begins."""


def refused_table(content: bytes) -> str | None:
    """Say what a file is that should be a document in JSON, if it is a table."""
    if not content.startswith(b"PAR1"):
        return None
    for mark, words in _TABLES.items():
        if mark in content[-(1 << 22) :]:
            return f"this is {words}"
    return "this is a table in Parquet, not a document in JSON"


def refused_document(document: object, wanted: str) -> str | None:
    """Say what a document is, if it is known and is not what was wanted, such as ``privge-campaign``."""
    stated = document.get("format") if isinstance(document, dict) else None
    for kind, words in _DOCUMENTS.items():
        if isinstance(stated, str) and kind != wanted and stated.startswith(f"{kind}-"):
            return f"this is {words}"
    return None
