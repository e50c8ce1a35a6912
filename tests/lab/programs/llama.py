"""Loads model.gguf and decodes eight tokens through libllama's own interface,
with the names that llama-cli gives its settings."""
import argparse
import sys
import llama_cpp as c

p = argparse.ArgumentParser()
p.add_argument("-c", "--ctx-size", type=int, default=512)
p.add_argument("-b", "--batch-size", type=int, default=2048)
p.add_argument("-ub", "--ubatch-size", type=int, default=512)
p.add_argument("-ctk", "--cache-type-k", default="f16")
p.add_argument("-ctv", "--cache-type-v", default="f16")
p.add_argument("-fa", "--flash-attn", default="auto")
a = p.parse_args()
types = {"f16": c.GGML_TYPE_F16, "q8_0": c.GGML_TYPE_Q8_0}

c.llama_backend_init()
model = c.llama_model_load_from_file(b"model.gguf",
                                     c.llama_model_default_params())
if not model:
    sys.exit("main: error: unable to load model")
params = c.llama_context_default_params()
params.n_ctx, params.n_batch = a.ctx_size, a.batch_size
params.n_ubatch = a.ubatch_size
params.n_threads = params.n_threads_batch = 2
params.type_k, params.type_v = types[a.cache_type_k], types[a.cache_type_v]
params.flash_attn_type = {"auto": -1, "off": 0, "on": 1}[a.flash_attn]
context = c.llama_init_from_model(model, params)
if not context:
    sys.exit("main: error: failed to create context with model 'model.gguf'")
tokens = (c.llama_token * 8)(1, *range(300, 307))
if c.llama_decode(context, c.llama_batch_get_one(tokens, 8)):
    sys.exit("main: error: decoding failed")
print("decoded 8 tokens")
