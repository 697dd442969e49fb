"""Settings in a file: what is written is read again, parts stay, and what cannot be is named."""

import pytest

from privge.errors import BadData
from privge.propagation import DEFAULT_ALPHA
from privge.tasks.settings import HEADS, Settings, read_all_settings, read_settings, write_settings

FOUND = Settings(alpha=0.2, r=0.1, tolerance=1e-3, k=4, head={"hidden": 64, "scaling": "rows"})


@pytest.fixture
def path(tmp_path):
    return tmp_path / "settings.toml"


@pytest.mark.parametrize("task", ["nodes", "links"])
def test_what_was_written_is_read_again(path, task):
    write_settings(path, task, FOUND, {"by": "a test", "validation": 81.5})
    assert read_settings(path, task) == FOUND


def test_the_other_tasks_settings_stay(path):
    write_settings(path, "nodes", FOUND, {"by": "a test"})
    write_settings(path, "links", Settings())
    assert read_all_settings(path) == {"nodes": FOUND, "links": Settings()}
    assert 'by = "a test"' in path.read_text()


def test_what_a_file_leaves_out_is_the_default(path):
    path.write_text("[nodes]\nr = 0.3\n")
    assert read_settings(path, "nodes") == Settings(alpha=DEFAULT_ALPHA, r=0.3)


def test_settings_of_the_other_task_alone_are_refused(path):
    write_settings(path, "nodes", FOUND)
    with pytest.raises(BadData, match="no settings for links here, only for nodes; `privge tune links` makes them"):
        read_settings(path, "links")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "there are no settings here"),
        ("alpha = 0.1", "this has 'alpha'"),
        ("[people]\nalpha = 0.1", "this has 'people'"),
        ("[nodes]\nalfa = 0.1", r"\[nodes\]: there is no setting 'alfa'; there are alpha, r, tolerance, k, head"),
        ("[nodes]\nalpha = 1.5", r"\[nodes\]: alpha must lie between 0 and 1"),
        ('[nodes]\nalpha = "0.1"', r"\[nodes\]: alpha must be a number"),
        ("[nodes]\nk = 0", r"\[nodes\]: k must be at least 1"),
        ("[nodes]\nk = 1.5", r"\[nodes\]: k must be a whole number"),
        ("[nodes]\nhead = 3", "head must be a table"),
        ("[nodes.head]\nwidth = 3", "the head for nodes has no 'width'; it has hidden"),
        ("[nodes.head]\nseed = 3", "the head for nodes has no 'seed'"),
        ("[nodes.head]\nscaling = 3", "scaling of the head must be text"),
        ('[nodes.head]\nhidden = "3"', "hidden of the head must be a number"),
    ],
)
def test_what_cannot_be_a_setting_is_named_with_the_file(path, text, said):
    path.write_text(text)
    with pytest.raises(BadData, match=rf"settings\.toml.*{said}"):
        read_settings(path, "nodes")


def test_a_file_of_something_else_is_not_overwritten(path):
    path.write_text('title = "mine"\n')
    with pytest.raises(BadData, match="this has 'title'"):
        write_settings(path, "nodes", FOUND)
    assert path.read_text() == 'title = "mine"\n'


@pytest.mark.parametrize("task", ["nodes", "links"])
def test_a_head_takes_all_that_the_file_may_state(path, task):
    head = {name: value for name, value in HEADS[task]().get_params().items() if name not in ("seed", "threads")}
    del head["device"]
    write_settings(path, task, Settings(head=head))
    assert HEADS[task](**read_settings(path, task).head).get_params() == HEADS[task]().get_params()
