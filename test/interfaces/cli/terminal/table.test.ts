import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { displayWidth, fitWidth } from '../../../../src/interfaces/cli/terminal/display-width.ts';
import { type Column, formatTable } from '../../../../src/interfaces/cli/terminal/table.ts';

interface Row {
  name: string;
  credits: string;
}

const COLUMNS: Column<Row>[] = [
  { header: 'Name', value: (row) => row.name, shrinks: true },
  { header: 'Credits', value: (row) => row.credits, align: 'right' },
];

describe('formatTable', () => {
  it('lines up texts on the left and numbers on the right', () => {
    const rows = [
      { name: 'Riverside Food Bank', credits: '5' },
      { name: '東京食糧', credits: '1,200' },
    ];
    expect(formatTable(COLUMNS, rows, { width: Number.POSITIVE_INFINITY }).split('\n')).toEqual([
      'Name                 Credits',
      'Riverside Food Bank        5',
      '東京食糧               1,200',
    ]);
  });

  it('lets columns that shrink go on below when the terminal is narrow', () => {
    const rows = [
      { name: 'Riverside Food Bank', credits: '1,200' },
      { name: 'Averyveryverylongword', credits: '5' },
    ];
    expect(formatTable(COLUMNS, rows, { width: 24 }).split('\n')).toEqual([
      'Name             Credits',
      'Riverside Food     1,200',
      'Bank',
      'Averyveryverylo        5',
      'ngword',
    ]);
  });

  it('gives each row a block of lines where not even that fits, and cuts nothing', () => {
    const rows = [
      { name: 'Riverside Food Bank', credits: '1,200' },
      { name: 'Hillside', credits: '' },
    ];
    expect(formatTable(COLUMNS, rows, { width: 20 }).split('\n')).toEqual([
      'Name     Riverside',
      '         Food Bank',
      'Credits  1,200',
      '',
      'Name     Hillside',
    ]);
  });

  it('leaves out extra columns where they do not fit, and keeps them where they do', () => {
    const columns: Column<Row>[] = [
      ...COLUMNS,
      { header: 'By', value: () => 'schedule', isExtra: true },
    ];
    const rows = [{ name: 'Riverside', credits: '1' }];
    expect(formatTable(columns, rows, { width: 30 })).toContain('schedule');
    expect(formatTable(columns, rows, { width: 20 }).split('\n')).toEqual([
      'Name       Credits',
      'Riverside        1',
    ]);
  });

  it('leaves out an optional column that is empty, and no blanks at the end of a line', () => {
    const columns: Column<string>[] = [
      { header: 'Name', value: (name) => name },
      { header: 'Remark', value: (name) => (name === 'Bob' ? 'late' : ''), optional: true },
    ];
    const width = Number.POSITIVE_INFINITY;
    expect(formatTable(columns, ['Ann', 'Eve'], { width })).toBe('Name\nAnn\nEve');
    expect(formatTable(columns, ['Ann', 'Bob'], { width })).toBe('Name  Remark\nAnn\nBob   late');
  });

  it('colours finished cells, so that colours do not move columns', () => {
    const columns: Column<Row>[] = [
      { ...COLUMNS[0], header: 'Name', value: (row) => row.name, style: (text) => `<${text}>` },
      { header: 'Credits', value: (row) => row.credits },
    ];
    const table = formatTable(columns, [{ name: 'A', credits: '5' }], { width: 80 });
    expect(table.split('\n')[1]).toBe('<A   >  5');
  });

  it('never becomes wider than the terminal while its columns can shrink', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ name: fc.string({ unit: 'grapheme' }), credits: fc.constant('1') })),
        fc.integer({ min: 12, max: 60 }),
        (rows, width) => {
          for (const line of formatTable(COLUMNS, rows, { width }).split('\n')) {
            expect(displayWidth(line)).toBeLessThanOrEqual(width);
          }
        },
      ),
    );
  });
});

describe('displayWidth', () => {
  it.each([
    ['abc', 3],
    ['é', 1],
    ['e\u0301', 1],
    ['漢字', 4],
    ['👩‍👩‍👧', 2],
    ['\u001b[31mred\u001b[39m', 3],
    ['', 0],
  ])('counts the columns of %j', (text, width) => {
    expect(displayWidth(text)).toBe(width);
  });
});

describe('fitWidth', () => {
  it('never cuts a character in two', () => {
    expect(fitWidth('漢字漢字', 6)).toBe('漢字…');
    expect(fitWidth('abc', 3)).toBe('abc');
    expect(fitWidth('abc', 0)).toBe('');
  });
});
