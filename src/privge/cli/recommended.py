"""What ``privge recommend`` says: the new friends of a few, how good the score is, and whom it favours."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from privge.graph import Graph
from privge.recommendation import Evaluation, Quality, Recommendations, Recommender, Watch
from privge.recommendation.baselines import POPULAR as BY_FRIENDS
from privge.recommendation.baselines import RANDOM
from privge.recommendation.evaluation import CLEAN, COMMON, FUSED, VECTORS, WALK, control
from privge.recommendation.recommendations import COMMON as BY_COMMON
from privge.recommendation.recommendations import POPULAR
from privge.recommendation.recommendations import VECTORS as BY_VECTORS

_ALONE = {
    RANDOM: "at random: ten of everybody",
    BY_FRIENDS: "popularity: most friends",
    COMMON: "graph alone: common friends",
    WALK: "graph alone: personalized PageRank",
}
_INSTEAD = {
    POPULAR: "here are popular people",
    BY_VECTORS: "here are people whose vectors fit",
    None: "there is nobody to recommend",
}
_NOT_AT_HAND = "not at hand: a collection has no true features (for research: --features)"
_USELESS = "do not use these"
_MANY = 100  # people from which on it is said how recommendations spread over them


def told(recommender: Recommender, found: Recommendations) -> Iterator[str]:
    """Yield the new friends of each person, line by line."""
    graph = recommender.graph
    lines = _lines(found)
    for person, row in zip(found.people.tolist(), graph.rows_of(found.people).tolist(), strict=True):
        friends = int(graph.degrees[row])
        mine = lines.get(person, [])
        if not friends:
            yield f"{person} has no friends in the graph; {_INSTEAD[mine[0]['because'] if mine else None]}"
        else:
            known = "1 friend" if friends == 1 else f"{friends:,} friends"
            yield f"{person} ({known})" if mine else f"{person} ({known}): there is nobody to recommend"
        for each in mine:
            common = each["common_friends"]
            named = "1 common friend" if common == 1 else f"{common:,} common friends"
            why = named if each["because"] == BY_COMMON else each["because"]
            yield f"{each['rank']:4}  {each['recommended']}  {each['score']:.2f}  {why}"


def _lines(found: Recommendations) -> dict[object, list[dict[str, Any]]]:
    """Return the recommendations of each person."""
    lines: dict[object, list[dict[str, Any]]] = {}
    for line in found.to_arrow().to_pylist():
        lines.setdefault(line["node"], []).append(line)
    return lines


def who(graph: Graph, *, edges_alone: bool) -> str:
    """Return how many people there are; with ``edges_alone`` the graph has only those of an edge list."""
    lonely = int((graph.degrees == 0).sum())
    count = f"The graph has {graph.nodes:,} people, {lonely:,} of them without friends"
    if edges_alone and not lonely:
        return f"{count}; whoever has no edge is not among them: give the table of everybody by --nodes."
    return f"{count}."


def about(recommender: Recommender, watch: Watch) -> Iterator[str]:
    """Yield how good the score is on held-out edges, with its parts and controls, and whom it favours."""
    yield from recommender.remarks
    if recommender.evaluation is not None:
        yield from _table(recommender.evaluation)
    if recommender.gate is not None:
        yield f"Vectors beside the graph: {recommender.gate}."
    if watch.people >= _MANY:
        yield f"Here: {watch.spread}."
    elif recommender.evaluation is not None:
        yield f"On held-out edges: {recommender.evaluation.spread.of_asked('queries')}."
    yield from (f"{line[:1].upper()}{line[1:]}." for line in conclusions(recommender.evaluation))


def conclusions(evaluation: Evaluation | None) -> Iterator[str]:
    """Yield in plain words whether what is recommended is better than what anybody could do who knows nobody."""
    if evaluation is None:
        yield "nothing here was judged by held-out edges, so it is not known whether this is better than chance"
        return
    name = max((RANDOM, BY_FRIENDS), key=lambda one: evaluation.scores[one].hits)
    lead, beside = evaluation.leads[name], f"what is recommended beside the better of chance and popularity ({name})"
    if lead.told:
        yield f"{beside}: {lead}: better than both"
    elif not evaluation.leads[RANDOM].told:
        yield f"{beside}: {lead}: nothing that can be told from chance: {_USELESS}"
    else:
        yield f"{beside}: {lead}: no better than to show the people with the most friends: {_USELESS}"


def _table(evaluation: Evaluation) -> Iterator[str]:
    yield (
        f"Held-out friends found again ({evaluation.queries:,} asked, {evaluation.ceiling:.1%} are among the "
        "candidates), percent ± standard error:"
    )
    yield f"  {'':42} {'hits@10':>12} {'MRR':>12} {'AUC':>6}"
    for name, quality in _with_absent(evaluation).items():
        if quality is None:
            yield f"  {name:42} {_NOT_AT_HAND}"
            continue
        hits, reciprocal = (
            f"{100 * value:.1f} ± {100 * error:.1f}"
            for value, error in zip((quality.hits, quality.reciprocal), quality.errors, strict=True)
        )
        shown = f"{name}: what is recommended" if name == _final(evaluation) else _ALONE.get(name, name)
        yield f"  {shown:42} {hits:>12} {reciprocal:>12} {100 * quality.area:6.1f}"


def _final(evaluation: Evaluation) -> str:
    """Return the name of the score that recommends."""
    return FUSED if FUSED in evaluation.scores else list(evaluation.scores)[-1]


def _with_absent(evaluation: Evaluation) -> dict[str, Quality | None]:
    """Return all scores in order; where there are vectors, None stands for what they would reach without privacy."""
    found: dict[str, Quality | None] = dict(evaluation.scores)
    if FUSED not in found:
        return found
    for each in (VECTORS, FUSED):
        found.setdefault(control(each, CLEAN), None)
    last = {name: (name.startswith(FUSED), name == FUSED) for name in found}
    return {name: found[name] for name in sorted(found, key=last.__getitem__)}


def summary(
    recommender: Recommender, watch: Watch, found: Recommendations | None, output: Path | None
) -> dict[str, object]:
    """Return what a machine may want to know."""
    graph, gate, evaluation = recommender.graph, recommender.gate, recommender.evaluation
    return {
        "nodes": graph.nodes,
        "edges": graph.edges,
        "without_friends": int((graph.degrees == 0).sum()),
        "people": watch.people,
        "recommendations": watch.lines if found is None else found.to_arrow().to_pylist(),
        "output": None if output is None else str(output),
        "vectors": None if gate is None else {**asdict(gate), "used": gate.open},
        "evaluation": None if evaluation is None else _judged(evaluation),
        "spread": watch.spread.to_dict(),
        "remarks": list(recommender.remarks),
        "conclusions": list(conclusions(evaluation)),
    }


def _judged(evaluation: Evaluation) -> dict[str, object]:
    return {
        "queries": evaluation.queries,
        "ceiling": evaluation.ceiling,
        "final": _final(evaluation),
        "scores": {name: _quality(quality) for name, quality in _with_absent(evaluation).items()},
        "leads": {
            name: {"hits@10": lead.points / 100, "interval": [end / 100 for end in lead.interval], "told": lead.told}
            for name, lead in evaluation.leads.items()
        },
        "spread": {name: value for name, value in evaluation.spread.to_dict().items() if name != "people"},
    }


def _quality(quality: Quality | None) -> dict[str, float] | None:
    if quality is None:
        return None
    hits, reciprocal = quality.errors
    return {
        "hits@10": quality.hits,
        "hits@10_error": hits,
        "mrr": quality.reciprocal,
        "mrr_error": reciprocal,
        "auc": quality.area,
    }
