from privge.cli.fused import _beside
from privge.teaching import Judged


def judges(alone):
    return Judged("everybody", 41, 73.2, 75.6, majority=41.5, graph_alone=alone, interval=(-12.1, 16.7))


def test_it_is_said_which_controls_cannot_be_had_and_where_they_are():
    (line,) = _beside([judges(70.0)])
    assert line.startswith("no privacy and answers from somebody else's profile cannot be had here")
    assert "`privge simulate two-step`" in line
    assert _beside([judges(None)]) == [line]
    assert _beside([]) == [], "too few judges: there is no table"


def test_a_graph_that_finds_more_than_the_answers_is_said():
    _, line = _beside([judges(80.5)])
    assert line.startswith("the graph alone finds 80.5 % of the judges, more than the 75.6 % with answers")
