#!/bin/sh
# The programs of the lab, into a cache outside the tree: install.sh [FOLDER]
# Python's in two environments (TensorFlow has one of its own), at the releases
# that docs/LAB.md was written with; Debian's where root may install them.
# Only `make lab` calls this. What cannot be had is named, and not run.
set -eu
cache=${1:-$HOME/.cache/oomkb-lab}
python=${PYTHON:-python3}
log=$cache/install.log
mkdir -p "$cache"

# A command that is there is taken as it is, wherever it comes from.
missing=
for pair in g++:g++ make:make java:default-jdk-headless node:nodejs \
    Rscript:r-base-core go:golang-go rustc:rustc slurmctld:slurm-wlm \
    munged:munge; do
    command -v "${pair%%:*}" >/dev/null 2>&1 || missing="$missing ${pair#*:}"
done
if [ -n "$missing" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "lab: installing$missing"
    apt-get update -qq || true
    for package in $missing; do
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
            --no-install-recommends "$package" >>"$log" 2>&1 ||
            echo "lab: not to be had: $package (see $log)"
    done
fi

# environment FOLDER PACKAGE...: made once, asked again only for what is new
environment() {
    folder=$cache/$1
    shift
    wanted=$(echo "$*" | cksum)
    if [ -f "$folder/wanted" ] && [ "$(cat "$folder/wanted")" = "$wanted" ]; then
        return
    fi
    [ -x "$folder/bin/python" ] || "$python" -m venv "$folder"
    all=yes
    for package in "$@"; do
        echo "lab: $package"
        "$folder/bin/python" -m pip install -q "$package" >>"$log" 2>&1 ||
            { echo "lab: not to be had: $package (see $log)"; all=no; }
    done
    [ $all = no ] || echo "$wanted" >"$folder/wanted"
}

environment py torch==2.13.0 numpy==2.4.6 pandas==3.1.1 ray==2.60.0 \
    "dask[distributed]==2026.8.0" pyspark==4.3.0 jax==0.10.2 \
    onnxruntime==1.32.0 onnx==1.23.2 xgboost==3.2.0 lightgbm==4.7.0 \
    transformers==5.23.0 accelerate==1.15.0 safetensors==0.8.0 gguf==0.19.0 duckdb==2.0.0 \
    opencv-python-headless==5.0.0.93 datasets==5.2.0 joblib==1.6.0 gunicorn==27.0.1 \
    nbclient==0.11.0 ipykernel==7.4.0 llama-cpp-python==0.3.36
environment tf tensorflow-cpu==2.21.0
