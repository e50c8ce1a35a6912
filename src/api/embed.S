/* embed.S: the compiled knowledge base inside the library. The bytes between
 * the two symbols are the index. With OOMKB_NO_INDEX (the bootstrap, and tests)
 * there are none, and oomkb_open(NULL) fails. */
    .section .rodata.oomkb_index, "a"
    .balign 4096
    .globl oomkb_index_start
    .hidden oomkb_index_start
    .globl oomkb_index_end
    .hidden oomkb_index_end
oomkb_index_start:
#ifndef OOMKB_NO_INDEX
    .incbin OOMKB_INDEX
#endif
oomkb_index_end:
    .byte 0
#if defined(__ELF__)
    .section .note.GNU-stack, "", %progbits
#endif
