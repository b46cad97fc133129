/**
 * Guesses which columns of a file contain which part of a contact. All functions are pure. Each part of a contact has
 * its own file in this folder.
 */
import type { ContentKind } from './column-content.ts';
import { getNameIndex } from './column-names.ts';
import type { CsvSample } from './csv-header.ts';
import { addressByContent, guessAddress, withNumberedLines } from './guess-address.ts';
import { employersByContent, guessEmployers, withoutOwnOrganisations } from './guess-employers.ts';
import { guessId } from './guess-id.ts';
import { guessNames, namesByContent } from './guess-names.ts';
import { DECEASED, DO_NOT_CONTACTS, OPT_OUTS } from './guess-words.ts';
import { createKinds, findFitting, type GuessedFile } from './guessed-file.ts';
import { bestExport, guessOfExport, type PersonColumns, withExport } from './match-export.ts';

/** The guessed columns. Null for a part without a column. */
export interface ColumnGuess extends PersonColumns {
  optOut: string | null;
  deceased: string | null;
  doNotContact: string | null;
  /** The product that exported the file, or null if the export is not known. */
  exportOf: string | null;
  /** A note about this product's exports, or null. */
  advice: string | null;
}

/**
 * Guesses the columns. The columns of a known export have a fixed meaning. If several exports match, the export with
 * the most columns in the file is used. If no export matches, columns are recognised by their names. If rows are given,
 * every row must have a different ID. If a part is uncertain, it is null and the user is asked.
 */
export function guessColumns(columns: readonly string[], sample: CsvSample = []): ColumnGuess {
  const known = bestExport(columns, sample);
  const file = { columns, sample, getKind: createKinds(sample) };
  const byWords = guessByWords(file);
  const named =
    known === null ? byWords : withExport(guessOfExport(columns, known, sample), byWords);
  const marks = {
    optOut: findFitting(file, OPT_OUTS, NO_MARK),
    deceased: findFitting(file, DECEASED, NO_MARK),
    doNotContact: findFitting(file, DO_NOT_CONTACTS, NO_MARK),
  };
  return {
    ...withContent(file, named, new Set(Object.values(marks).filter((name) => name !== null))),
    ...marks,
    exportOf: known?.name ?? null,
    advice: known?.advice ?? null,
  };
}

/** The kinds of values that are never marks. */
const NO_MARK: readonly ContentKind[] = [
  ...(['e-mail', 'web address', 'phone', 'street', 'postal code', 'whole name'] as const),
];

function guessByWords(file: GuessedFile): PersonColumns {
  const addresses = guessAddress(file);
  return {
    id: guessId(file, addresses),
    ...guessNames(file),
    addresses,
    employers: guessEmployers(file),
  };
}

function withContent(
  file: GuessedFile,
  guess: PersonColumns,
  marks: ReadonlySet<string>,
): PersonColumns {
  if (file.sample.length === 0) return guess;
  const { id, firstName, lastName, fullName, addresses, employers } = guess;
  const used = new Set([id, firstName, lastName, fullName, ...addresses, ...employers, ...marks]);
  const free = getNameIndex(file.columns).own.filter((name) => !used.has(name));
  const names = namesByContent(file, { firstName, lastName, fullName }, free);
  return {
    id,
    ...names,
    addresses: withNumberedLines(file, addressByContent(file, addresses, free), free),
    employers: withoutOwnOrganisations(file, employersByContent(file, employers, free), names),
  };
}
