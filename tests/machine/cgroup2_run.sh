#!/bin/sh
# cgroup2_run.sh KERNEL: `oomkb run` under cgroup version 2 alone, with kills by a
# real kernel, in a virtual machine without a disk (qemu-system-x86, busybox-static,
# cpio; KERNEL is /boot/vmlinuz-* of a Debian). By hand: it takes a minute, and
# where version 1 has the memory controller no test can move it.
set -eu
kernel=$1
oomkb=${OOMKB:-build/oomkb}
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root/bin" "$root/proc" "$root/sys" "$root/dev" "$root/tmp"
cp /bin/busybox "$oomkb" "$root/bin/"
ldd "$oomkb" | grep -o '/lib[^ ]*' | while read -r library; do
    mkdir -p "$root$(dirname "$library")"
    cp -L "$library" "$root$library"
done
for applet in sh mount mkdir cat echo head tail poweroff; do
    ln -s busybox "$root/bin/$applet"
done
cat > "$root/init" <<'INIT'
#!/bin/sh
export PATH=/bin NO_COLOR=1
mount -t proc p /proc; mount -t sysfs s /sys; mount -t devtmpfs d /dev
g=/sys/fs/cgroup
mount -t cgroup2 c $g
mkdir -p $g/job; echo +memory > $g/cgroup.subtree_control
mkdir $g/job/own $g/job/below $g/job/killed; echo +memory > $g/job/cgroup.subtree_control
within() { sh -c 'echo 0 > $0/cgroup.procs; exec "$@"' "$@" 2>&1; echo "status $?"; }
hog='head -c 300000000 /dev/zero | tail'
echo "== own"; echo 64M > $g/job/own/memory.max
within $g/job/own oomkb run -- sh -c "$hog"; cat $g/job/own/memory.events
echo "== below"; echo 64M > $g/job/memory.max
within $g/job/below oomkb run -- sh -c "$hog"; cat $g/job/below/memory.max
echo "== killed"; within $g/job/killed oomkb run -- sh -c 'kill -9 $$'
echo "== end"; poweroff -f
INIT
chmod +x "$root/init"
(cd "$root" && find . | cpio -o -H newc 2>/dev/null | gzip -1) > "$root.cpio.gz"
timeout 400 qemu-system-x86_64 -machine pc,accel=tcg -cpu max -m 1024 -nographic \
    -no-reboot -nic none -kernel "$kernel" -initrd "$root.cpio.gz" \
    -append "console=ttyS0 panic=-1 loglevel=1" | tr -d '\r' > "$root/out"
rm "$root.cpio.gz"
part() { sed -n "/== $1/,/== /p" "$root/out"; }
failed=0
expect() {
    if part "$1" | grep -q "$2"; then
        echo "ok    $1: $2"
    else
        echo "FAIL  $1: $2"; failed=1
    fi
}
for place in own below; do
    expect $place 'oom_kill of its cgroup: 0 before, 1 now'
    expect $place 'memory limit 64 MiB'
    expect $place 'status 137'
done
expect own '^oom_kill 1'
expect below '^max$'
expect killed 'memory was not the cause'
expect killed 'status 137'
[ $failed = 0 ] || cat "$root/out"
exit $failed
