"""Trials → views, for an operator that sees each of thousands many times.

A Trial's spec never changes (the CRD holds to that), so it is read once; and all trials of a task
share its snapshot, which is most of their memory.
"""

from typing import Any
from weakref import WeakValueDictionary

from benchwright.api.base import parse_stored
from benchwright.api.task import TaskSnapshot
from benchwright.api.trial import TrialSpec
from benchwright.control.views import trial_view
from benchwright.core.trialview import TrialView


class TrialViews:
    """Reads Trials; what no view holds any more is forgotten."""

    def __init__(self) -> None:
        self._specs: WeakValueDictionary[str, TrialSpec] = WeakValueDictionary()
        self._tasks: WeakValueDictionary[str, TaskSnapshot] = WeakValueDictionary()

    def __call__(self, raw: dict[str, Any]) -> TrialView:
        uid = raw["metadata"]["uid"]
        spec = self._specs.get(uid)
        if spec is None:
            spec = self._shared(parse_stored(TrialSpec, raw["spec"]))
            self._specs[uid] = spec
        return trial_view(raw, spec)

    def _shared(self, spec: TrialSpec) -> TrialSpec:
        known = self._tasks.setdefault(spec.task.digest, spec.task)
        same = known is not spec.task and known == spec.task
        return spec.model_copy(update={"task": known}) if same else spec
