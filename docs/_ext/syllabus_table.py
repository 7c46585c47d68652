"""`.. syllabus::` shows syllabus.toml: per chapter the rows done with their object and test, and the rows left."""

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

import syllabus


class SyllabusTable(SphinxDirective):
    def run(self):
        self.env.note_dependency(str(syllabus.SOURCE))
        box = nodes.container(classes=["syllabus"])
        lines = StringList(list(page(syllabus.read())), source=str(syllabus.SOURCE))
        self.state.nested_parse(lines, self.content_offset, box, match_titles=True)
        return [box]


def page(entries):
    done = len(entries)
    yield from (f"{done} of {syllabus.N_ROWS} rows are shown by an object and a test.", "")
    for chapter in syllabus.CHAPTERS:
        rows = [row for row in chapter.ids() if row in entries]
        left = [row for row in chapter.ids() if row not in entries]
        yield from (f".. rubric:: {chapter.letters} · {chapter.title}: {len(rows)} of {chapter.n_rows}", "")
        if rows:
            yield from (".. list-table::", "   :widths: 8 42 50", "   :header-rows: 1", "")
            yield from ("   * - row", "     - what", "     - object and test")
            for row in rows:
                entry = entries[row]
                yield from (f"   * - {row}", f"     - {entry['shows']}")
                yield from (f"     - | ``{entry['object']}``", f"       | ``{entry['test']}``")
            yield ""
        if left:
            yield from (f"Left: {', '.join(left)}.", "")


def setup(app):
    app.add_directive("syllabus", SyllabusTable)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
