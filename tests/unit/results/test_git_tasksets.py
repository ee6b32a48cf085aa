"""Task sets in a repository: which directories are tasks, and what none of them may reach."""

from typing import Any

import pytest

from benchwright.results import taskfolders
from tests.unit.results.origin import Origin
from tests.unit.results.support import OPERATOR, Reply, Service

TASK = "name: {}\nkind: repair\nimage: x\nprompt: Mend it.\ncriteria: [{{name: a, command: b}}]\n"


async def resolve(service: Service, origin: Origin, ref: str = "main", path: str = "") -> Reply:
    source: dict[str, Any] = {"git": {"url": origin.url, "ref": ref, "path": path}}
    return await service.call(
        "POST", "/v1/tasksets", OPERATOR, json={"source": source, "packed": None}, port="internal"
    )


TASKS = {
    "tasks/one/task.yaml": TASK.format("one").encode(),
    "tasks/one/evaluation/h": b"hidden",
    "tasks/two/task.yaml": TASK.format("two").encode(),
    "tasks/README.md": b"not a task",
    "tasks/notes/x": b"not a task either",
}


@pytest.mark.parametrize("path", ["tasks", "tasks/", "./tasks"])
async def test_every_directory_with_a_task_yaml_is_a_task(
    service: Service, origin: Origin, path: str
) -> None:
    origin.commit(TASKS)
    reply = await resolve(service, origin, path=path)
    assert reply.status == 200
    assert '"name": "one"' in reply.text
    assert '"name": "two"' in reply.text


@pytest.mark.parametrize(
    "path", ["..", "tasks/../..", "/etc", "missing", "tasks/README.md", "out", "out/x", "a\0b"]
)
async def test_a_path_leads_nowhere_outside_the_repository(
    service: Service, origin: Origin, path: str
) -> None:
    origin.commit({**TASKS, "out": b"/"}, out="120000")
    reply = await resolve(service, origin, path=path)
    assert (reply.status, "is no folder of the repository" in reply.text) == (422, True)


LINKS = {
    "a file of a task": {
        "t/task.yaml": TASK.format("t").encode(),
        "t/evaluation/x": b"/etc/passwd",
    },
    "task.yaml itself": {"t/task.yaml": b"../other", "other": TASK.format("t").encode()},
}


@pytest.mark.parametrize("name", LINKS)
async def test_a_link_in_a_task_is_refused_and_not_left_out_silently(
    service: Service, origin: Origin, name: str
) -> None:
    origin.commit(LINKS[name], t_evaluation_x="120000", **(
        {"t_task.yaml": "120000"} if "itself" in name else {}
    ))  # fmt: skip
    reply = await resolve(service, origin)
    assert (reply.status, "is a link: put the file itself there" in reply.text) == (422, True)
    assert "root:" not in reply.text


async def test_a_linked_task_directory_is_no_task(service: Service, origin: Origin) -> None:
    origin.commit({**TASKS, "tasks/three": b"one"}, tasks_three="120000")
    reply = await resolve(service, origin, path="tasks")
    assert (reply.status, reply.text.count('"digest"')) == (200, 3)


async def test_tasks_that_are_too_large_are_not_read(
    service: Service, origin: Origin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(taskfolders, "MAX_BYTES", 100)
    origin.commit({**TASKS, "tasks/one/evaluation/big": b"x" * 200})
    reply = await resolve(service, origin, path="tasks")
    assert '"reason": "PackTooLarge"' in reply.text
