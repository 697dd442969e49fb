"""What a service that says no is understood to mean."""

from privge.errors import ServiceRefused

_REFUSALS = {
    401: "the service does not accept the token; ask the platform for a new one",
    403: "the service does not take this report",
    404: "the service does not know this campaign",
    409: (
        "the service has another report of this node and keeps the first. If the files of this device were deleted, "
        "nothing is lost: one report is stored, as it should be"
    ),
    410: "the campaign is closed, or this report was erased and will not be taken again",
}


def refused(status: int, detail: str) -> ServiceRefused:
    """Return a refusal in words, with the service's own."""
    words = _REFUSALS.get(status, f"the service refuses with {status}")
    detail = detail.replace(".;", ";").removesuffix(".")
    return ServiceRefused(status, f"{words} ({status}{f': {detail}' if detail else ''})")
