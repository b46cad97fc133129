import type { ContactsSettings, MarkCount } from '../contract.ts';
import {
  type MarkKind,
  type MarkValues,
  markValues,
  meaningOfMark,
  nameOfMark,
} from '../mark-values.ts';
import { readCell } from './cells.ts';
import type { Row } from './rows.ts';
import { columnPositions } from './setting-names.ts';

/** A column that marks contacts, with the values that the settings list for it. */
interface MarkColumn {
  kind: MarkKind;
  column: string;
  listed: MarkValues;
}

/** The columns of the settings that mark contacts who are left out, unless the settings include them. */
export function markColumns(contacts: ContactsSettings): readonly MarkColumn[] {
  const known = cached.get(contacts);
  if (known !== undefined) return known;
  const columns = findMarkColumns(contacts);
  cached.set(contacts, columns);
  return columns;
}

/** Each row of a file asks for the same columns. */
const cached = new WeakMap<ContactsSettings, readonly MarkColumn[]>();

function findMarkColumns(contacts: ContactsSettings): MarkColumn[] {
  const { optOutField, deceasedField, doNotContactField } = contacts;
  const all = [
    { kind: 'optOut', column: optOutField },
    { kind: 'deceased', column: contacts.includeDeceased === true ? null : deceasedField },
    {
      kind: 'doNotContact',
      column: contacts.includeDoNotContact === true ? null : doNotContactField,
    },
  ] as const;
  return all.flatMap(({ kind, column }) =>
    column == null ? [] : [{ kind, column, listed: markValues(contacts, kind) }],
  );
}

/** Counts what the columns of marks leave out, one row after the other. */
export interface MarkTally {
  add(row: Pick<Row, 'cells'>): void;
  counts(): MarkCount[];
}

/** Starts to count in a file with these columns. */
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
