/**
 * A table as an XLSX file: one sheet with a bold first row that stays in sight. Rows are written in slices and
 * packed beside the event loop, so that ten thousand donors keep no one waiting. A cell says itself that it
 * holds text, so a text is never run as a formula.
 */

import { promisify } from 'node:util';
import { crc32, deflateRaw } from 'node:zlib';
import { inSlices, type Slices } from '../slices.ts';
import type { CellValue } from './export-fields.ts';

const pack = promisify(deflateRaw);

/** So many rows are written in one piece. */
export const ROWS_AT_ONCE = 100;
/** The longest text that the format allows in a cell. */
const MAX_TEXT_LENGTH = 32_767;

/** Writes the file; the header is its first row. */
export async function writeXlsx(
  header: readonly string[],
  rows: readonly CellValue[][],
  slices: Slices,
): Promise<Buffer> {
  const sheet = await inSlices(sheetOf(header, rows), slices);
  const packed: PackedFile[] = [];
  for (const { name, parts } of [...PARTS, { name: 'xl/worksheets/sheet1.xml', parts: sheet }]) {
    const content = Buffer.from(parts.join(''));
    packed.push({
      name,
      crc: crc32(content),
      size: content.length,
      bytes: await pack(content),
    });
  }
  return zipOf(packed);
}

function* sheetOf(
  header: readonly string[],
  rows: readonly CellValue[][],
): Generator<void, string[]> {
  const pane =
    '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/><selection pane="bottomLeft"/>';
  const parts = [
    `${DECLARATION}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0">${pane}</sheetView></sheetViews><sheetData>`,
    rowOf(1, header, ' s="1"'),
  ];
  for (const [index, row] of rows.entries()) {
    if (index % ROWS_AT_ONCE === 0) yield;
    parts.push(rowOf(index + 2, row, ''));
  }
  return [...parts, '</sheetData></worksheet>'];
}

function rowOf(number: number, values: readonly CellValue[], style: string): string {
  const cells = values.map((value, column) => {
    const place = `${lettersOf(column)}${number}`;
    if (value === null) return '';
    if (typeof value === 'number') return `<c r="${place}"${style}><v>${value}</v></c>`;
    const text = escaped(value.slice(0, MAX_TEXT_LENGTH));
    return `<c r="${place}"${style} t="inlineStr"><is><t xml:space="preserve">${text}</t></is></c>`;
  });
  return `<row r="${number}">${cells.join('')}</row>`;
}

/** The columns are A, B, … Z, AA, AB, … */
function lettersOf(column: number): string {
  const last = String.fromCharCode(65 + (column % 26));
  return column < 26 ? last : lettersOf(Math.floor(column / 26) - 1) + last;
}

const SIGNS = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
]);

/** XML has no place for most control characters, nor for halves of characters. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/(?![\t\n\r])\p{Cc}|[\ufffe\uffff]/gu, '')
    .replaceAll(/[&<>]/g, (sign) => SIGNS.get(sign) ?? sign);
}

const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const OFFICE = 'http://schemas.openxmlformats.org';
const MAIN = `${OFFICE}/spreadsheetml/2006/main`;
const RELATIONS = `${OFFICE}/officeDocument/2006/relationships`;
const PACKAGE = `${OFFICE}/package/2006`;
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** What every workbook has beside its sheet. */
const PARTS = [
  {
    name: '[Content_Types].xml',
    parts: [
      `${DECLARATION}<Types xmlns="${PACKAGE}/content-types">`,
      '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>',
      `<Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/>`,
      `<Override PartName="/xl/worksheets/sheet1.xml" ContentType="${TYPE}.worksheet+xml"/>`,
      `<Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/></Types>`,
    ],
  },
  {
    name: '_rels/.rels',
    parts: [
      `${DECLARATION}<Relationships xmlns="${PACKAGE}/relationships">`,
      `<Relationship Id="rId1" Type="${RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    ],
  },
  {
    name: 'xl/workbook.xml',
    parts: [
      `${DECLARATION}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}">`,
      '<sheets><sheet name="Donors" sheetId="1" r:id="rId1"/></sheets></workbook>',
    ],
  },
  {
    name: 'xl/_rels/workbook.xml.rels',
    parts: [
      `${DECLARATION}<Relationships xmlns="${PACKAGE}/relationships">`,
      `<Relationship Id="rId1" Type="${RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/>`,
      `<Relationship Id="rId2" Type="${RELATIONS}/styles" Target="styles.xml"/></Relationships>`,
    ],
  },
  {
    name: 'xl/styles.xml',
    parts: [
      `${DECLARATION}<styleSheet xmlns="${MAIN}">`,
      '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>',
      '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>',
      '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>',
      '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>',
      '<cellXfs count="2"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>',
      '<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/></cellXfs></styleSheet>',
    ],
  },
];

interface PackedFile {
  name: string;
  crc: number;
  /** Before packing. */
  size: number;
  bytes: Buffer;
}

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const VERSION = 20;
const DEFLATED = 8;
/** 1980-01-01, the first day that the format knows: the same table gives the same file. */
const DAY = 0x21;

function zipOf(files: readonly PackedFile[]): Buffer {
  const parts: Buffer[] = [];
  const entries: Buffer[] = [];
  let offset = 0;
  for (const file of files) {
    const name = Buffer.from(file.name);
    const header = Buffer.alloc(30);
    header.writeUInt32LE(LOCAL, 0);
    writeFacts(header, 4, file, name.length);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(CENTRAL, 0);
    entry.writeUInt16LE(VERSION, 4);
    writeFacts(entry, 6, file, name.length);
    entry.writeUInt32LE(offset, 42);
    parts.push(header, name, file.bytes);
    entries.push(entry, name);
    offset += header.length + name.length + file.bytes.length;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(END, 0);
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, directory, end]);
}

/** What both headers of a file say of it, in the same order. */
function writeFacts(
  header: Buffer,
  at: number,
  { crc, size, bytes }: PackedFile,
  nameLength: number,
): void {
  header.writeUInt16LE(VERSION, at);
  header.writeUInt16LE(DEFLATED, at + 4);
  header.writeUInt16LE(DAY, at + 8);
  header.writeUInt32LE(crc, at + 10);
  header.writeUInt32LE(bytes.length, at + 14);
  header.writeUInt32LE(size, at + 18);
  header.writeUInt16LE(nameLength, at + 22);
}
