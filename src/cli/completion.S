/* completion.S: completion.bash, completion.zsh and completion.fish inside the
 * program, each as a C string. */
#define SCRIPT(name, path) .globl completion_##name; .hidden completion_##name; \
    completion_##name: .incbin path; .byte 0;
    .section .rodata.oomkb_completion, "a"
SCRIPT(bash, "src/cli/completion.bash")
SCRIPT(zsh, "src/cli/completion.zsh")
SCRIPT(fish, "src/cli/completion.fish")
#if defined(__ELF__)
    .section .note.GNU-stack, "", %progbits
#endif
