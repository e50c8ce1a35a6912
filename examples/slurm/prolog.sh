#!/bin/sh
# Prolog= of slurm.conf: what each job finds on its node, before it runs: who
# else holds memory of the GPUs. Always exits 0: a Prolog that fails requeues
# the job.
log=${OOMKB_LOG:-/var/log/oomkb/slurm.log}
mkdir -p "${log%/*}" 2>/dev/null
timeout 5 "${OOMKB:-oomkb}" facts --format jsonl 2>/dev/null \
    > "${log%/*}/facts-${SLURM_JOB_ID:-unknown}.jsonl"
exit 0
