"""Tables from a sheet of an Excel workbook, read with the standard library alone."""

import csv
import io
import re
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from xml.etree import ElementTree

from learnable.datasets.csv import read_csv
from learnable.datasets.opening import Unpacked, as_file
from learnable.datasets.table import Table

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_LINK = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_DATES = {*range(14, 23), 45, 46, 47}  # number formats of Excel that are dates or times
# Day 0 of the format, and a limit against archives that unpack without end.
_EPOCH = datetime(1899, 12, 30)
MOST_XML = 2**30


def read_xlsx(
    path: Any,
    *,
    ordered: Mapping[str, Sequence[Any]] | None = None,
    kinds: Mapping[str, str] | None = None,
    sheet: str | None = None,
) -> Table:
    """Read a sheet, by default the first; its first row holds the column names. Cells are read as those of a CSV file.

    A date cell becomes an ISO date, a formula its stored value, an error cell is missing.
    """
    file = as_file(path)
    try:
        with file.open("rb") as stream, zipfile.ZipFile(stream) as archive:
            sheets = _sheets(archive, file.name)
            name = next(iter(sheets)) if sheet is None else sheet
            if name not in sheets:
                raise ValueError(f"sheet {name!r} is not in {file.name}, which has {_listed(sheets)}")
            rows = _rows(archive, sheets[name], file.name)
    except (zipfile.BadZipFile, KeyError, ElementTree.ParseError) as fault:
        raise ValueError(f"{file.name} is not a readable workbook: {fault}") from fault
    while rows and not any(rows[-1]):
        rows.pop()
    if not rows:
        raise ValueError(f"{file.name}: its sheet {name!r} is empty; it has {_listed(sheets)}")
    width = max((place + 1 for place, name in enumerate(rows[0]) if name), default=0)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows((row + [""] * width)[:width] for row in rows if any(row))
    source = file.name if len(sheets) == 1 else f"{file.name}, sheet {name!r}"
    table = read_csv(Unpacked(source, text.getvalue().encode()), ordered=ordered, kinds=kinds, delimiter=",")
    if sheet is not None or len(sheets) == 1:
        return table
    return replace(table, notes=(f"{file.name} has {_listed(sheets)}: {name!r} is read", *table.notes))


def _listed(sheets: Mapping[str, str]) -> str:
    return f"the sheet{'s'[: len(sheets) > 1]} {', '.join(map(repr, sheets))}"


def _sheets(archive: zipfile.ZipFile, name: str) -> dict[str, str]:
    """Entry of every sheet of cells by its name, in the order of the workbook; hidden ones stand last."""
    links = {one.get("Id"): one.get("Target", "") for one in _xml(archive, "xl/_rels/workbook.xml.rels", name)}
    found = sorted(_xml(archive, "xl/workbook.xml", name).iter(f"{_MAIN}sheet"), key=lambda one: "state" in one.attrib)
    entries = {one.get("name", ""): links.get(one.get(_LINK), "").removeprefix("/xl/") for one in found}
    sheets = {title: f"xl/{entry}" for title, entry in entries.items() if entry.startswith("worksheets/")}
    if not sheets:
        raise KeyError("it has no sheet")
    return sheets


def _rows(archive: zipfile.ZipFile, entry: str, name: str) -> list[list[str]]:
    shared = _shared(archive, name)
    dates = _date_styles(archive, name)
    rows: list[list[str]] = []
    for row in _xml(archive, entry, name).iter(f"{_MAIN}row"):
        number = int(row.get("r", len(rows) + 1))
        while len(rows) < number - 1 and number < 2_000_000:
            rows.append([])
        cells: list[str] = []
        for cell in row.iter(f"{_MAIN}c"):
            place = _column(cell.get("r", "")) if cell.get("r") else len(cells)
            cells += [""] * (place + 1 - len(cells))
            cells[place] = _value(cell, shared, dates)
        rows.append(cells)
    return rows


def _value(cell: ElementTree.Element, shared: list[str], dates: set[int]) -> str:
    kind, found = cell.get("t", "n"), cell.find(f"{_MAIN}v")
    if kind == "inlineStr":
        return "".join(part.text or "" for part in cell.iter(f"{_MAIN}t"))
    value = "" if found is None else found.text or ""
    if kind == "s":
        return shared[int(value)] if value else ""
    if kind == "b":
        return "true" if value == "1" else "false"
    if kind == "e":
        return ""
    if kind == "n" and value and int(cell.get("s", -1)) in dates:
        moment = _EPOCH + timedelta(days=float(value))
        return moment.isoformat(sep=" ", timespec="seconds") if float(value) % 1 else moment.date().isoformat()
    return value


def _shared(archive: zipfile.ZipFile, name: str) -> list[str]:
    if "xl/sharedStrings.xml" not in archive.namelist():
        return []
    items = _xml(archive, "xl/sharedStrings.xml", name).iter(f"{_MAIN}si")
    return ["".join(part.text or "" for part in item.iter(f"{_MAIN}t")) for item in items]


def _date_styles(archive: zipfile.ZipFile, name: str) -> set[int]:
    """Places of the cell styles that show a date."""
    if "xl/styles.xml" not in archive.namelist():
        return set()
    styles = _xml(archive, "xl/styles.xml", name)
    own = {
        int(one.get("numFmtId", 0))
        for one in styles.iter(f"{_MAIN}numFmt")
        if re.search(r"[ymdh]", re.sub(r'"[^"]*"|\[[^\]]*\]', "", one.get("formatCode", "")).lower())
    }
    formats = styles.find(f"{_MAIN}cellXfs")
    if formats is None:
        return set()
    return {place for place, one in enumerate(formats) if int(one.get("numFmtId", 0)) in _DATES | own}


def _xml(archive: zipfile.ZipFile, entry: str, name: str) -> ElementTree.Element:
    if archive.getinfo(entry).file_size > MOST_XML:
        raise ValueError(f"{name}: its {entry} has more than {MOST_XML // 2**20} MB; save the sheet as CSV")
    data = archive.read(entry)
    if b"<!DOCTYPE" in data[:4096]:
        raise ValueError(f"{name}: its {entry} has a document type, which a workbook never has: refused")
    return ElementTree.fromstring(data)


def _column(reference: str) -> int:
    """The place of a cell: A1 is 0, AB7 is 27."""
    place = 0
    for letter in re.match(r"[A-Z]*", reference)[0]:  # type: ignore[index]
        place = 26 * place + ord(letter) - 64
    return place - 1
