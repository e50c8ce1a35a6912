"""Writes model.gguf: a llama of 98 million random weights, 188 MiB."""
import numpy as np
from gguf import GGUFWriter

LAYERS, WIDTH, HEADS, KV_HEADS, INNER, VOCAB = 8, 1024, 16, 4, 2816, 4000
KV_WIDTH = WIDTH * KV_HEADS // HEADS
writer = GGUFWriter("model.gguf", "llama")
random = np.random.default_rng(1)


def tensor(name, *shape):
    kind = np.float32 if len(shape) == 1 else np.float16
    values = random.standard_normal(shape, dtype=np.float32) * 0.02
    writer.add_tensor(name, values.astype(kind))


writer.add_name("random")
writer.add_context_length(32768)
writer.add_embedding_length(WIDTH)
writer.add_block_count(LAYERS)
writer.add_feed_forward_length(INNER)
writer.add_head_count(HEADS)
writer.add_head_count_kv(KV_HEADS)
writer.add_layer_norm_rms_eps(1e-5)
writer.add_rope_dimension_count(WIDTH // HEADS)
writer.add_file_type(1)
writer.add_vocab_size(VOCAB)
writer.add_tokenizer_model("llama")
tokens = [b"<unk>", b"<s>", b"</s>"]
tokens += [f"<0x{i:02X}>".encode() for i in range(256)]
tokens += [f"t{i}".encode() for i in range(VOCAB - len(tokens))]
writer.add_token_list(tokens)
writer.add_token_scores([0.0] * VOCAB)
writer.add_token_types([2, 3, 3] + [6] * 256 + [1] * (VOCAB - 259))
tensor("token_embd.weight", VOCAB, WIDTH)
tensor("output.weight", VOCAB, WIDTH)
tensor("output_norm.weight", WIDTH)
for i in range(LAYERS):
    for name, *shape in (("attn_norm", WIDTH), ("ffn_norm", WIDTH),
                         ("attn_q", WIDTH, WIDTH), ("attn_k", KV_WIDTH, WIDTH),
                         ("attn_v", KV_WIDTH, WIDTH),
                         ("attn_output", WIDTH, WIDTH),
                         ("ffn_gate", INNER, WIDTH), ("ffn_up", INNER, WIDTH),
                         ("ffn_down", WIDTH, INNER)):
        tensor(f"blk.{i}.{name}.weight", *shape)
writer.write_header_to_file()
writer.write_kv_data_to_file()
writer.write_tensors_to_file()
writer.close()
