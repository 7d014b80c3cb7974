"""JS7 workflows and resource locks: files in, items out.

load, dump               workflow and lock files of either dialect, as records and back
Workflow, Lock, Job      what a file holds; `instructions` has the rest, `rules.md` what it all means
"""

from dexpatterns.js7.files import check_references, dump, load
from dexpatterns.js7.instructions import Job, Lock, Workflow

__all__ = ["Job", "Lock", "Workflow", "check_references", "dump", "load"]
