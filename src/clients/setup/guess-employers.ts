/** The columns with the employers of each contact. Pure. */
import { plain } from './column-names.ts';
import { EMPLOYER_NAMES, FURTHER_EMPLOYERS } from './guess-words.ts';
import { findFitting, type GuessedFile, NO_WORDS } from './guessed-file.ts';

/** Tells the employers by the words of the header. */
export function guessEmployers(file: GuessedFile): string[] {
  return [
    findFitting(file, EMPLOYER_NAMES, NO_WORDS),
    findFitting(file, FURTHER_EMPLOYERS, NO_WORDS),
  ].filter((name) => name !== null);
}

/** Tells an employer by its values if no name of a column tells one. */
export function employersByContent(
  { getKind }: GuessedFile,
  employers: readonly string[],
  free: readonly string[],
): string[] {
  const employer = free.find(
    (name) => EMPLOYER_HINTS.test(plain(name)) && getKind(name) === 'organisation',
  );
  return employers.length > 0 || employer === undefined ? [...employers] : [employer];
}

/** Columns without one of these in their name may have the organisation of the record, a fund or a school. */
const EMPLOYER_HINTS =
  /^(company|firma|empresa|entreprise|societe|azienda|bedrijf|foretag)|employ|works?for|workplace|arbeit|dienstgeber|empleo|empleador|trabaj|trabalh|lavoro|azien|werkgever|arbetsg|arbejd|emploi|employeur/;
