"""What datasets there are: where their files are published, what the bytes must be, what they hold.

Only files that are read are listed. Sizes and checksums are those of the published files; the figures are recomputed
from them, and ``paper_edges`` is what the paper prints (see ``docs/datasets.md`` for the difference).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Final

import numpy as np
import scipy.sparse

from privge._imports.plugins import Plugins
from privge.datasets.contents import Blob, Contents
from privge.datasets.dataset import Statistics
from privge.datasets.musae import read_musae
from privge.datasets.planetoid import read_planetoid
from privge.datasets.synthetic import social_network

Reader = Callable[[Mapping[str, Blob]], Contents]

_PLANETOID = "https://github.com/kimiyoung/planetoid"
_PLANETOID_FILES = "https://raw.githubusercontent.com/kimiyoung/planetoid/master/data"
_MUSAE_FILES = "https://raw.githubusercontent.com/benedekrozemberczki/MUSAE/master/input"
_KARATECLUB_FILES = "https://raw.githubusercontent.com/benedekrozemberczki/karateclub/master/dataset/node_level"


@dataclass(frozen=True, slots=True)
class Archive:
    """A zip archive that holds files of a dataset.

    Parameters
    ----------
    url
        Where it is published: https, or http on this machine.
    size, sha256
        What its bytes must be.
    """

    url: str
    size: int
    sha256: str

    @property
    def name(self) -> str:
        """Name of the file at the end of the address."""
        return self.url.rsplit("/", 1)[-1]


@dataclass(frozen=True, slots=True)
class DataFile:
    """One file of a dataset.

    Parameters
    ----------
    role
        What the reader of the format calls it.
    name
        Path inside the folder of the dataset.
    size, sha256
        What its bytes must be. A size that nobody wrote down is None.
    source
        Where it is published: an address of its own, or the archive that holds it.
    """

    role: str
    name: str
    size: int | None
    sha256: str
    source: str | Archive

    @property
    def url(self) -> str:
        """The address to get it from."""
        return self.source if isinstance(self.source, str) else self.source.url


@dataclass(frozen=True, slots=True)
class Description:
    """A dataset of the catalogue.

    Parameters
    ----------
    name, title
        Name of its folder and on the command line; name to read.
    licence, homepage
        What the publisher states, and where.
    files
        The files that are read.
    read
        Reader of the format.
    low, high
        Public bounds of every feature. Values beyond them are clipped, as a device would.
    statistics
        What the files must turn out to hold; None where that is not fixed.
    paper_edges
        Number of edges that the paper prints; None for datasets that it does not use.
    """

    name: str
    title: str
    licence: str
    homepage: str
    files: tuple[DataFile, ...]
    read: Reader
    low: float = 0.0
    high: float = 1.0
    statistics: Statistics | None = None
    paper_edges: int | None = None


def _planetoid(
    name: str, title: str, files: dict[str, tuple[int, str]], classes: tuple[str, ...], statistics: Statistics,
    paper_edges: int | None = None,
) -> Description:  # fmt: skip
    return Description(
        name=name,
        title=title,
        licence="MIT",
        homepage=_PLANETOID,
        files=tuple(
            DataFile(role, f"ind.{name}.{role}", size, sha256, f"{_PLANETOID_FILES}/ind.{name}.{role}")
            for role, (size, sha256) in files.items()
        ),
        read=partial(read_planetoid, classes=classes),
        statistics=statistics,
        paper_edges=paper_edges,
    )


_CORA = _planetoid(
    "cora",
    "Cora: papers that cite each other",
    {
        "allx": (257_305, "9419ba2f26f5c35243db64aba110e0f35a04851609e0dc5433450676ca6b8543"),
        "ally": (47_959, "2b998f5cc7fedc86e7f97ca2498f47a1ffc1462c29e2d578b23bf3f62b6e7d71"),
        "graph": (59_847, "58f13302f39dde8852dad6fe6d15b89b077b6d7f837626bce671ef80344b383d"),
        "test.index": (5_000, "297ce89af2b51a6a194181c7dbe1796c6a1cf9cd9349a88383b1b1e227867875"),
        "tx": (148_025, "b9afbaa4a400df991f6f02ef677e1e44da55ffc04801fd02f9e673987829226a"),
        "ty": (28_135, "41f5ac76596a1699cc33f53084a2419e92961c42bb75f36fc38e616d348532ad"),
    },
    ("theory", "reinforcement learning", "genetic algorithms", "neural networks", "probabilistic methods",
     "case based", "rule learning"),
    Statistics(nodes=2_708, edges=5_278, self_loops=0, features=1_433, classes=7),
    paper_edges=5_278,
)  # fmt: skip

_CITESEER = _planetoid(
    "citeseer",
    "Citeseer: papers that cite each other",
    {
        "allx": (595_021, "2ac30345d95c9ec933a817ee0bdd6a5f077f8c184a20e696910192d534414668"),
        "ally": (55_623, "f704b2d986dde6c2669934de1f3ae5696a6cf9455c0f6b2646a2d135ea0a1c95"),
        "graph": (61_987, "d79a4ef9d3e7169aee8946145f6b7306e35bc79bffad26346cfb94e10e9912a7"),
        "test.index": (5_000, "2af990671580b6b2df5d158d1038f8292e30c9cd821b5453f399659b25b723d4"),
        "tx": (260_321, "539a8906a2da97628d212f2fdd668c109a8b3f0d36574b59e5d3fd5b5303da21"),
        "ty": (24_135, "55e5bd1ba1e733a04598753ad1a8d57957f4b8f89e74519f41f4f4938767e4ce"),
    },
    ("artificial intelligence", "machine learning", "information retrieval", "databases", "agents",
     "human-computer interaction"),
    Statistics(nodes=3_327, edges=4_552, self_loops=124, features=3_703, classes=6),
)  # fmt: skip

_PUBMED = _planetoid(
    "pubmed",
    "Pubmed: papers on diabetes that cite each other",
    {
        "allx": (7_578_385, "508e538e2abdccdd54c4d3e9f49d638b4af7107d85845f66ddea5a5152658b7e"),
        "ally": (224_739, "0c37bbe3b5014ec365e9d393cf4791925e5ed94fb194305d74f064a8d7b50f0e"),
        "graph": (471_808, "5b89f0036ca22909471f1e6558eb42fa06e0c730a577bde5b058b40638f81dc9"),
        "test.index": (6_000, "b101d421688bbaecbd82e8a18f1e282378d6830f3a37666f28ebc47f844341b5"),
        "tx": (405_505, "4eb5f5d0f30f26497eb0ac6ac9719d09c67e284f1ed0385c93f3ef27a671da3d"),
        "ty": (12_135, "ee2e0d4819d9fbcc403689c3bf2e49face401b605932f093bc58ab6461130fdd"),
    },
    ("experimental", "type 1", "type 2"),
    Statistics(nodes=19_717, edges=44_324, self_loops=3, features=500, classes=3),
    paper_edges=44_324,
)

_LASTFM_ARCHIVE = Archive(
    "https://snap.stanford.edu/data/lastfm_asia.zip",
    6_527_202,
    "51acb78a923bb223ed6e61be88f91122fb29adca3f07beff7289cafd98601d47",
)
_LASTFM = Description(
    name="lastfm",
    title="LastFM Asia: listeners who follow each other, of the ten largest countries",
    licence="MIT",
    homepage="https://snap.stanford.edu/data/feather-lastfm-social.html",
    files=(
        DataFile("edges", "lastfm_asia_edges.csv", 270_447,
                 "548eacff61bff564ab5007831fa4a7a30e1a3956075ffd24e43310ed33555842", _LASTFM_ARCHIVE),
        DataFile("features", "lastfm_asia_features.json", None,
                 "93fe84c96ffa9f0081ab37085979641062393895925de6c344df0f829c8ed2e7", _LASTFM_ARCHIVE),
        DataFile("target", "lastfm_asia_target.csv", 56_482,
                 "91f19215f6eca8321feec038bd32900cf13fd4f7e041a9976cf202807c72ac16", _LASTFM_ARCHIVE),
    ),
    read=partial(read_musae, classes={str(number): f"country {number}" for number in range(18)}, largest=10),
    statistics=Statistics(nodes=7_083, edges=25_814, self_loops=0, features=7_842, classes=10),
    paper_edges=25_814,
)  # fmt: skip

_FACEBOOK = Description(
    name="facebook",
    title="Facebook: pages that like each other",
    licence="MIT or GPL-3.0",
    homepage="https://github.com/benedekrozemberczki/MUSAE",
    files=(
        DataFile("edges", "facebook_edges.csv", 1_882_610,
                 "7c50d8f02a75cc0829577814a1fc14535164daa38d79c3612340c9e9cdbd4022",
                 f"{_MUSAE_FILES}/edges/facebook_edges.csv"),
        DataFile("features", "facebook.json", 2_088_766,
                 "ea870537646a93642a0008d38aa9bfeff02018070ba97b1f3f469d9622626436",
                 f"{_MUSAE_FILES}/features/facebook.json"),
        DataFile("target", "facebook_target.csv", 1_177_912,
                 "7bd96eafea3c2ca40f44bfa9e73642194696c21e38c7b29ed409c32ad14075cd",
                 f"{_MUSAE_FILES}/target/facebook_target.csv"),
    ),
    read=partial(read_musae, label="page_type"),
    statistics=Statistics(nodes=22_470, edges=170_823, self_loops=179, features=4_714, classes=4),
    paper_edges=170_912,
)  # fmt: skip

_WIKIPEDIA = Description(
    name="wikipedia",
    title="Wikipedia: articles about crocodiles that link to each other",
    licence="MIT or GPL-3.0",
    homepage="https://snap.stanford.edu/data/wikipedia-article-networks.html",
    files=(
        DataFile("edges", "musae_crocodile_edges.csv", 1_873_093,
                 "92f4fe840f5ef79f85364e3678bbc909d0c151e0ff8d8328854b602d998f2d22",
                 f"{_MUSAE_FILES}/edges/crocodile_edges.csv"),
        DataFile("features", "musae_crocodile_features.json", 5_505_863,
                 "361952b2be1a8b8286f3ca78fc4037a3014bf7d7d7417d8a56266d80df3972da",
                 f"{_MUSAE_FILES}/features/crocodile.json"),
        DataFile("target", "karateclub/target.csv", 81_948,
                 "19d61f7d5093b5bd1f3a0cb61fa6375a78f5d675a6f0e59bc38cd8350a00a958",
                 f"{_KARATECLUB_FILES}/wikipedia/target.csv"),
    ),
    read=partial(read_musae, classes={"0": "little traffic", "1": "much traffic"}),
    statistics=Statistics(nodes=11_631, edges=170_773, self_loops=145, features=13_183, classes=2),
    paper_edges=170_845,
)  # fmt: skip


def _read_synthetic(_blobs: Mapping[str, Blob]) -> Contents:
    network = social_network()
    links = np.column_stack(network.graph.to_scipy().nonzero()).astype(np.int64)
    communities = tuple(f"community {number}" for number in range(int(network.labels.max()) + 1))
    return Contents(links, scipy.sparse.csr_array(network.features), network.labels, communities)


_SYNTHETIC = Description(
    name="synthetic",
    title="A made-up social network, the one of the demo",
    licence="Apache-2.0",
    homepage="",
    files=(),
    read=_read_synthetic,
)

DATASETS: Final[Mapping[str, Description]] = {
    description.name: description
    for description in (_CORA, _PUBMED, _LASTFM, _FACEBOOK, _WIKIPEDIA, _CITESEER, _SYNTHETIC)
}
"""The datasets of this package by name: the paper's five in its order, then the others."""


@cache
def datasets() -> Plugins[Description]:
    """Return every dataset by its name: `DATASETS`, and those that other packages bring as ``privge.datasets``."""
    return Plugins("datasets", DATASETS, _accepted)


def _accepted(name: str, member: object) -> Description:
    if not isinstance(member, Description):
        raise ValueError("it is not a privge.datasets.Description")
    if member.name != name:
        raise ValueError(f"it calls itself {member.name!r}")
    return member
