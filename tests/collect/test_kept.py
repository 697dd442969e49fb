"""What was read is kept in bounded memory, whatever the documents weigh."""

from privge.collect.kept import Kept


def test_what_was_kept_comes_back_until_it_is_too_much():
    kept = Kept(most=100)
    for name in ("a", "b", "c"):
        kept.keep(name, name.upper(), 40)
    assert [kept.get(name) for name in ("a", "b", "c")] == [None, "B", "C"]
    assert kept.used == 80


def test_the_longest_unused_goes_first():
    kept = Kept(most=100)
    kept.keep("a", 1, 40)
    kept.keep("b", 2, 40)
    kept.get("a")
    kept.keep("c", 3, 40)
    assert (kept.get("a"), kept.get("b")) == (1, None)


def test_the_latest_is_kept_whatever_it_weighs():
    kept = Kept(most=100)
    kept.keep("small", 1, 10)
    kept.keep("large", 2, 1_000)
    assert (kept.get("small"), kept.get("large"), kept.used) == (None, 2, 1_000)


def test_the_same_name_again_is_weighed_once():
    kept = Kept(most=100)
    for size in (60, 30, 50):
        kept.keep("a", size, size)
    assert (kept.get("a"), kept.used) == (50, 50)
