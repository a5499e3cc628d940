import json
import torch.distributed as dist
FIELDS = "qkv_format cu_seqlens_q cu_seqlens_kv cu_seqlens_q_padded cu_seqlens_kv_padded max_seqlen_q max_seqlen_kv local_cp_size cp_group tp_cp_group total_tokens seq_idx tokens_per_sample pad_between_seqs"

def dump(params, path="packscope-{rank}.jsonl", **settings):  # settings: topology={"tp": 2, "cp": 4, ...}
    def plain(value):
        if isinstance(value, dist.ProcessGroup):
            return dist.get_process_group_ranks(value)
        if hasattr(value, "tolist") and value.dim() > 0:
            return {"data": value.flatten().tolist(), "dtype": str(value.dtype)[6:], "shape": list(value.shape)}
        return int(value) if hasattr(value, "tolist") else value
    given = {name: plain(value) for name in FIELDS.split() if (value := getattr(params, name, None)) is not None}
    with open(path.format(rank=dist.get_rank()), "a") as file:
        file.write(json.dumps({"params": given, "rank": dist.get_rank(), **settings}) + "\n")
