"""What every view and export carries: of what, by which rules, when and where it was measured."""

from collections.abc import Iterable, Iterator, Mapping

from benchwright.analysis.observations import Dataset
from benchwright.reports import words

_NETWORKS = {"none": "none: workspaces reached the model proxy and nothing else"}


def carried(data: Dataset) -> Mapping[str, str]:
    """Label → value. What the data do not say is said to be unknown."""
    of = data.provenance
    return {
        "Data": _all(of.runs),
        "Corpus": _all(of.corpus_digests),
        "Protocol": _all(of.protocols),
        "Network": _all(_NETWORKS.get(n, n) for n in of.networks),
        "First start": words.date(of.first_start),
        "Last outcome": words.date(of.last_outcome),
        "Prices": _all(of.prices),
    }


def warnings(data: Dataset) -> Iterator[str]:
    """What must not be read as one thing."""
    for what, several in (
        ("corpora", data.provenance.corpus_digests),
        ("protocols", data.provenance.protocols),
        ("network policies", data.provenance.networks),
    ):
        if len(several) > 1:
            yield f"The trials are of {len(several)} {what}: compare within one of them only."


def _all(values: Iterable[str]) -> str:
    return ", ".join(words.one_line(v) for v in values) or words.UNKNOWN
