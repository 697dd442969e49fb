"""Make the test vectors anew: ``python -m spec.make``, in the root of the repository."""

import json
import sys
from pathlib import Path
from typing import Any

from spec import campaigns, conversations, documents, inputs, valid

FOLDER = Path(__file__).parent / "vectors"
FORMAT = "privge-vectors-1"


def made() -> dict[str, Any]:
    """Return what each file holds, by its name."""
    return {
        "short": valid.vectors(campaigns.short_forms()),
        "questions": valid.vectors(campaigns.questions()),
        "taught": valid.vectors(campaigns.taught()),
        "documents": documents.vectors(),
        "inputs": inputs.vectors(),
        "conversations": conversations.vectors(),
    }


def main() -> None:
    """Write every file, and say how many cases there are."""
    FOLDER.mkdir(exist_ok=True)
    for name, entries in made().items():
        lines = ",\n".join(json.dumps(each, ensure_ascii=True, separators=(",", ":")) for each in entries)
        text = f'{{"format":"{FORMAT}","vectors":[\n{lines}\n]}}\n'
        (FOLDER / f"{name}.json").write_text(text)
        cases = sum(len(person["words"]) for each in entries for person in each.get("people", ()))
        sys.stdout.write(f"{name}.json  {len(entries)} entries, {cases} cases, {len(text):,} bytes\n")


if __name__ == "__main__":
    main()
