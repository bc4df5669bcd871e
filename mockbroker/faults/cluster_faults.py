"""Faults of a cluster as tests make and list them."""

from collections.abc import Mapping

from mockbroker.faults.fault import Control, Fault
from mockbroker.faults.fault_plan import FaultPlan
from mockbroker.faults.selectors import Selectors, When


class ClusterFaults(FaultPlan):
    """The plan of a cluster, with its faults as `Fault`."""

    def new_fault(
        self, control: Control, selectors: Mapping[str, object], when: When | None, name: str | None
    ) -> Fault:
        """Make a fault; may be called from any thread.

        Raises:
            ValueError: there is no such API or selector, calls of the API do not have it, or there
                is a fault of this name.

        """
        chosen = Selectors(selectors, when)
        self.check_selectors(chosen)
        return Fault(control, control.change(lambda _cluster, _now_ms: self.add(chosen, name)))

    def all_faults(self, control: Control) -> list[Fault]:
        """Return all faults that were made and not removed, in order."""
        return [Fault(control, state) for state in self.faults]
