/* Does nothing, linked as oomkb is. */
int main(void) {
    return 0;
}
