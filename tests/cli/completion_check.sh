#!/bin/bash
# The completions know every command and option of the program, and the one
# for bash completes what a user would type. zsh and fish, where they are
# installed, must at least read theirs. The scripts are not named like a shell:
# the folder is on the PATH, and bash would take such a file for the shell.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
ln -s "$(realpath "$OOMKB")" "$dir/oomkb"
PATH=$dir:$PATH

for shell in bash zsh fish; do
    oomkb completion $shell >"$dir/script.$shell"
    oomkb completion $shell --lang zh >/dev/null
done
bash -n "$dir/script.bash"
if command -v zsh >/dev/null; then zsh -n "$dir/script.zsh"; fi
if command -v fish >/dev/null; then fish -n "$dir/script.fish"; fi
test "$(oomkb completion tcsh 2>&1 >/dev/null | wc -l)" = 1

# What the help of a command names, its completion offers, with what it is for.
for command in diagnose fit check feedback list; do
    oomkb completion words -- $command - >"$dir/offered"
    oomkb help $command | grep -oE -- '^  (-., )?--[a-z-]+' |
        grep -oE -- '--[a-z-]+' | sort -u >"$dir/options"
    test -s "$dir/options"
    while read -r option; do
        grep -qE -- "^$option	." "$dir/offered" || {
            echo "$command: $option is not offered"; exit 1; }
    done <"$dir/options"
done
test "$(oomkb completion words --lang zh -- list -)" != \
    "$(oomkb completion words --lang en -- list -)"

. "$dir/script.bash"
# expect WORD... -- CANDIDATE...: completing the last WORD offers these (among
# others).
expect() {
    COMP_WORDS=()
    while [ "$1" != -- ]; do COMP_WORDS+=("$1"); shift; done
    shift
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _oomkb || : # compgen fails where it finds no file
    for wanted; do
        [[ " ${COMPREPLY[*]} " == *" $wanted "* ]] || {
            echo "${COMP_WORDS[*]}: no $wanted in: ${COMPREPLY[*]}"; exit 1; }
    done
}
expect_none() {
    COMP_WORDS=("$@")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _oomkb || :
    test ${#COMPREPLY[@]} = 0 || {
        echo "$*: ${COMPREPLY[*]}"; exit 1; }
}
cd "$dir"
: >crash.log
expect oomkb ex -- explain
expect oomkb '' -- diagnose list search crash.log
expect oomkb cr -- crash.log
expect oomkb diagnose cr -- crash.log
expect oomkb --fo -- --format
expect oomkb --format ma -- markdown
expect oomkb --format = js -- json jsonl
expect oomkb --format =js -- json jsonl
expect oomkb --format=js -- --format=json
expect oomkb fmt cr -- crash.log
expect oomkb explain --format '' -- text json jsonl markdown
expect oomkb --lang '' -- en zh
expect oomkb explain vllm/kv-cache-too -- vllm/kv-cache-too-small
expect oomkb completion '' -- bash zsh fish
expect oomkb list '' -- entries models gpus engines facts components vllm slurm
expect oomkb list ol -- ollama
expect oomkb help si -- site
expect oomkb --redact --w -- --why
expect oomkb build -o cr -- crash.log
expect_none oomkb explain --why
expect_none oomkb list --redact
