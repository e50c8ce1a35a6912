#!/bin/sh
# Programs built against oomkb 0 keep running: the library is compared with
# docs/abi/oomkb-0.abi. New functions are welcome, and so are new fields at the
# end of a struct that begins with its size; all else is a break.
#
#     abi_check.sh                    compare
#     abi_check.sh --write LIBRARY    write the baseline again
set -eu
cd "$(dirname "$0")/../.."
baseline=docs/abi/oomkb-0.abi

# What a caller can see, and nothing of the machine it was built on.
write_abi() { # LIBRARY FILE
    abidw --no-comp-dir-path --no-corpus-path --no-elf-needed --no-show-locs \
        --exported-interfaces-only --drop-private-types --headers-dir include \
        --type-id-style hash --out-file "$2" "$1"
}

if [ "${1-}" = --write ]; then
    write_abi "$2" "$baseline"
    exit
fi

library=$(dirname "${OOMKB:-build/oomkb}")/liboomkb.so
machine=$(uname -m)
if [ "$machine" != x86_64 ]; then
    echo "skipped: the baseline is of x86_64, this is $machine"
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
write_abi "$library" "$work/now.abi"

# The first file with structs that carry their size as they are in the second,
# where they have only grown.
cat > "$work/without_growth.py" <<'END'
import re, sys
now, old = (open(name, encoding="utf-8").read() for name in sys.argv[1:])
for name in ("oomkb_options", "oomkb_fit_question"):
    struct = re.compile(rf"(<class-decl name='{name}' )(size-in-bits='\d+')"
                        r"(.*?>)(.*?)(\n *</class-decl>)", re.S)
    before, after = struct.search(old), struct.search(now)
    if before and after and after.group(4).startswith(before.group(4)):
        now = struct.sub(lambda m: m.group(1) + before.group(2) + m.group(3) +
                         before.group(4) + m.group(5), now)
print(now)
END

compare() { # OLD NEW
    "${PYTHON:-python3}" "$work/without_growth.py" "$2" "$1" > "$work/new.abi"
    abidiff --no-added-syms "$1" "$work/new.abi" > "$work/said"
}

compare "$baseline" "$work/now.abi" || {
    cat "$work/said"
    echo "the ABI has changed; a new field goes to the end of a struct with a size," \
         "a new function may go anywhere, all else needs a new soname"
    exit 1
}

# The comparison itself: does it see a break, and let growth pass?
changed() { # NAME SED-SCRIPT
    sed "$2" "$baseline" > "$work/$1.abi"
    ! cmp -s "$baseline" "$work/$1.abi" || {
        echo "nothing to change in the baseline: $1"
        exit 1
    }
}
expect_break() { # NAME SED-SCRIPT
    changed "$1" "$2"
    if compare "$baseline" "$work/$1.abi"; then
        echo "a break went unseen: $1"
        exit 1
    fi
}
options="/class-decl name='oomkb_options'/,/<.class-decl>/"
expect_break lost_function 's/oomkb_report_failures/oomkb_report_lost/'
expect_break larger_error "s/name='oomkb_error' size-in-bits='[0-9]*'/\
name='oomkb_error' size-in-bits='4096'/"
expect_break moved_field "${options}s/in-bits='64'/in-bits='96'/"
expect_break other_type "/name='answers'/s/type-id='[^']*'/type-id='a84c031d'/"
changed grown "${options}{
s/size-in-bits='[0-9]*'/size-in-bits='8192'/
s|^ *</class-decl>|      <data-member access='public' layout-offset-in-bits='8128'>\n\
        <var-decl name='newer' type-id='a84c031d' visibility='default'/>\n\
      </data-member>\n&|
}"
compare "$baseline" "$work/grown.abi" || {
    echo "growth at the end of oomkb_options was taken for a break"
    exit 1
}
