"""What a CSV file means: encodings, delimiters, missing cells, kinds; and agreement with Python's own reader."""

import csv
import io
import string

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.cases import each

from learnable.datasets import Kind, read_table
from learnable.datasets import csv as csv_module
from learnable.datasets.csv import MISSING


@pytest.fixture
def write(tmp_path):
    def _write(content, name="data.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return _write


TEXT = "naïve,x\né,1\nü,2\n"


@each("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "latin-1"])
def test_encodings_give_the_same_table(write, encoding):
    table = read_table(write(TEXT.encode(encoding)))
    assert table.names == ("naïve", "x")
    assert table.column("naïve").values.tolist() == ["é", "ü"]
    assert any("Latin-1" in note for note in table.notes) == (encoding == "latin-1")


def test_big_endian_utf16(write):
    assert read_table(write(b"\xfe\xff" + TEXT.encode("utf-16-be"))).names == ("naïve", "x")


def test_latin1_note_names_the_line(write):
    assert "line 2" in read_table(write(TEXT.replace("naïve", "naive").encode("latin-1"))).notes[0]


@each("delimiter", [",", ";", "\t", "|"])
@each("end", ["\n", "\r\n", "\r"])
def test_delimiters_and_line_ends(write, delimiter, end):
    lines = [["a", "b b", "c"], ["1", "x, y; z|t", "2"], ["3", "w", "4"]]
    quoted = end.join(delimiter.join(f'"{cell}"' for cell in line) for line in lines)
    table = read_table(write(quoted))
    assert table.names == ("a", "b b", "c")
    assert table.column("b b").values.tolist() == ["x, y; z|t", "w"]
    assert table.column("c").values.tolist() == [2, 4]


def test_semicolons_win_over_commas_inside_cells(write):
    table = read_table(write("name;note\na;one, two, three\nb;four, five, six\n"))
    assert table.names == ("name", "note")


def test_of_two_delimiters_that_fit_the_one_with_more_columns_wins(write):
    assert read_table(write("p|q,b,c\n1|2,3,4\n5|6,7,8\n")).names == ("p|q", "b", "c")


def test_decimal_commas(write):
    table = read_table(write("x;y;z\n3,14;1;a,b\n-2,5e1;2,25;c\n;3;a,b\n"))
    np.testing.assert_array_equal(table.column("x").values, [3.14, -25.0, np.nan])
    np.testing.assert_array_equal(table.column("y").values, [1, 2.25, 3])
    assert table.column("z").kind == Kind.CATEGORY
    assert [note for note in table.notes if "decimal commas" in note] == [
        "column 'x': decimal commas read as numbers",
        "column 'y': decimal commas read as numbers",
    ]


def test_a_comma_file_has_no_decimal_commas(write):
    assert read_table(write('x,y\n"3,14",1\n"2,71",2\n')).column("x").kind == Kind.CATEGORY


def test_points_and_commas_in_one_column_are_not_guessed(write):
    assert read_table(write("x;y\n1.234;1\n3,14;2\n")).column("x").kind == Kind.CATEGORY


def test_missing_spellings(write):
    assert {"", "NA", "N/A", "NaN", "null", "None", "?", "-", "nan", "NULL", "n/a", "none"} <= set(MISSING)
    cells = [*MISSING, "  NA ", '""']
    table = read_table(write("x,w\n" + "".join(f"{cell},{cell}\n" for cell in cells) + "1.5,word\n2.5,other\n"))
    for column in table.columns:
        assert column.n_missing == len(cells)
    assert table.column("x").kind == Kind.NUMBER
    assert table.column("w").levels == ("other", "word")


def test_quoted_newlines_quotes_and_blank_lines(write):
    table = read_table(write('\n\na,b\r\n1,"two\nlines"\r\n\r\n2,"he said ""no"""\r\n'))
    assert table.column("b").values.tolist() == ["two\nlines", 'he said "no"']
    assert table.n_rows == 2


def test_stray_quotes_inside_plain_fields_are_kept(write):
    assert read_table(write('a,b\n1,5" pipe\n2,3" pipe\n')).column("b").values.tolist() == ['5" pipe', '3" pipe']


def test_record_longer_than_a_block(write, monkeypatch):
    monkeypatch.setattr(csv_module, "_BLOCK", 2**12)
    long = "word " * 200_000
    table = read_table(write(f'a,b\n1,"{long}\n"\n2,x\n'))
    assert len(table.column("b").values[0]) == len(long.strip())


def test_quoted_newlines_across_blocks(write, monkeypatch):
    monkeypatch.setattr(csv_module, "_BLOCK", 2**10)
    cells = [f"{i}\n" * (i % 50) + "end" for i in range(300)]
    table = read_table(write("i,text\n" + "".join(f'{i},"{cell}"\n' for i, cell in enumerate(cells))))
    assert table.column("text").values.tolist() == cells


def test_hostile_names_stay_plain_strings(write):
    names = ["<script>alert(1)</script>", "=cmd()", "{{7*7}}", "a" * 5000, "x\u202ey", "'; drop table"]
    table = read_table(write(",".join(names) + "\n1,2,3,4,5,6\n2,3,4,5,6,7\n"))
    assert table.names == tuple(names)
    assert table.describe()[0]["name"] == names[0]


def column_of(write, cells, name="v"):
    lines = "".join(f"{cell},{i % 2}\n" for i, cell in enumerate(cells))
    return read_table(write(f"other,{name},y\n" + "".join(f"0,{line}" for line in lines.splitlines(True)))).column(name)


@each(
    ("cells", "kind"),
    [
        (["1", "2", "1", "2"], Kind.NUMBER),
        (["+1", "-2.", ".5", "1E3", " 7 "], Kind.NUMBER),
        (["007", "123", "456"], Kind.CATEGORY),
        (["0", "0.5", "0e3"], Kind.NUMBER),
        (["yes", "no", "", "yes"], Kind.BOOLEAN),
        (["TRUE", "FALSE"], Kind.BOOLEAN),
        (["yes", "maybe", "no"], Kind.CATEGORY),
        (["5", "5", "5"], Kind.CONSTANT),
        (["a", "a"], Kind.CONSTANT),
        (["", "NA", "?"], Kind.CONSTANT),
        (["5", "", "5"], Kind.NUMBER),
        (["a", "", "a"], Kind.CATEGORY),
        (["2024-01-31", "", "2023-12-01"], Kind.DATE),
        (["2024-01-31T10:00:00", "2023-12-01T11:30:00"], Kind.DATE),
        (["2024-01-31T10:00:00Z", "2023-12-01T11:30:00+02:00"], Kind.DATE),
        (["2024-02-31", "2023-12-01"], Kind.CATEGORY),
        ([f"u{i}" for i in range(10)], Kind.IDENTIFIER),
        ([f"u{i}" for i in range(9)], Kind.CATEGORY),
        ([f"u{i % 20}" for i in range(60)], Kind.CATEGORY),
        ([f"u{i % 21}" for i in range(60)], Kind.IDENTIFIER),
        ([f"some words {i}" for i in range(40)], Kind.TEXT),
        ([str(2**53 + i) for i in range(12)], Kind.IDENTIFIER),
        ([str(2**53 - i) for i in range(12)], Kind.NUMBER),
        (["1_000", "2_000"], Kind.CATEGORY),
        (["0x1F", "0x2F"], Kind.CATEGORY),
    ],
)
def test_kinds(write, cells, kind):
    assert column_of(write, cells).kind == kind


def test_zoned_dates_are_compared_in_utc(write):
    values = column_of(write, ["2024-01-31T10:00:00Z", "2024-01-31T12:00:00+02:00"]).values
    assert values[0] == values[1]


@each("name", ["", "Unnamed: 0", "id"])
@each("start", [0, 1])
def test_leading_row_numbers_are_an_identifier(write, name, start):
    content = f"{name},x\n" + "".join(f"{i + start},{i % 3}\n" for i in range(8))
    table = read_table(write(content))
    assert table.columns[0].kind == Kind.IDENTIFIER
    assert table.columns[0].name == (name or "Unnamed: 0")


@each("cells, kind", [("car {}", "identifier"), ("{}7", "identifier"), ("2024-01-{:02d}", "date")])
def test_names_or_dates_of_the_rows_need_no_name_of_their_own(write, cells, kind):
    """As R writes row names, and pandas an index of dates."""
    column = read_table(write(",x\n" + "".join(f"{cells.format(9 + i)},{i % 3}\n" for i in range(12)))).columns[0]
    assert (column.name, column.kind) == ("Unnamed: 0", kind)


def test_a_leading_count_under_another_name_stays_a_number(write):
    assert read_table(write("year,x\n" + "".join(f"{i},1.5\n" for i in range(8)))).columns[0].kind == Kind.NUMBER


def test_large_integers_keep_their_digits(write):
    cells = [str(10**17 + i) for i in range(12)]
    assert column_of(write, cells).values.tolist() == cells


CELL = st.text(alphabet=string.ascii_letters + ' ,;"\n\té', max_size=6)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(body=st.lists(st.tuples(CELL, CELL, CELL), min_size=1, max_size=12))
def test_agrees_with_pythons_reader(tmp_path, body):
    """Whatever Python's csv module writes is read back cell by cell, up to trimming and missing spellings."""
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerows([("first", "second", "third"), *body])
    path = tmp_path / "data.csv"
    path.write_bytes(buffer.getvalue().encode())
    names = ("first", "second", "third")
    table = read_table(path, kinds=dict.fromkeys(names, "category"))
    for j, name in enumerate(names):
        expected = [row[j].strip() for row in body]
        assert table.column(name).values.tolist() == [None if cell in MISSING else cell for cell in expected]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(numbers=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=2, max_size=20))
def test_numbers_survive_to_the_last_bit(tmp_path, numbers):
    path = tmp_path / "data.csv"
    path.write_text("x,y\n" + "".join(f"{number!r},1\n" for number in numbers))
    assert read_table(path, kinds={"x": "number"}).column("x").values.tolist() == numbers


def test_numbers_as_people_write_them(write):
    """A sign, a unit and thousands are read off; what has two readings is asked for, what mixes is not guessed."""
    sound = {
        'x,y\n"$1,234.50",1\n-$7,2\n': [1234.5, -7.0],
        "x,y\n12%,1\n3.5 %,2\n": [12.0, 3.5],
        'x,y\n"1,234,567",1\n12,2\n': [1234567.0, 12.0],
        'x,y\n($0.75),1\n"($1,250)",2\n': [-0.75, -1250.0],
        "x;y\n1.412,82 €;1\n994,53 €;2\n": [1412.82, 994.53],
        "x;y\n1.234;1\n5.5;2\n": [1.234, 5.5],
        "x\ty\n1 234,5\ta\n7,25\tb\n": [1234.5, 7.25],
    }
    for text, expected in sound.items():
        table = read_table(write(text))
        assert table.column("x").values.tolist() == expected, text
    assert any("'$1,234.50', read as 1234.5" in note for note in read_table(write(next(iter(sound)))).notes)
    for words in ("x,y\n$5,1\n€4,2\n", "x,y\n5%,1\n5,2\n", "x;y\n1.234 €;1\n3,14 €;2\n"):
        assert read_table(write(words)).column("x").kind is Kind.CATEGORY, words
    for doubtful in ("x\ty\n32,345\t1\n41,200\t2\n", "x;y\n1.234 €;1\n2.345 €;2\n"):
        with pytest.raises(ValueError, match="decimal="):
            read_table(write(doubtful))
    assert read_table(write("x\ty\n32,345\t1\n"), decimal=".").column("x").values[0] == 32345
    assert read_table(write("x\ty\n32,345\t1\n"), decimal=",").column("x").values[0] == 32.345


def test_dates_as_people_write_them(write):
    """Day, month and year in any order that the column itself shows; what it does not show stays words, and is said."""
    day = np.datetime64("2024-03-31")
    for cell in ("31.03.2024", "3/31/2024", "31/3/24", "31-03-2024", "2024/03/31", "31 Mar 2024", "March 31, 2024"):
        column = read_table(write(f'x,y\n"{cell}",1\n,2\n')).column("x")
        assert column.kind is Kind.DATE, cell
        assert column.values[0].astype("M8[D]") == day, cell
    timed = read_table(write("x,y\n31.03.2024 14:05,1\n1.4.2024 9:00,2\n")).column("x").values
    assert timed.tolist() == [np.datetime64("2024-03-31T14:05").item(), np.datetime64("2024-04-01T09:00").item()]
    table = read_table(write("x,y\n3/4/2024,1\n5/6/2024,2\n3/4/2024,3\n"))
    assert table.column("x").kind is Kind.CATEGORY
    assert any("day and month cannot be told apart" in note for note in table.notes)
    with pytest.raises(ValueError, match="cannot be told apart"):
        read_table(write("x,y\n3/4/2024,1\n"), kinds={"x": "date"})
    assert read_table(write("x,y\n31.02.2024,1\n30.01.2024,2\n")).column("x").kind is Kind.CATEGORY
