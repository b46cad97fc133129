import type { ContactsSettings, MarkCount } from '../contract.ts';
import { markColumns, meaningOfMark, nameOfMark } from '../marks/mark-values.ts';
import { readCell } from './cells.ts';
import type { Row } from './rows.ts';
import { columnPositions } from './setting-names.ts';

/** Counts, row by row, the contacts that the mark columns exclude. */
export interface MarkTally {
  add(row: Pick<Row, 'cells'>): void;
  counts(): MarkCount[];
}

/** Returns a counter for the marks in a file with these columns. */
export function createMarkTally(contacts: ContactsSettings, columns: readonly string[]): MarkTally {
  let rows = 0;
  const positions = columnPositions(columns);
  const tallies = markColumns(contacts).map(({ kind, column, listed }) => ({
    kind,
    field: column,
    at: positions.get(column) ?? -1,
    listed,
    marked: 0,
    values: new Map<string, number>(),
  }));
  return {
    add({ cells }) {
      rows += 1;
      for (const tally of tallies) {
        const text = readCell(cells[tally.at] ?? '').trim();
        if (text === '' || meaningOfMark(text, tally.listed) !== 'marked') continue;
        const name = nameOfMark(text);
        tally.marked += 1;
        tally.values.set(name, (tally.values.get(name) ?? 0) + 1);
      }
    },
    counts: () =>
      tallies.map(({ kind, field, marked, values }) => ({
        kind,
        field,
        contacts: rows,
        marked,
        values,
      })),
  };
}
