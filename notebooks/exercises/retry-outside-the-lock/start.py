def job(name):
    return {"TYPE": "Execute.Named", "jobName": name}


def locked(path, *instructions, count=None):
    """All of the lock, or so much of it, while the instructions run."""
    demand = {"lockPath": path} if count is None else {"lockPath": path, "count": count}
    return {"TYPE": "Lock", "demands": [demand], "lockedWorkflow": {"instructions": list(instructions)}}


def tried(*instructions, catch=({"TYPE": "Retry"},), delay=600):
    """Up to three tries, ten minutes apart."""
    return {
        "TYPE": "Try",
        "maxTries": 3,
        "retryDelays": [delay],
        "try": {"instructions": list(instructions)},
        "catch": {"instructions": list(catch)},
    }


def workflow(path, *instructions, jobs):
    script = {"TYPE": "ShellScriptExecutable", "script": "exit 0"}
    declared = {name: {"agentPath": "AGENT", "executable": script, "processLimit": 10} for name in jobs}
    return {"TYPE": "Workflow", "path": path, "instructions": list(instructions), "jobs": declared}


# From here on it is yours.

answer = [
    {"TYPE": "Lock", "path": "WAREHOUSE", "limit": 1},
    workflow("LOAD", locked("WAREHOUSE", tried(job("load"))), jobs=["load"]),
    workflow("CLEAN-UP", locked("WAREHOUSE", job("clean")), jobs=["clean"]),
]
