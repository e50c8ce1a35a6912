#compdef oomkb
# zsh completion for oomkb; made by `oomkb completion zsh`
_oomkb() {
    local line
    local -a found
    for line in ${(f)"$($words[1] completion words -- \
        "${(@)words[2,CURRENT]}" 2>/dev/null)"}; do
        if [[ $line == :files ]]; then
            _files
        else
            found+=("${line/$'\t'/:}")
        fi
    done
    _describe oomkb found
}
if [[ $funcstack[1] == _oomkb ]]; then
    _oomkb "$@"
else
    compdef _oomkb oomkb
fi
