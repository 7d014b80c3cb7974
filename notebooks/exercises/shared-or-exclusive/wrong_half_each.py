def job(name):
    return {"TYPE": "Execute.Named", "jobName": name}


def locked(path, *instructions, count=None):
    """All of the lock, or so much of it, while the instructions run."""
    demand = {"lockPath": path} if count is None else {"lockPath": path, "count": count}
    return {"TYPE": "Lock", "demands": [demand], "lockedWorkflow": {"instructions": list(instructions)}}


def workflow(path, *instructions, jobs):
    script = {"TYPE": "ShellScriptExecutable", "script": "exit 0"}
    declared = {name: {"agentPath": "AGENT", "executable": script, "processLimit": 10} for name in jobs}
    return {"TYPE": "Workflow", "path": path, "instructions": list(instructions), "jobs": declared}


# From here on it is yours.

answer = [
    {"TYPE": "Lock", "path": "DATABASE", "limit": 3},
    workflow("REPORT", locked("DATABASE", job("report"), count=2), jobs=["report"]),
    workflow("IMPORT", locked("DATABASE", job("import")), jobs=["import"]),
]
