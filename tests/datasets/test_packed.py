"""Compressed files, archives, workbooks, JSON lines, stdin, and delimiters that are told."""

import bz2
import gzip
import io
import lzma
import sys
import zipfile

import numpy as np
import pyarrow as pa
import pytest

from learnable.datasets import Kind, read_table

TEXT = b"height,leaf\n1.5,oval\n2.5,round\n,oval\n"


def zipped(name, data):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(name, data)
    return out.getvalue()


def same(table):
    assert table.names == ("height", "leaf")
    np.testing.assert_array_equal(table.column("height").values, [1.5, 2.5, np.nan])
    assert table.column("leaf").values.tolist() == ["oval", "round", "oval"]


def test_compressed_files(tmp_path):
    packed = {
        "t.csv.gz": gzip.compress(TEXT),
        "t.csv.bz2": bz2.compress(TEXT),
        "t.csv.xz": lzma.compress(TEXT),
        "t.csv.zst": pa.compress(TEXT, "zstd", asbytes=True),
        "t.zip": zipped("inner.csv", TEXT),
        "t.gz": gzip.compress(TEXT),
    }
    for name, data in packed.items():
        (tmp_path / name).write_bytes(data)
        same(read_table(tmp_path / name))


def test_damaged_and_ambiguous_archives_are_named(tmp_path):
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(TEXT)[:20])
    with pytest.raises(ValueError, match=r"t\.csv\.gz is damaged"):
        read_table(tmp_path / "t.csv.gz")
    two = io.BytesIO(zipped("a.csv", TEXT))
    with zipfile.ZipFile(two, "a") as archive:
        archive.writestr("b.csv", TEXT)
    (tmp_path / "two.zip").write_bytes(two.getvalue())
    with pytest.raises(ValueError, match="holds 2 files"):
        read_table(tmp_path / "two.zip")


def test_json_lines(tmp_path):
    (tmp_path / "t.jsonl").write_text(
        '{"height": 1.5, "leaf": "oval"}\n{"height": 2.5, "leaf": "round"}\n{"leaf": "oval"}\n'
    )
    same(read_table(tmp_path / "t.jsonl"))
    (tmp_path / "bad.jsonl").write_text('{"height": 1.5\n')
    with pytest.raises(ValueError, match="not readable as JSON lines"):
        read_table(tmp_path / "bad.jsonl")


def workbook(rows, styles="", sheets=None):
    """`sheets` is name -> rows in the order of the workbook, which the numbers of their files need not follow."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    out = io.BytesIO()
    sheets = sheets or {"Sheet1": rows}
    with zipfile.ZipFile(out, "w") as archive:
        links = listed = ""
        for number, (name, one) in enumerate(reversed(sheets.items()), start=1):
            body = "".join(f"<row r='{n}'>{row}</row>" for n, row in enumerate(one, start=1))
            archive.writestr(
                f"xl/worksheets/sheet{number}.xml",
                f"<worksheet xmlns='{main}'><sheetData>{body}</sheetData></worksheet>",
            )
            links += f"<Relationship Id='r{number}' Target='worksheets/sheet{number}.xml'/>"
            listed = f"<sheet name='{name}' r:id='r{number}'/>{listed}"
        archive.writestr("xl/_rels/workbook.xml.rels", f"<Relationships>{links}</Relationships>")
        relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
        archive.writestr(
            "xl/workbook.xml", f"<workbook xmlns='{main}' xmlns:r='{relations}'><sheets>{listed}</sheets></workbook>"
        )
        archive.writestr(
            "xl/sharedStrings.xml",
            f"<sst xmlns='{main}'><si><t>oval</t></si><si><r><t>ro</t></r><r><t>und</t></r></si></sst>",
        )
        archive.writestr("xl/styles.xml", f"<styleSheet xmlns='{main}'>{styles}</styleSheet>")
    return out.getvalue()


def test_a_workbook(tmp_path):
    head = "<c r='A1' t='inlineStr'><is><t>height</t></is></c><c r='B1' t='inlineStr'><is><t>leaf</t></is></c>"
    rows = [
        head,
        "<c r='A2'><v>1.5</v></c><c r='B2' t='s'><v>0</v></c>",
        "<c r='A3'><v>2.5</v></c><c r='B3' t='s'><v>1</v></c>",
        "<c r='B4' t='s'><v>0</v></c>",
    ]
    (tmp_path / "t.xlsx").write_bytes(workbook(rows))
    same(read_table(tmp_path / "t.xlsx"))


def test_dates_of_a_workbook(tmp_path):
    styles = "<cellXfs><xf numFmtId='0'/><xf numFmtId='14'/></cellXfs>"
    rows = ["<c r='A1' t='inlineStr'><is><t>day</t></is></c>"] + [
        f"<c r='A{n}' s='1'><v>{45000 + n}</v></c>" for n in range(2, 6)
    ]
    (tmp_path / "t.xlsx").write_bytes(workbook(rows, styles))
    column = read_table(tmp_path / "t.xlsx").column("day")
    assert column.kind is Kind.DATE
    assert str(column.values[0].astype("M8[D]")) == "2023-03-17"


def test_the_sheets_of_a_workbook(tmp_path):
    def text(*cells):
        return "".join(f"<c t='inlineStr'><is><t>{cell}</t></is></c>" for cell in cells)

    sheets = {"read me": [text("note"), text("hello")], "data": [text("height", "leaf"), "<c><v>1.5</v></c>"], "": []}
    (tmp_path / "t.xlsx").write_bytes(workbook([], sheets=sheets))
    first = read_table(tmp_path / "t.xlsx")
    assert first.names == ("note",)
    assert first.source == "t.xlsx, sheet 'read me'"
    assert "t.xlsx has the sheets 'read me', 'data', '': 'read me' is read" in first.notes
    data = read_table(tmp_path / "t.xlsx", sheet="data")
    assert data.names == ("height", "leaf")
    assert not any("sheet" in note for note in data.notes)
    for sheet, message in (("Data", "sheet 'Data' is not in t.xlsx, which has"), ("", "its sheet '' is empty; it has")):
        with pytest.raises(ValueError, match=message):
            read_table(tmp_path / "t.xlsx", sheet=sheet)
    (tmp_path / "t.csv").write_bytes(TEXT)
    with pytest.raises(ValueError, match="sheet is about workbooks"):
        read_table(tmp_path / "t.csv", sheet="data")


def test_a_workbook_that_is_none(tmp_path):
    (tmp_path / "t.xlsx").write_bytes(b"PK\x03\x04 no")
    with pytest.raises(ValueError, match="not a readable workbook"):
        read_table(tmp_path / "t.xlsx")


def test_stdin(monkeypatch):
    for data in (TEXT, gzip.compress(TEXT), zipped("x.csv", TEXT)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        same(read_table("-"))


def test_delimiter_and_decimal_that_are_told(tmp_path):
    file = tmp_path / "t.csv"
    file.write_text("height~leaf\n1,5~oval\n2,5~round\n~oval\n")
    same(read_table(file, delimiter="~"))
    file.write_text("a;b\n1,5;x\n2,5;y\n")
    assert read_table(file, decimal=".").column("a").kind is not Kind.NUMBER
    assert read_table(file).column("a").kind is Kind.NUMBER
    for given in ({"delimiter": "ab"}, {"decimal": "x"}):
        with pytest.raises(ValueError, match=next(iter(given))):
            read_table(file, **given)
