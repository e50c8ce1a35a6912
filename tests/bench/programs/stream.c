/* BLOCK over and over until BYTES are written: stream BLOCK BYTES. A log of any
 * size through a pipe, without a disk for it. */
#include <unistd.h>

#include "scan.h"

int main(int argc, char **argv) {
    if (argc != 3)
        give_up("stream BLOCK BYTES");
    struct bytes block = file_bytes(argv[1]);
    unsigned long long left = strtoull(argv[2], NULL, 10);
    while (left > 0) {
        for (size_t at = 0; at < block.n && left > 0;) {
            size_t most = block.n - at < left ? block.n - at : (size_t)left;
            ssize_t n = write(STDOUT_FILENO, block.at + at, most);
            if (n < 0)
                return 1; /* nobody reads on */
            at += (size_t)n;
            left -= (unsigned long long)n;
        }
    }
    return 0;
}
