"""One system behind JSON lines on stdin and stdout, as the program `peer` is: `serve.py SYSTEM`, in its environment.

    {"op": "init", "space": [...], "seed": 0, "n_init": 10}    {"ok": true, "version": "..."}
    {"op": "tell", "x": [[...], ...], "y": [...]}              {"ok": true}
    {"op": "ask", "q": 10}                                     {"x": [[...], ...]}
    {"op": "stop"}                                             {"x": [...]}

Each answer has the CPU seconds it took, of all threads, and "error" in place of the rest if it failed.
"""
import importlib
import json
import os
import sys
import time
import traceback

# Systems print: what is written to stdout goes to stderr, and the answers have a channel of their own.
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)


def answer(request, module, state):
    match request["op"]:
        case "init":
            state["system"] = module.System(**{key: value for key, value in request.items() if key != "op"})
            return {"ok": True, "version": module.System.version()}
        case "tell":
            state["system"].tell(request["x"], request["y"])
            return {"ok": True}
        case "ask":
            return {"x": state["system"].ask(request["q"])}
        case "stop":
            return {"x": state["system"].stop()}


def plain(value):
    """Numbers of numpy as JSON has them."""
    return value.item()


def serve(name):
    """Answers for the system of a module until the questions end."""
    module, state = importlib.import_module(name), {}
    for line in sys.stdin:
        start = time.process_time()
        try:
            reply = answer(json.loads(line), module, state)
        except Exception as error:  # whatever a system may throw ends this run, not the others
            traceback.print_exc()
            reply = {"error": f"{type(error).__name__}: {error}"[:300]}
        reply["cpu"] = time.process_time() - start
        answers.write(json.dumps(reply, default=plain) + "\n")
        answers.flush()


if __name__ == "__main__":
    serve(f"systems.{sys.argv[1]}")
