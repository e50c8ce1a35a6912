#!/bin/sh
# The image's own command, a command given to it, and what starts nothing.
docker run --gpus all -v /srv/vllm:/models --name vllm -p 8000:8000 \
    vllm/vllm-openai:v0.21.0 \
    --model Qwen/Qwen2.5-7B-Instruct --max-model-len 131072
sudo docker run --rm --gpus all --ipc=host lmsysorg/sglang:v0.5.8 \
    python3 -m sglang.launch_server --model-path Qwen/Qwen3-4B --context-length 8192
docker stop vllm
docker logs -f vllm
