"""%load_ext oomkb; then a cell that begins with %%oomkb is run, and explained
below its traceback if it ends for lack of memory."""


def register(shell):
    from IPython.core.magic import register_cell_magic
    from IPython.display import Markdown, display

    from . import explain

    def oomkb(line, cell):
        result = shell.run_cell(cell)
        error = result.error_in_exec or result.error_before_exec
        report = explain(error) if error else None
        if report:
            display(Markdown(report.markdown(lang=line.strip() or "en")))

    register_cell_magic(oomkb)
