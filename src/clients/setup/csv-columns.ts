/** Recognises which columns of a file hold which part of a contact. Pure; each part has a file beside this one. */
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

/** The columns that most likely hold what a person is made of; null where none does. */
export interface ColumnGuess extends PersonColumns {
  optOut: string | null;
  deceased: string | null;
  doNotContact: string | null;
  /** What this is an export of; null if it is of no kind that is known. */
  exportOf: string | null;
  /** What a person should know of such an export; null for nothing. */
  advice: string | null;
}

/**
 * Guesses which column holds which part of a contact: by the words of its header, and of an export that is
 * known by its columns by what is known of it. The known export with the most of its columns in the file
 * counts; columns that it does not name are guessed by words like those of any other file. With rows of the
 * file an id column has to hold an id: present and different in each row. What is not certain is null, and a
 * user is asked.
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

/** Kinds of values that no mark has. */
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

/** Parts that no name of a column tells, by the values of columns that nothing else uses. */
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
