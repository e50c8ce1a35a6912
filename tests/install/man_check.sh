#!/bin/sh
# The man pages say what there is, and nothing else: every command and option of
# the program's tables, every function, option and code of the header.
set -eu
cd "$(dirname "$0")/../.."
program=${OOMKB:-build/oomkb}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mandoc -Tlint -W warning docs/oomkb.1 docs/oomkb.3

same() { # WHAT PAGE: $work/is and $work/said must hold the same names
    sort -u "$work/is" > "$work/a"
    sort -u "$work/said" > "$work/b"
    [ -s "$work/a" ] || { echo "no $1 found to compare"; exit 1; }
    if ! diff "$work/a" "$work/b" > "$work/diff"; then
        echo "$2: $1 that it lacks (<) or that are not there (>):"
        grep '^[<>]' "$work/diff"
        exit 1
    fi
}

# "  diagnose [FILE]...    say what" and "  -o, --output FILE    write the"
"$program" help --lang en > "$work/help"
sed -n 's/^  \([a-z]\{2,\}\) .*  .*/\1/p' "$work/help" |
    grep -v -x oomkb > "$work/is"
sed -n '/^\.Sh COMMANDS/,/^\.Sh OPTIONS/s/^\.It Ic \([a-z]*\).*/\1/p' \
    docs/oomkb.1 > "$work/said"
same commands oomkb.1
sed -n 's/^  \(-[a-z], \)\{0,1\}--\([a-z-]*\) .*/\2/p' "$work/help" \
    > "$work/is"
# and those that the help keeps to itself
sed -n 's/^    {OPTION_[A-Z_]*, "--\([a-z-]*\)".*/\1/p' src/cli/options.c \
    >> "$work/is"
sed -n '/^\.Sh OPTIONS/,/^\.Sh FACTS/{/^\.It/p;}' docs/oomkb.1 |
    grep -o 'Fl -[a-z-]*' | sed 's/^Fl -//' > "$work/said"
same options oomkb.1

# Every fact that the page advises is one.
sed -n '/^\.Sh FACTS/,/^\.Sh ENV/s/^\.It Va //p' docs/oomkb.1 |
    tr -s ' ,' '\n\n' > "$work/facts"
while read -r fact; do
    grep -qE "^FACT(_OF)?\($fact," src/corpus/facts.def || {
        echo "oomkb.1: no fact '$fact'"
        exit 1
    }
done < "$work/facts"

# Formats: the rows of the table of formats.
sed -n 's/^ *X(\([a-z]*\), .*/\1/p' src/render/formats.c > "$work/is"
sed -n '/^\.It Fl -format/,/^\.It Fl -lang/s/^\.Cm \([a-z]*\).*/\1/p' \
    docs/oomkb.1 > "$work/said"
same formats oomkb.1

header=include/oomkb/oomkb.h
grep OOMKB_API "$header" | sed -n 's/.*\b\(oomkb_[a-z_]*\)(.*/\1/p' > "$work/is"
sed -n '/^\.Sh SYN/,/^\.Sh DESC/s/^\.F[no] \(oomkb_[a-z_]*\).*/\1/p' \
    docs/oomkb.3 > "$work/said"
same functions oomkb.3
sed -n '/^struct oomkb_options {/,/^};/{s|/\*.*||;p;}' "$header" |
    sed -n 's/.*(\*\([a-z_]*\)).*/\1/p; t; s/.*[ *]\([a-z_]*\);.*/\1/p' \
    > "$work/is"
{
    echo size
    sed -n '/^\.Ss Options/,/^\.El/s/^\.It Va //p' docs/oomkb.3 |
        tr -s ' ,' '\n\n'
} > "$work/said"
same "options of the library" oomkb.3
sed -n 's/^ *\(OOMKB_ERROR_[A-Z]*\) = .*/\1/p' "$header" > "$work/is"
sed -n 's/^\.It Dv \(OOMKB_ERROR_[A-Z]*\)$/\1/p' docs/oomkb.3 > "$work/said"
same "error codes" oomkb.3
