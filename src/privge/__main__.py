"""``python -m privge``: the same as the ``privge`` command."""

from privge.cli import main

main(prog_name="privge")
