"""A caught exception as the log that it would have left.

Only what is loaded is asked: a program that does not use torch is not made to
import it."""
import sys
import traceback
from importlib import metadata

ASKED = ("torch", "vllm", "sglang", "transformers", "accelerate", "deepspeed",
         "diffusers", "jax", "tensorflow", "lightning")


def versions():
    lines = []
    for name in ASKED:
        if name in sys.modules:
            try:
                lines.append(f"{name}=={metadata.version(name)}")
            except metadata.PackageNotFoundError:
                pass
    return lines


def cuda_memory():
    """What torch counts on the current device, as its own message writes it."""
    torch = sys.modules.get("torch")
    try:
        if torch is None or not torch.cuda.is_initialized():
            return []
        free, total = torch.cuda.mem_get_info()
        stats = torch.cuda.memory_stats()
    except Exception:  # a device that failed may refuse to be asked
        return []
    gib = 1 << 30
    held = stats.get("allocated_bytes.all.current", 0)
    kept = stats.get("reserved_bytes.all.current", 0)
    return [f"torch.cuda.mem_get_info: {free / gib:.2f} GiB free of "
            f"{total / gib:.2f} GiB; allocated {held / gib:.2f} GiB, "
            f"reserved {kept / gib:.2f} GiB"]


def cuda_device():
    """The name, which no sentence of torch's has."""
    torch = sys.modules.get("torch")
    try:
        if torch is None or not torch.cuda.is_initialized():
            return []
        return [f"torch.cuda device: {torch.cuda.get_device_name()}"]
    except Exception:  # as above
        return []


def as_log(error):
    """The traceback last, where a log has it."""
    trace = "".join(traceback.format_exception(type(error), error,
                                               error.__traceback__))
    return "\n".join(versions() + cuda_device() + cuda_memory() + [trace])
