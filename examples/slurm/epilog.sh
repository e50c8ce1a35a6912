#!/bin/sh
# Epilog= of slurm.conf: one line for each job, in $OOMKB_LOG (default
# /var/log/oomkb/slurm.log): did it die of memory, and of which failure?
#
#     2026-11-23T12:00:00Z job=17 user=ann verdict=memory entry=pytorch/cuda-oom
#
# verdict: memory, ended (no failure), other (it failed, not of memory),
# unknown (no output to read). The last MiB of the job's output is read as the
# job's user. It takes less than a second and always exits 0: Slurm drains a
# node whose Epilog fails.
limit=0.4
log=${OOMKB_LOG:-/var/log/oomkb/slurm.log}
oomkb=${OOMKB:-oomkb}

# From Slurm 23.11 on the environment names the file, else the controller does.
# The number of an array's first job shows all of its tasks: this one is taken.
show=$(timeout "$limit" scontrol -o show job "$SLURM_JOB_ID" 2>/dev/null |
       sed -n "/^JobId=$SLURM_JOB_ID /p")
word() { printf '%s\n' "$show" | tr ' ' '\n' | sed -n "s/^$1=//p" | head -n 1; }
file=${SLURM_JOB_STDOUT:-$(word StdOut)}
code=$(word ExitCode)
user=$SLURM_JOB_USER
# While a job completes, Slurm shows the name as it was asked for.
case $file in
*%*) array=$(word ArrayJobId)
     file=$(printf '%s\n' "$file" | sed "s|%A|${array:-$SLURM_JOB_ID}|g
         s|%a|$(word ArrayTaskId)|g; s|%j|$SLURM_JOB_ID|g; s|%u|$user|g
         s|%x|$(word JobName)|g; s|%N|$(word BatchHost)|g") ;;
esac

verdict=unknown entry=-
if [ "$code" = 0:0 ]; then
    verdict=ended
elif [ -n "$file" ] && [ -n "$user" ]; then
    found=$(timeout "$limit" runuser -u "$user" -- tail -c 1048576 "$file" \
            2>/dev/null | timeout "$limit" "$oomkb" --format json - 2>/dev/null)
    case $? in
    0) verdict=memory
       entry=$(printf '%s\n' "$found" | sed -n 's/^ *"entry": "\(.*\)",$/\1/p' |
               head -n 1) ;;
    1) verdict=other ;;
    esac
fi
mkdir -p "${log%/*}" 2>/dev/null
printf '%s job=%s user=%s verdict=%s entry=%s\n' \
    "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "${SLURM_JOB_ID:--}" "${user:--}" \
    "$verdict" "${entry:--}" 2>/dev/null >> "$log"
exit 0
