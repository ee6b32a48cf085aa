"""The table of a run's page: what has another digest is never put together."""

from benchwright.web.cells import MAX_AGENTS, MAX_CELLS, Cell, by_digest, grid
from benchwright.web.lists import Tally
from benchwright.web.resultcell import result


def _tally(agent: str, task: str, outcome: str, trials: int = 1, digest: str = "d") -> Tally:
    return Tally(
        agent=agent, agent_digest="a", task=task, task_digest=digest, outcome=outcome, trials=trials
    )


def test_counts_of_an_agent_at_a_task_are_added_up() -> None:
    table = grid([_tally("x", "t", "success", 3), _tally("x", "t", "timeout", 1)])
    (cell,) = table.cells.values()
    assert (cell.of("success"), cell.valid, cell.rate) == (3, 4, 0.75)


def test_a_task_whose_digest_changed_is_two_rows() -> None:
    table = grid([_tally("x", "t", "success"), _tally("x", "t", "success", digest="e")])
    assert [(t.digest, t.twice) for t in table.tasks] == [("d", True), ("e", True)]
    assert [g.digest for g in by_digest([_tally("x", "t", "success")], of="task")] == ["d"]


def test_invalid_trials_are_in_no_rate() -> None:
    cell = Cell({"invalid": 2})
    assert (cell.valid, cell.interval) == (0, None)
    assert "no valid trial: 2 invalid" in result(cell)
    assert "1/1" in result(Cell({"invalid": 2, "success": 1}))


def test_a_large_table_has_pages_and_a_page_out_of_range_is_the_nearest() -> None:
    tallies = [_tally(f"a{n:02}", f"t{m:03}", "success") for n in range(25) for m in range(30)]
    first, last = grid(tallies), grid(tallies, page=99)
    assert (len(first.agents), first.all_agents) == (MAX_AGENTS, 25)
    assert len(first.agents) * len(first.tasks) <= MAX_CELLS
    assert (last.page, first.page) == (first.pages, 1)
    assert grid(tallies, page=-3).page == 1
