import { crc32 } from 'node:zlib';
import sax from 'sax';
import { expect, it } from 'vitest';
import { writeXlsx } from '../../service/exports/xlsx.ts';
import { createSlices } from '../../service/slices.ts';
import { readZipEntry } from './zip-entry.ts';

const PARTS = [
  '[Content_Types].xml',
  '_rels/.rels',
  'xl/workbook.xml',
  'xl/_rels/workbook.xml.rels',
  'xl/styles.xml',
  'xl/worksheets/sheet1.xml',
];

const TEXTS = ['=1+1', 'Ame & <Zoë> "O\'Neil"', ' two  spaces\nand a line', 'x\u0000y\ud800', '😀'];
const SHOWN = ['=1+1', 'Ame & <Zoë> "O\'Neil"', ' two  spaces\nand a line', 'xy\ufffd', '😀'];

/** Returns the cells of a sheet by their position. Throws an error if the XML is invalid. */
function cellsOf(xml: string): Map<string, { text: string; type: string | undefined }> {
  const cells = new Map<string, { text: string; type: string | undefined }>();
  const parser = sax.parser(true);
  let place = '';
  parser.onopentag = ({ name, attributes }) => {
    if (name !== 'c') return;
    place = String(attributes['r']);
    cells.set(place, { text: '', type: attributes['t']?.toString() });
  };
  parser.ontext = (text) => {
    const cell = cells.get(place);
    if (cell !== undefined) cell.text += text;
  };
  parser.onerror = (error) => {
    throw error;
  };
  parser.write(xml).close();
  return cells;
}

it('writes texts as they are, numbers as numbers and formulas as text, in XML that is whole', async () => {
  const header = Array.from({ length: 28 }, (_, column) => `column ${column}`);
  const rows = TEXTS.map((text, row) => [text, row, null, ...Array(25).fill('last')]);
  const file = await writeXlsx(header, rows, createSlices());
  for (const part of PARTS) cellsOf(readZipEntry(file, part));
  const cells = cellsOf(readZipEntry(file, 'xl/worksheets/sheet1.xml'));
  expect(cells.get('AB1')).toEqual({ text: 'column 27', type: 'inlineStr' });
  for (const [row, text] of SHOWN.entries()) {
    expect(cells.get(`A${row + 2}`)).toEqual({ text, type: 'inlineStr' });
    expect(cells.get(`B${row + 2}`)).toEqual({ text: String(row), type: undefined });
    expect(cells.has(`C${row + 2}`)).toBe(false);
  }
});

it('writes the first row bold, and no other', async () => {
  const file = await writeXlsx(
    ['id', 'name'],
    [
      ['a', 'b'],
      ['c', 1],
    ],
    createSlices(),
  );
  const sheet = readZipEntry(file, 'xl/worksheets/sheet1.xml');
  const styled = [...sheet.matchAll(/<c r="(\w+)"[^>]* s="([1-9])"/g)].map(([, place]) => place);
  expect(styled).toEqual(['A1', 'B1']);
  expect(readZipEntry(file, 'xl/styles.xml')).toMatch(/<font><b\/>/);
  expect(sheet).toMatch(/<pane [^>]*state="frozen"/);
});

it('cuts a text that is too long for a cell, and writes the same table as the same file', async () => {
  const write = () => writeXlsx(['id'], [['y'.repeat(40_000)]], createSlices());
  const file = await write();
  const cells = cellsOf(readZipEntry(file, 'xl/worksheets/sheet1.xml'));
  expect(cells.get('A2')?.text).toHaveLength(32_767);
  expect(file.equals(await write())).toBe(true);
});

it('says of each part how long it is, and its checksum', async () => {
  const file = await writeXlsx(['id'], [['a']], createSlices());
  for (const part of PARTS) {
    const content = Buffer.from(readZipEntry(file, part));
    const entry = file.lastIndexOf(part) - 46;
    expect(file.toString('latin1', entry, entry + 4)).toBe('PK\u0001\u0002');
    expect(file.readUInt32LE(entry + 16)).toBe(crc32(content));
    expect(file.readUInt32LE(entry + 24)).toBe(content.length);
  }
});
