"""Every fault of a CSV file is an error that names the file, the line and the remedy."""

import io
import zipfile

import pytest
from tests.cases import each

from learnable.datasets import csv_text as csv_text_module
from learnable.datasets import read_table


@pytest.fixture
def write(tmp_path):
    def _write(content, name="data.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return _write


def rows(n, cell=lambda i: f"{i},{i % 3}"):
    return "".join(cell(i) + "\n" for i in range(n))


@each(
    ("content", "message"),
    [
        ("", r"data\.csv is empty"),
        ("\n\r\n  \n", r"data\.csv is empty"),
        ("a,b\n", r"data\.csv has a header but no rows"),
        ("a,b", r"data\.csv has a header but no rows"),
        ("a,b,a\n1,2,3\n", r"line 1: columns 1 and 3 are both named 'a'"),
        ("\n\na,b,a\n1,2,3\n", r"line 3: columns 1 and 3 are both named 'a'"),
        ("a,,c\n1,2,3\n", r"line 1: column 2 of 3 has no name"),
        ("a,b,\n1,2,\n", r"line 1: column 3 of 3 has no name"),
        (",b\n3,2\n9,4\n", r"column 1 has no name and does not count the rows"),
        ("5.1,3.5,setosa\n4.9,3.0,setosa\n", r"line 1: the first line looks like data \(5\.1, 3\.5, setosa\)"),
    ],
)
def test_header_faults(write, content, message):
    with pytest.raises(ValueError, match=message):
        read_table(write(content))


@each("end", ["\n", "\r\n", "\r"])
def test_ragged_row_is_named_by_line(write, end):
    lines = ["a,b,c,d,e,f,g"] + ["1,2,3,4,5,6,7"] * 10 + ["1,2,3,4,5"] + ["1,2,3,4,5,6,7"]
    with pytest.raises(ValueError, match=r"data\.csv, line 12: expected 7 fields, found 5"):
        read_table(write(end.join(lines) + end))


def test_ragged_row_after_quoted_newlines_and_blank_lines(write):
    content = 'a,b\n1,"two\nlines"\n\n\n3,4\n5,6,7\n'
    with pytest.raises(ValueError, match=r"line 7: expected 2 fields, found 3"):
        read_table(write(content))


def test_nul_byte(write):
    with pytest.raises(ValueError, match=r"data\.csv, line 3: NUL byte"):
        read_table(write(b"a,b\n1,2\n3,\x004\n"))


def test_utf16_without_mark_is_told(write):
    with pytest.raises(ValueError, match=r"line 1: NUL byte; .*UTF-16"):
        read_table(write("a,b\n1,2\n".encode("utf-16-le")))


@each(
    "content",
    [
        'a,b\n1,2\n3,"four\n5,6\n7,8\n',
        'a,b\n1,2\n3,"four',
        'a,b\n1,2\n"3,four\n5,"6"\n',
        'a,b\n1,2\n3,"four ""\n5,6"" pipe\n',
    ],
)
def test_unterminated_quote_is_named_where_it_begins(write, content):
    with pytest.raises(ValueError, match=r"data\.csv, line 3: .*quote"):
        read_table(write(content))


def test_quote_that_swallows_a_row_without_making_it_ragged(write):
    # Read leniently this gives two fields in every record, one of them 'two\n3,four"'.
    with pytest.raises(ValueError, match=r"line 2: text follows a closing quote"):
        read_table(write('a,b\n1,"two\n3,"four"\n5,6\n'))


def test_unterminated_quote_in_the_header(write):
    with pytest.raises(ValueError, match=r"line 1: a quoted field begins here and never ends"):
        read_table(write('a,"b\n1,2\n3,4\n'))


def test_endless_line_is_refused_while_reading(write, monkeypatch):
    monkeypatch.setattr(csv_text_module, "LONGEST_LINE", 2**20)
    monkeypatch.setattr(csv_text_module, "_BLOCK", 2**18)
    longest = b"x" * (2**20 - 2) + b",2"
    assert read_table(write(b"a,b\n1,2\n" + longest + b"\n3,4\n")).n_rows == 3
    for content in (b"a,b\n1,2\nx" + longest + b"\n3,4\n", b"a,b\n1,2\n" + 2 * longest):
        with pytest.raises(ValueError, match=r"data\.csv, line 3: longer than 1 MB"):
            read_table(write(content))


def test_binary_files_are_told_apart(write):
    book = io.BytesIO()
    with zipfile.ZipFile(book, "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
    with pytest.raises(ValueError, match=r"data\.csv is not a CSV file but a zip archive or an Excel workbook"):
        read_table(write(book.getvalue()))
    with pytest.raises(ValueError, match=r"but a Parquet file; name it \.parquet"):
        read_table(write(b"PAR1\x15\x00\x15"))
    with pytest.raises(ValueError, match=r"gzip"):
        read_table(write(b"\x1f\x8b\x08\x00"))


def test_a_few_words_among_numbers(write):
    content = "id2,age\n" + "".join(f"{i * 7},{i if i not in (30, 60) else 'abc'}\n" for i in range(100))
    with pytest.raises(ValueError, match=r"data\.csv, line 32: column 'age' holds numbers in 98%.*'abc'.*kinds="):
        read_table(write(content))
    column = read_table(write(content), kinds={"age": "category"}).column("age")
    assert column.kind == "category"
    assert column.values[30] == "abc"


def test_ninety_five_per_cent_is_the_border(write):
    # 19 numbers of 20 are exactly 95%: still a category; 20 of 21 are more.
    at_border = "x,y\n" + "".join(f"{i % 5},1\n" for i in range(19)) + "word,2\n"
    assert read_table(write(at_border)).column("x").kind == "category"
    with pytest.raises(ValueError, match=r"line 22: column 'x'.*'word'"):
        read_table(write("x,y\n" + "".join(f"{i % 5},1\n" for i in range(20)) + "word,2\n"))


def test_missing_cells_do_not_count_as_numbers(write):
    content = "x,y\n" + "NA,1\n" * 80 + "".join(f"{i},1\n" for i in range(15)) + "word,2\n" * 5
    assert read_table(write(content)).column("x").kind == "category"


@each("cell", ["1e999", "-1e999", "inf", "-Infinity"])
def test_infinities_never_pass(write, cell):
    with pytest.raises(ValueError, match=rf"data\.csv, line 4: column 'b': {cell} is not a finite"):
        read_table(write(f"a,b\n1,2\n2,3\n3,{cell}\n"))


def test_ordered_levels_must_cover_the_cells(write):
    path = write("size,y\nS,1\nXL,2\n")
    with pytest.raises(ValueError, match=r"line 3: column 'size': 'XL' is not among the ordered levels \['S', 'M'\]"):
        read_table(path, ordered={"size": ["S", "M"]})
    with pytest.raises(ValueError, match=r"list each level once"):
        read_table(path, ordered={"size": ["S", "S", "XL"]})
    with pytest.raises(ValueError, match=r"ordered: no column 'sise' in data\.csv; did you mean 'size'\?"):
        read_table(path, ordered={"sise": ["S"]})


def test_forced_kinds_name_what_does_not_fit(write):
    path = write("x,d\n1,2024-01-01\nb,2024-01-02\n")
    with pytest.raises(ValueError, match=r"line 3: column 'x': 'b' is not a number"):
        read_table(path, kinds={"x": "number"})
    with pytest.raises(ValueError, match=r"line 2: column 'x': '1' is not an ISO date"):
        read_table(path, kinds={"x": "date"})
    with pytest.raises(ValueError, match=r"a kind is one of number, category"):
        read_table(path, kinds={"x": "float"})
    with pytest.raises(ValueError, match=r"give the order of its levels"):
        read_table(path, kinds={"x": "ordered"})


def test_paths(tmp_path, write):
    with pytest.raises(FileNotFoundError, match=r"no file .*nowhere\.csv"):
        read_table(tmp_path / "nowhere.csv")
    with pytest.raises(IsADirectoryError, match="is a folder"):
        read_table(tmp_path)
    with pytest.raises(ValueError, match=r"cannot tell a format from the suffix '\.docx'"):
        read_table(write("a", "letter.docx"))
