/**
 * Defines the functions that read a kind of file and describe how it is imported. The import uses no other information
 * about a kind of file. A reader returns entries with their sources, and it decodes its files with `readDecoded`.
 */

import type { Database } from '../../database.ts';
import type { Entry } from '../entry.ts';
import type { FiledReturn } from '../returns.ts';
import { type CsvOptions, readBirths, readCsvDonors } from './csv.ts';
import { readForm990 } from './form-990.ts';
import { readJudges } from './judges.ts';
import { readLegislators } from './legislators.ts';

export const IMPORT_KINDS = ['csv', 'legislators', 'judges', '990'] as const;

export type ImportKind = (typeof IMPORT_KINDS)[number];

/**
 * The content of a file. Each entry names its source (`Entry.source`). The reader decodes the file with its declared
 * encoding, or rejects it.
 */
export interface SourceFile {
  entries: AsyncIterable<Entry> | Iterable<Entry>;
  /** The tax return that this file contains, or null for a list. */
  filed: FiledReturn | null;
  /** Texts in name fields that do not name a person, and that the import leaves out. */
  unread: readonly string[];
}

export interface Source {
  /** True if a file contains each person only once, so that two entries of the file never describe one person. */
  isEachOnce: boolean;
  /** Matches the names of files that are read if a path is a folder. Null if the operator must name each file. */
  inFolders: RegExp | null;
  /** The operator's statement about the files. If the statement changes, the import reads the file again. */
  statement: string;
  /** Additional files that are read together with each file. */
  companions: readonly string[];
  /** Returns a file's birthdays unchanged, so that the import can recognise dates that mean an unknown birthday. */
  readBirths(file: string): Promise<string[]>;
  /**
   * Reads a file. Throws an `ImportProblem` if the file cannot be read. The error may be thrown as late as at the last
   * entry.
   */
  read(file: string): Promise<SourceFile>;
}

const NO_BIRTHS = () => Promise.resolve([]);

export function sourceOf(kind: ImportKind, db: Database, options: CsvOptions): Source {
  const list = (read: (file: string) => AsyncIterable<Entry>) => (file: string) =>
    Promise.resolve({ entries: read(file), filed: null, unread: [] });
  const alone = { statement: '', companions: [], readBirths: NO_BIRTHS };
  const once = { ...alone, isEachOnce: true, inFolders: null };
  switch (kind) {
    case '990':
      return { ...once, inFolders: /\.xml$/i, read: readForm990 };
    case 'judges':
      return { ...once, read: list((file) => readJudges(file, options.date)) };
    case 'legislators':
      return { ...once, read: list((file) => readLegislators(file, options.date)) };
    case 'csv': {
      const { source, date, confidence, roles } = options;
      return {
        ...once,
        ...{ isEachOnce: false, readBirths },
        statement: JSON.stringify([source, date, confidence]),
        companions: roles === null ? [] : [roles],
        read: list((file) => readCsvDonors(db, file, options)),
      };
    }
  }
}
