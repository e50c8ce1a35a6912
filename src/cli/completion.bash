# bash completion for oomkb; made by `oomkb completion bash`
_oomkb() {
    local IFS=$'\n' cur=${COMP_WORDS[COMP_CWORD]} line
    COMPREPLY=()
    while read -r line; do
        line=${line%%$'\t'*}
        if [[ $line == :files ]]; then
            COMPREPLY+=($(compgen -f -- "${cur#=}"))
        elif [[ $line == "${cur#=}"* ]]; then
            COMPREPLY+=("$line")
        fi
    done < <("${COMP_WORDS[0]}" completion words -- \
        "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o filenames -F _oomkb oomkb
