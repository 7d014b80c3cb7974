"""JS7 workflows and resource locks: load files, add orders, see who holds and who waits, check every order of events.

| to | use |
|---|---|
| read and write workflow and lock files of either dialect | `load`, `dump`; `Workflow`, `Lock` are what they hold |
| operate orders by hand, with a clock that you move | `Controller` |
| say how long jobs take and how they end | `Jobs`, `Job` |
| try every order of arrivals and job ends | `check` with `Order`, and `no_overcommitment`, `no_lock_kept`, `no_deadlock`, `no_starvation` |
| run once by chance | `simulate` |
| look at files before any run | `look` |
| see who held what, and who waited | `holdings` |

`instructions` has the other records of a file, `rules.md` says what it all means.
"""

from dexpatterns.js7.controller import Controller
from dexpatterns.js7.files import check_references, dump, load
from dexpatterns.js7.instructions import Lock, Workflow
from dexpatterns.js7.scenario import Job, Jobs, Order

__all__ = ["Controller", "Job", "Jobs", "Lock", "Order", "Workflow", "check_references", "dump", "load"]
