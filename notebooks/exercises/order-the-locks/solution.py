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
    {"TYPE": "Lock", "path": "SALES", "limit": 1},
    {"TYPE": "Lock", "path": "STOCK", "limit": 1},
    workflow("INVOICE", locked("SALES", job("sell"), locked("STOCK", job("deliver"))), jobs=["sell", "deliver"]),
    workflow("REORDER", locked("SALES", locked("STOCK", job("count"), job("buy"))), jobs=["count", "buy"]),
]
