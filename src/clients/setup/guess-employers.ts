/** Finds the columns with a contact's employers. All functions are pure. */
import { plain } from './column-names.ts';
import type { NameColumns } from './guess-names.ts';
import { EMPLOYER_NAMES, FURTHER_EMPLOYERS } from './guess-words.ts';
import { findFitting, type GuessedFile, NO_WORDS } from './guessed-file.ts';

/** Finds the employers by the words in the columns' names. */
export function guessEmployers(file: GuessedFile): string[] {
  const employer = findFitting(file, EMPLOYER_NAMES, NO_WORDS);
  const further = findFitting(file, FURTHER_EMPLOYERS, NO_WORDS);
  return [employer, further].filter((name) => name !== null);
}

export function employersByContent(
  { getKind }: GuessedFile,
  employers: readonly string[],
  free: readonly string[],
): string[] {
  if (employers.length > 0) return [...employers];
  const employer = free.find(
    (name) => EMPLOYER_HINTS.test(plain(name)) && getKind(name) === 'organisation',
  );
  if (employer === undefined) return [];
  const second = free.find((name) => plain(name) === plain(employer).replace('1', '2'));
  return second === undefined || second === employer ? [employer] : [employer, second];
}

/** Words that mean an employer. A column without them may contain another organisation, a fund or a school. */
const EMPLOYER_HINTS =
  /^account\d+name$|^(nameof)?organi[sz]ation(s?name)?$|^(company|firma|empresa|entreprise|societ[ey]|azienda|bedrijf|foretag)|employ|works?for|workplace|arbeit|dienstgeber|empleo|empleador|trabaj|trabalh|lavoro|azien|werkgever|arbetsg|arbejd|emploi|employeur/;

/**
 * Leaves out columns with the organisation that a row describes. A column of this kind has values only in rows about
 * organisations.
 */
export function withoutOwnOrganisations(
  { sample }: GuessedFile,
  employers: readonly string[],
  names: NameColumns,
): string[] {
  return employers.filter((employer) => {
    const filled = sample.filter((row) => cell(row, employer) !== '');
    return filled.length === 0 || filled.some((row) => hasPersonBeside(row, employer, names));
  });
}

function hasPersonBeside(row: Row, employer: string, names: NameColumns): boolean {
  const { firstName, lastName, fullName } = names;
  if (fullName === null) return cell(row, firstName) !== '' || cell(row, lastName) !== '';
  return ![cell(row, employer), ''].includes(cell(row, fullName));
}

type Row = ReadonlyMap<string, string>;

function cell(row: Row, column: string | null): string {
  return column === null ? '' : (row.get(column)?.trim() ?? '');
}
