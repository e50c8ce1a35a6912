"""A conversation with the support bot: talk.py BOT."""
import subprocess
import sys

KV_LOG = """INFO 11-20 12:00:00 api_server.py:212] vLLM API server version 0.5.4
$ vllm serve /home/alice/models/mine --port 8000
ValueError: The model's max seq len (16384) is larger than the maximum number \
of tokens that can be stored in KV cache (11200). Try increasing \
`gpu_memory_utilization` or decreasing `max_model_len` when initializing the \
engine.
"""
TORCH_LOG = """  File "/home/alice/run/train.py", line 9, in <module>
RuntimeError: CUDA error: out of memory
"""


def talk(*messages):
    """The replies to these messages, each ended by a NUL as the bot expects."""
    done = subprocess.run(
        [sys.argv[1]], input="".join(m + "\0" for m in messages).encode(),
        stdout=subprocess.PIPE, check=True, timeout=60)
    replies = done.stdout.decode("utf-8").split("\0")
    assert replies.pop() == "", "the last reply does not end"
    assert len(replies) == len(messages), replies
    return replies


def asked(reply):
    """The fact that the reply ends by asking for; None: it asks nothing."""
    last = reply.rstrip("\n").rsplit("\n", 1)[-1]
    if not (last.startswith("**") and last.endswith("=`")):
        return None
    return last.rsplit("`", 2)[1].rstrip("=")


def has_chinese(text):
    return any("\u4e00" <= c <= "\u9fff" for c in text)


def expect(condition, reply):
    if not condition:
        print(reply)
        raise SystemExit("the reply above is not as expected")


def a_log_is_answered_in_markdown():
    reply, = talk(KV_LOG)
    expect("KV cache" in reply and "11200" in reply.replace(",", ""), reply)
    expect(reply.startswith("#") and not has_chinese(reply), reply)
    expect("alice" not in reply, reply)


def the_asker_s_language_is_spoken():
    chinese, again = talk("服务起不来，请看：\n" + KV_LOG, "gpu_total=24GiB")
    expect(has_chinese(chinese) and has_chinese(again), chinese)
    expect("11200" in chinese.replace(",", ""), chinese)


def what_is_missing_is_asked_and_answered():
    facts = {"model": "Qwen/Qwen2.5-7B", "gpu_total": "24GiB",
             "kv_available": "4GiB", "kv_needed": "6GiB",
             "engine_version": "0.5.4", "tensor_parallel": "1"}
    replies, answers = talk(KV_LOG), []
    first = asked(replies[-1])
    expect(first is not None, replies[-1])
    while len(answers) < 8 and asked(replies[-1]) not in (None, "model"):
        fact = asked(replies[-1])
        answers.append(fact + "=" + facts.get(fact, "4096"))
        replies = talk(KV_LOG, *answers)
        expect(asked(replies[-1]) != fact, replies[-1])
    # "model=..." by name, and the value alone where it was asked for
    plain = facts["model"] if asked(replies[-1]) == "model" \
        else "model=" + facts["model"]
    refined = talk(KV_LOG, *answers, plain)[-1]
    expect(refined == talk(KV_LOG, *answers, "model=" + facts["model"])[-1],
           refined)
    expect("GiB" in refined and refined != replies[-1], refined)
    expect("11200" in refined.replace(",", ""), refined)


def a_wrong_answer_is_said_and_asked_again():
    first, wrong, right = talk(KV_LOG, "gpu_total=plenty", "gpu_total=24GiB")
    expect("plenty" in wrong and "gpu_total" in wrong, wrong)
    expect(asked(wrong) == asked(first), wrong)
    expect("KV cache" in right and "plenty" not in right, right)


def another_log_begins_anew():
    replies = talk("帮我看看\n" + KV_LOG, TORCH_LOG)
    expect("PyTorch" in replies[1] and not has_chinese(replies[1]), replies[1])
    expect(replies[1] == talk(TORCH_LOG)[0], replies[1])


def small_talk_is_no_failure():
    hello, chinese = talk("hello", "你好")
    expect(asked(hello) is None and not has_chinese(hello), hello)
    expect(has_chinese(chinese), chinese)


if __name__ == "__main__":
    for test in (a_log_is_answered_in_markdown, the_asker_s_language_is_spoken,
                 what_is_missing_is_asked_and_answered,
                 a_wrong_answer_is_said_and_asked_again,
                 another_log_begins_anew, small_talk_is_no_failure):
        test()
