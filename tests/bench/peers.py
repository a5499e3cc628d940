"""The same work as benches/peers.rs, in numpy and torch: a line each, the median in milliseconds."""
import statistics
import time

TOKENS, SEQUENCES = 16_000_000, 10_000


def median(name, work):
    times = []
    for _ in range(7):
        started = time.perf_counter()
        work()
        times.append((time.perf_counter() - started) * 1e3)
    print(f"{name}\t{statistics.median(times):.3f}")


try:
    import numpy as np
except ImportError:
    np = None
try:
    import torch
except ImportError:
    torch = None

lengths = [800 if i % 2 == 0 else 2400 for i in range(SEQUENCES)]

if np is not None:
    print(f"version numpy\t{np.__version__}")
    counts = np.array(lengths)
    index = np.arange(SEQUENCES, dtype=np.int32)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    median("numpy.repeat", lambda: np.repeat(index, counts))

    def indices():
        for rank in range(8):
            chunk = counts // 16
            starts = np.stack([offsets[:-1] + rank * chunk, offsets[:-1] + (15 - rank) * chunk], 1).ravel()
            sizes = np.repeat(chunk, 2)
            ends = np.cumsum(sizes)
            out = np.arange(ends[-1], dtype=np.int32)
            out += np.repeat((starts - (ends - sizes)).astype(np.int32), sizes)

    median("numpy indices", indices)

if torch is not None:
    print(f"version torch\t{torch.__version__}")
    torch.set_num_threads(1)
    counts = torch.tensor(lengths)
    index = torch.arange(SEQUENCES, dtype=torch.int32)
    median("torch.repeat_interleave", lambda: torch.repeat_interleave(index, counts, output_size=TOKENS))
