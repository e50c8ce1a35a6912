#!/bin/bash
# Sourced before the start; only its plain assignments are read.
source common.sh
if true; then
export CARD=$(nvidia-smi -L)
fi
export MODEL="meta-llama/Llama-3.1-8B-Instruct"
export CONTEXT=8192
echo "ready"
