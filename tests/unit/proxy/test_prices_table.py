"""Tables of prices: what is refused, what is told, what is imported, what is found."""

import json
from datetime import date
from pathlib import Path

import pytest

from benchwright_proxy.cli import main
from benchwright_proxy.jsonvalue import Json, JsonObject
from benchwright_proxy.prices import book, lint, litellm
from benchwright_proxy.prices.table import PriceTable
from benchwright_proxy.yamlfile import FileError

ROW: JsonObject = {
    "provider": "p",
    "model": "m",
    "effective_from": "2026-10-01",
    "source_url": "https://prices.example",
    "retrieved_at": "2026-10-02",
    "per_million": {"input": "3", "output": "15"},
}
NOON = 1_791_201_600.0  # 2026-10-05 12:00 UTC


def table(*rows: JsonObject) -> PriceTable:
    return PriceTable.model_validate({"name": "t", "prices": list(rows)})


REFUSED: list[tuple[str, JsonObject, str]] = [
    ("a number in YAML is a binary fraction", {"per_million": {"input": 3.0}}, "decimal in quotes"),
    ("no input", {"per_million": {"output": "3"}}, "input is needed"),
    ("0 is not unknown", {"per_million": {"input": "0"}}, "needs `free: true`"),
    ("bifrost#3559: a price per token", {"per_million": {"input": "0.000003"}}, "no price of a"),
    ("a price per billion", {"per_million": {"input": "30000"}}, "less than or equal to"),
    ("below 0", {"per_million": {"input": "-1"}}, "greater than or equal to 0"),
    ("not a number", {"per_million": {"input": "NaN"}}, "finite"),
    ("a class that nobody knows", {"per_million": {"input": "1", "thoughts": "2"}}, "thoughts"),
    ("a field that nobody knows", {"discount": "2"}, "Extra inputs"),
    ("it ends before it begins", {"effective_to": "2026-10-01"}, "must be later"),
    ("no source", {"source_url": "a friend"}, "should match"),
    (
        "tiers out of order",
        {
            "tiers": [
                {"min_input_tokens": 20, "per_million": {"input": "1"}},
                {"min_input_tokens": 10, "per_million": {"input": "2"}},
            ]
        },
        "must rise",
    ),
    ("a variant of nothing", {"variants": [{"multiplier": "2"}]}, "say of which"),
    ("a variant that says nothing", {"variants": [{"geo": "us"}]}, "either per_million or"),
    (
        "two prices of one case",
        {
            "variants": [
                {"geo": "us", "per_million": {"input": "1"}},
                {"geo": "us", "per_million": {"input": "2"}},
            ]
        },
        "same case",
    ),
]


@pytest.mark.parametrize(("change", "says"), [r[1:] for r in REFUSED], ids=[r[0] for r in REFUSED])
def test_a_wrong_row_is_refused(change: JsonObject, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        table({**ROW, **change})


def test_two_prices_at_a_time_are_refused() -> None:
    with pytest.raises(ValueError, match="two prices are valid on 2026-11-01"):
        table(ROW, {**ROW, "effective_from": "2026-11-01"})


def test_a_price_has_its_days_and_its_provider() -> None:
    """Helicone#4893: keyed by provider and model."""
    early: JsonObject = {**ROW, "effective_to": "2026-10-05"}
    late: JsonObject = {
        **ROW, "effective_from": "2026-10-05", "per_million": {"input": "4", "output": "20"},
    }  # fmt: skip
    found = book.PriceBook(table(early, late).prices)
    midnight = NOON - 12 * 3600
    before, after = found.find("p", "m", midnight - 1), found.find("p", "m", midnight)
    assert before is not None
    assert after is not None
    assert (str(before.per_million["input"]), str(after.per_million["input"])) == ("3", "4")
    assert found.find("p", "m", NOON - 30 * 86400) is None
    assert found.find("q", "m", NOON) is None
    assert found.find("p", "m2", NOON) is None


def test_the_digest_names_the_content_and_nothing_else() -> None:
    other: JsonObject = {**ROW, "model": "n"}
    one = book.PriceBook(table(ROW, other).prices).digest
    assert one == book.PriceBook(table(other, ROW).prices).digest
    assert one != book.PriceBook(table({**ROW, "free": True}, other).prices).digest


def test_own_prices_replace_a_model_whole() -> None:
    base = table(ROW, {**ROW, "model": "n"})
    own = table({**ROW, "effective_from": "2026-10-04", "per_million": {"input": "1"}})
    found = book.merged(base, own)
    assert found.find("p", "m", NOON - 3 * 86400) is None
    assert found.find("p", "n", NOON) is not None


@pytest.mark.parametrize(
    ("rates", "says"),
    [
        (
            {"input": "1", "output": "2", "cache_read": "1.5"},
            "cache_read 1.5 is dearer than input 1",
        ),
        ({"input": "1", "cache_write_5m": "2", "cache_write_1h": "1.5"}, "is dearer than"),
        ({"input": "2", "output": "1"}, "input 2 is dearer than output 1"),
    ],
)
def test_litellm_38056_odd_prices_are_told(rates: JsonObject, says: str) -> None:
    (line,) = lint.findings(table({**ROW, "per_million": rates}))
    assert line.startswith("p m from 2026-10-01: per_million: ")
    assert says in line


def test_a_sound_table_has_no_oddities() -> None:
    assert lint.findings(table(ROW)) == []


#: As LiteLLM writes it (MIT), cut.
THEIRS = """{
"sample_spec": {"litellm_provider": "one of ..."},
"claude-x": {"litellm_provider": "anthropic", "mode": "chat", "input_cost_per_token": 3e-06,
  "output_cost_per_token": 1.5e-05, "cache_read_input_token_cost": 3e-07,
  "cache_creation_input_token_cost": 3.75e-06, "cache_creation_input_token_cost_above_1hr": 6e-06,
  "input_cost_per_token_above_200k_tokens": 6e-06, "output_cost_per_token_above_200k_tokens": 2.25e-05,
  "input_cost_per_token_batches": 1.5e-06, "input_cost_per_token_priority": 6e-06,
  "output_cost_per_token_priority": 3e-05,
  "search_context_cost_per_query": {"search_context_size_high": 0.01, "search_context_size_low": 0.01},
  "provider_specific_entry": {"us": 1.1, "fast": 2, "moon": 3}, "source": "https://a.example/prices"},
"gemini/gem": {"litellm_provider": "gemini", "mode": "chat", "input_cost_per_token": 1e-06,
  "output_cost_per_token": 2e-06, "output_cost_per_reasoning_token": 2e-06,
  "search_context_cost_per_query": {"search_context_size_high": 0.03, "search_context_size_low": 0.01}},
"free-x": {"litellm_provider": "gemini", "mode": "chat", "input_cost_per_token": 0.0},
"picture": {"litellm_provider": "gemini", "mode": "image_generation", "input_cost_per_token": 1e-06},
"azure/x": {"litellm_provider": "azure", "mode": "chat", "input_cost_per_token": 1e-06}
}"""


def test_import_from_litellm() -> None:
    found = litellm.convert(THEIRS, ["anthropic", "gemini"], date(2026, 12, 2))
    assert [line.partition(":")[0] for line in found.skipped] == ["claude-x", "free-x"]
    claude, gem = (row.model_dump(mode="json", exclude_defaults=True) for row in found.rows)
    assert claude == {
        "provider": "anthropic",
        "model": "claude-x",
        "effective_from": "2026-12-02",
        "retrieved_at": "2026-12-02",
        "source_url": "https://a.example/prices",
        "per_million": {
            "input": "3", "output": "15", "cache_read": "0.3",
            "cache_write_5m": "3.75", "cache_write_1h": "6",
        },
        "tiers": [
            {"min_input_tokens": 200_001, "per_million": {"input": "6", "output": "22.5"}},
        ],
        "variants": [
            {"service_tier": "priority", "per_million": {"input": "6", "output": "30"}},
            {"geo": "us", "multiplier": "1.1"},
            {"speed": "fast", "multiplier": "2"},
        ],
        "server_tools": {"web_search": "10"},
    }  # fmt: skip
    assert (gem["model"], gem["per_million"]) == ("gem", {"input": "1", "output": "2"})
    assert "server_tools" not in gem


def test_what_is_imported_is_a_table_again(tmp_path: Path) -> None:
    found = litellm.convert(THEIRS, ["anthropic", "gemini"], date(2026, 12, 2))
    path = tmp_path / "prices.yaml"
    path.write_text(litellm.as_yaml("t", found.rows, ["a note"]))
    assert book.load(path) == PriceTable(name="t", prices=tuple(found.rows))


def test_the_built_in_table_is_sound() -> None:
    built_in = book.built_in()
    assert len(built_in.prices) > 100
    assert {row.provider for row in built_in.prices} == {"anthropic", "gemini", "openai"}
    assert all("is dearer than" not in line for line in lint.findings(built_in))


def test_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    theirs, ours = tmp_path / "theirs.json", tmp_path / "ours.yaml"
    theirs.write_text(THEIRS)
    common = ["--name", "t", "--retrieved", "2026-12-02", "--provider", "anthropic"]
    assert main(["prices", "import-litellm", str(theirs), *common]) == 0
    ours.write_text(capsys.readouterr().out)
    assert main(["prices", "lint", str(ours)]) == 0
    assert "1 prices, " in capsys.readouterr().out
    theirs.write_text("[]")
    assert main(["prices", "import-litellm", str(theirs), *common]) == 1
    assert f"{theirs}: expected a JSON object of models" in capsys.readouterr().err
    ours.write_text("name: t\nprices: [{provider: p}]\n")
    assert main(["prices", "lint", str(ours)]) == 1
    assert f"{ours}: prices[0].model: Field required" in capsys.readouterr().err


CALL: JsonObject = {
    "call": "c1", "started_at": NOON, "ran": True, "price_provider": "p", "price_model": "m",
    "usage_source": "provider", "input_tokens": 1000, "input_uncached": 1000, "cache_read": 0,
    "cache_write": 0, "output_tokens": 100, "cost_nanos": 1, "prices": "sha256:old",
}  # fmt: skip


def test_litellm_20615_records_are_priced_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    calls, prices = tmp_path / "calls.jsonl", tmp_path / "prices.yaml"
    rows: list[JsonObject] = [
        CALL, {**CALL, "call": "c2", "price_model": "n"}, {**CALL, "call": "c3", "ran": False},
    ]  # fmt: skip
    calls.write_text("".join(json.dumps(call) + "\n" for call in rows))
    prices.write_text(json.dumps({"name": "t", "prices": [ROW]}))
    assert main(["prices", "reprice", str(calls), "--prices", str(prices)]) == 0
    out, err = capsys.readouterr()
    found = [json.loads(line) for line in out.splitlines()]
    assert [(c["cost_nanos"], c["cost_unknown"]) for c in found] == [
        (4_500_000, None), (None, "no_price"), (0, None),
    ]  # fmt: skip
    assert found[0]["prices"] == found[1]["prices"] != "sha256:old"
    assert "3 calls: $0.004500 known, 1 of unknown cost" in err


@pytest.mark.parametrize("line", ["no", "[]", "3"])
def test_a_line_that_is_no_call_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str
) -> None:
    calls = tmp_path / "calls.jsonl"
    calls.write_text(json.dumps(CALL) + "\n" + line + "\n")
    assert main(["prices", "reprice", str(calls)]) == 1
    assert f"{calls}:2: not a JSON object of a call" in capsys.readouterr().err


def test_a_table_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"none\.yaml: cannot be read"):
        book.load(tmp_path / "none.yaml")


def test_yaml_without_quotes_is_refused_where_it_stands(tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    plain: Json = {**ROW, "per_million": {"input": 3.1}}
    path.write_text(json.dumps({"name": "t", "prices": [plain]}))
    with pytest.raises(
        FileError, match=r"p\.yaml: prices\[0\]\.per_million\.input: expected a dec"
    ):
        book.load(path)
