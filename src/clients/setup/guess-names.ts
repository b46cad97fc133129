/** The columns with the names of each contact. Pure. */
import { endsWith, plain } from './column-names.ts';
import { FIRST_NAMES, FULL_NAMES, LAST_NAMES } from './guess-words.ts';
import { findFitting, findFullest, type GuessedFile, NO_WORDS } from './guessed-file.ts';

/** Either first and last name, or the whole name. */
export interface NameColumns {
  firstName: string | null;
  lastName: string | null;
  fullName: string | null;
}

/** Tells the names by the words of the header. */
export function guessNames(file: GuessedFile): NameColumns {
  const { columns, sample, getKind } = file;
  const firstName = findFitting(file, FIRST_NAMES, NO_WORDS) ?? endsWith(columns, 'firstname');
  const ownLast = findFitting(file, LAST_NAMES, NO_WORDS) ?? endsWith(columns, 'lastname');
  const whole = findFitting(file, FULL_NAMES, NO_WORDS);
  // "Name" beside "Vorname" is the last name, unless its values are whole names.
  const isRest =
    sample.length > 0 &&
    firstName !== null &&
    ownLast === null &&
    whole !== null &&
    getKind(whole) !== 'whole name';
  const lastName = isRest ? whole : ownLast;
  const isWhole = firstName === null || lastName === null;
  const fullName = isWhole ? whole : null;
  // "Nome" and "Name" are the whole name where no other column has the rest of it.
  const isOneName = isWhole && fullName === null && (firstName ?? lastName) !== null;
  const isAlone = isOneName && WHOLE_TOO.has(plain(firstName ?? lastName ?? ''));
  return {
    firstName: isAlone ? null : firstName,
    lastName: isAlone ? null : lastName,
    fullName: isAlone ? (firstName ?? lastName) : fullName,
  };
}

/** Words for a first or a last name that stand for the whole name where they are alone. */
const WHOLE_TOO = new Set(['nombre', 'nome', 'nom']);

/** Tells the whole name by its values if no name of a column tells a name. */
export function namesByContent(
  file: GuessedFile,
  names: NameColumns,
  free: readonly string[],
): NameColumns {
  const { firstName, lastName, fullName } = names;
  if (fullName !== null || (firstName !== null && lastName !== null)) return names;
  const whole = findFullest(file, free, 'whole name');
  return whole === undefined ? names : { firstName: null, lastName: null, fullName: whole };
}
