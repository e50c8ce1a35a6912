#!/bin/sh
# Epilog= of slurm.conf: one line for each job, in $OOMKB_LOG (default
# /var/log/oomkb/slurm.log): did it die of memory, and of which failure?
#
#     2026-11-23T12:00:00Z job=17 user=ann verdict=memory entry=pytorch/cuda-oom
#
# verdict: memory, ended (no failure), other (it failed, not of memory),
# unknown (no output to read). The last MiB of the job's output is read as the
# job's user. It takes less than a second and always exits 0: Slurm drains a
# node whose Epilog fails. Jobs of an array end at once, so what the shell can
# do itself starts no process.
limit=0.4
log=${OOMKB_LOG:-/var/log/oomkb/slurm.log}
oomkb=${OOMKB:-oomkb}

# From Slurm 23.11 on the environment names the file, else the controller does.
# The number of an array's first job shows all of its tasks: this one is taken.
show=
while IFS= read -r line; do
    case $line in "JobId=$SLURM_JOB_ID "*) show=" $line"; break ;; esac
done <<EOF
$(timeout "$limit" scontrol -o show job "$SLURM_JOB_ID" 2>/dev/null)
EOF
# NAME=value of that line, into $value.
word() {
    value=
    case $show in *" $1="*) value=${show#*" $1="} value=${value%% *} ;; esac
}
# $1 in $file becomes $2.
put() {
    done=
    while case $file in *"$1"*) ;; *) false ;; esac; do
        done=$done${file%%"$1"*}$2
        file=${file#*"$1"}
    done
    file=$done$file
}
word StdOut; file=${SLURM_JOB_STDOUT:-$value}
word ExitCode; code=$value
user=$SLURM_JOB_USER
# While a job completes, Slurm shows the name as it was asked for.
case $file in
*%*) word ArrayJobId; put %A "${value:-$SLURM_JOB_ID}"
     word ArrayTaskId; put %a "$value"
     word BatchHost; put %N "$value"
     put %j "$SLURM_JOB_ID"
     put %u "$user"
     word JobName; put %x "$value" ;; # the last: a name may hold a % itself
esac

verdict=unknown entry=-
if [ "$code" = 0:0 ]; then
    verdict=ended
elif [ -n "$file" ] && [ -n "$user" ]; then
    found=$(timeout "$limit" runuser -u "$user" -- tail -c 1048576 "$file" \
            2>/dev/null | timeout "$limit" "$oomkb" --format json - 2>/dev/null)
    case $? in
    0) verdict=memory
       entry=${found#*'"entry": "'} entry=${entry%%'"'*} ;;
    1) verdict=other ;;
    esac
fi
[ -d "${log%/*}" ] || mkdir -p "${log%/*}" 2>/dev/null
printf '%s job=%s user=%s verdict=%s entry=%s\n' \
    "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "${SLURM_JOB_ID:--}" "${user:--}" \
    "$verdict" "${entry:--}" 2>/dev/null >> "$log"
exit 0
