# fish completion for oomkb; made by `oomkb completion fish`
function __oomkb_words
    set -l before (commandline -opc)
    set -l current (commandline -ct)
    for line in ($before[1] completion words -- $before[2..-1] \
        "$current" 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path "$current"
        else
            echo $line
        end
    end
end
complete -c oomkb -f -a '(__oomkb_words)'
