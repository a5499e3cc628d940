"""What Packscope exports to Python, run: the script under plain torch, the snippet under gloo with two processes.

Usage: exports.py PACKSCOPE, the path of the command line.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from types import SimpleNamespace

import torch
import torch.distributed as dist
import torch.multiprocessing as multiprocessing

PACKSCOPE = sys.argv[1]


def packscope(*arguments, text=""):
    return subprocess.run([PACKSCOPE, *arguments], input=text, capture_output=True, text=True)


def run_script(scenario):
    script = packscope("export", "-", "--as", "python", text=json.dumps(scenario)).stdout
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)


def test_the_script_holds_the_contract():
    good = {"params": {"qkv_format": "thd", "cu_seqlens_q": [0, 6, 10], "cu_seqlens_kv": [0, 6, 10],
                       "cu_seqlens_q_padded": {"data": [0, 8, 12], "dtype": "int32"}, "cu_seqlens_kv_padded": [0, 8, 12],
                       "max_seqlen_q": 8, "max_seqlen_kv": 8, "total_tokens": 12, "cp_group": [0, 2], "local_cp_size": 2,
                       "seq_idx": {"data": [0] * 8 + [1] * 4, "dtype": "int32", "shape": [1, 12]}, "pad_between_seqs": True},
            "topology": {"world_size": 4, "tp": 2, "cp": 2}}
    done = run_script(good)
    assert done.returncode == 0 and "the contract holds" in done.stdout, done.stderr
    for field, value in [("cu_seqlens_q", [0, 6, 4]), ("cu_seqlens_q_padded", [0, 6, 12]), ("total_tokens", 4),
                         ("cu_seqlens_q_padded", [0, 4, 12]), ("cu_seqlens_kv", [1, 6, 10]),
                         ("cu_seqlens_kv", {"data": [0, 6, 10], "dtype": "int64"})]:
        bad = {**good, "params": {**good["params"], field: value}}
        done = run_script(bad)
        assert "AssertionError" in done.stderr, (field, value, done.stdout, done.stderr)


def train(rank, folder, snippet):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29511")
    dist.init_process_group("gloo", rank=rank, world_size=2)
    scope = {}
    exec(snippet, scope)
    group = dist.new_group([0, 1])
    for step in range(3):
        # In the last step rank 1 holds another boundary than rank 0: a fault to be found.
        middle = 4 if (rank, step) == (1, 2) else 8
        offsets = torch.tensor([0, middle, 16], dtype=torch.int32)
        params = SimpleNamespace(qkv_format="thd", cu_seqlens_q=offsets, cu_seqlens_kv=offsets, cu_seqlens_q_padded=offsets,
                                 cu_seqlens_kv_padded=offsets, max_seqlen_q=torch.tensor(12), max_seqlen_kv=12,
                                 total_tokens=16, local_cp_size=2, cp_group=group)
        scope["dump"](params, path=folder + "/packscope-{rank}.jsonl", topology={"world_size": 2, "cp": 2})
    dist.destroy_process_group()


def test_the_snippet_dumps_what_check_reads():
    snippet = packscope("snippet").stdout
    with tempfile.TemporaryDirectory() as folder:
        multiprocessing.spawn(train, args=(folder, snippet), nprocs=2)
        lines = [(pathlib.Path(folder) / f"packscope-{rank}.jsonl").read_text().splitlines() for rank in (0, 1)]
        assert [len(part) for part in lines] == [3, 3]
        inspected = json.loads(packscope("inspect", "-", text=lines[1][0]).stdout)
        assert inspected["scenario"]["rank"] == 1 and inspected["resolved"]["cp_group"] == [0, 1], inspected["scenario"]
        assert inspected["scenario"]["params"]["cu_seqlens_q"] == {"data": [0, 8, 16], "dtype": "int32", "shape": [3]}
        checked = packscope("check", f"{folder}/packscope-0.jsonl")
        assert checked.returncode == 0, checked.stdout
        for step, codes in [(0, set()), (2, {"PSP320"})]:
            text = lines[0][step] + "\n" + lines[1][step] + "\n"
            findings = json.loads(packscope("check", "--format", "json", "-", text=text).stdout)["findings"]
            errors = {finding["code"] for finding in findings if finding["severity"] == "error"}
            assert codes <= errors and ("PSP320" in errors) == bool(codes), (step, errors)


if __name__ == "__main__":
    tests = [test for name, test in sorted(globals().items()) if name.startswith("test_")]
    for test in tests:
        test()
        print(f"ok {test.__name__}")
    print(f"{len(tests)} passed, 0 failed")
