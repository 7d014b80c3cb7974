"""JS7 workflows and resource locks: load files, add orders, see who holds and who waits, check every order of events.

| to | use |
|---|---|
| read and write workflow and lock files of either dialect | `load`, `dump`; `Workflow`, `Lock` are what they hold |
| operate orders by hand, with a clock that you move | `Controller` |
| say how long jobs take and how they end | `Jobs`, `Job` |
| try every order of arrivals and job ends | `check`, with `Order` and properties such as `no_deadlock` |
| run once by chance, run again | `simulate`, `replay` |
| look at files before any run | `look` |
| see who held what, and who waited | `holdings` |

`instructions` has the other records of a file, `rules.md` says what it all means.
"""

from dexpatterns.js7.controller import Controller
from dexpatterns.js7.faces import check, replay, simulate
from dexpatterns.js7.files import check_references, dump, load
from dexpatterns.js7.holdings import holdings
from dexpatterns.js7.instructions import Lock, Workflow
from dexpatterns.js7.machine import Js7Machine
from dexpatterns.js7.properties import no_deadlock, no_lock_kept, no_overcommitment, no_starvation
from dexpatterns.js7.scenario import Job, Jobs, Order
from dexpatterns.js7.static import look

__all__ = [
    "Controller", "Job", "Jobs", "Js7Machine", "Lock", "Order", "Workflow", "check", "check_references", "dump",
    "holdings", "load", "look", "no_deadlock", "no_lock_kept", "no_overcommitment", "no_starvation", "replay",
    "simulate",
]  # fmt: skip
