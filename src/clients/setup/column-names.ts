/** Normalises the names of a file's columns, so that they can be compared. All functions are pure. */
import { OTHER_PEOPLES } from './guess-words.ts';

/** The maximum length of a column's name. A longer text is not a column's name. */
export const MAX_NAME_LENGTH = 200;

export function plain(column: string): string {
  const text = folded(column.slice(0, MAX_NAME_LENGTH).replace(NUMBER_SIGN, 'numero '));
  return placeFirst(withoutAside(text))
    .replace(/[^a-z0-9]/g, '')
    .replace(/(?<=.)payeur$/, '');
}

/** Matches spellings such as `N° adhérent` and `Nº Sócio`. */
const NUMBER_SIGN = /^n\s?[°º]/i;

/** Moves the kind of address to the front, because `City - Home` means `Home City`. */
function placeFirst(text: string): string {
  const primary = ' endereco primario';
  const [before, after] = text.split(primary);
  if (before !== undefined && after !== undefined) return `${primary}${before}${after}`;
  for (const place of ['home', 'work', 'other']) {
    const ending = ` - ${place}`;
    if (text.endsWith(ending)) return `${place} ${text.slice(0, -ending.length)}`;
  }
  return text;
}

/** Removes everything from the first opening parenthesis to the last closing parenthesis, in one pass. */
export function withoutAside(text: string): string {
  const start = text.indexOf('(');
  const end = text.lastIndexOf(')');
  return start !== -1 && end > start ? text.slice(0, start) + text.slice(end + 1) : text;
}

/**
 * The normalised names of a file's columns. The name of each column is normalised only once, because a file may have
 * thousands of columns.
 */
interface Names {
  /** The first column for each spelling, with and without differences in accents and case. */
  byPlain: ReadonlyMap<string, string>;
  byFolded: ReadonlyMap<string, string>;
  /** The columns about the contact. Excludes the columns about the contact's spouse. */
  own: readonly string[];
}

const indexes = new WeakMap<readonly string[], Names>();

export function getNameIndex(columns: readonly string[]): Names {
  const known = indexes.get(columns);
  if (known !== undefined) return known;
  const byPlain = new Map<string, string>();
  const byFolded = new Map<string, string>();
  const own: string[] = [];
  for (const column of columns) {
    const [word, text] = [plain(column), folded(column.slice(0, MAX_NAME_LENGTH))];
    if (!byPlain.has(word)) byPlain.set(word, column);
    if (!byFolded.has(text)) byFolded.set(text, column);
    if (!OTHER_PEOPLES.test(word)) own.push(column);
  }
  const made = { byPlain, byFolded, own };
  indexes.set(columns, made);
  return made;
}

function folded(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .trim()
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll('ø', 'o')
    .replaceAll('æ', 'ae')
    .replaceAll('ł', 'l');
}

export function findAll(columns: readonly string[], names: readonly string[]): string[] {
  return names.flatMap((name) => getNameIndex(columns).byPlain.get(name) ?? []);
}

/** Returns the column with this name. Ignores case, accents and surrounding white space. */
export function present(columns: readonly string[], name: string): string | null {
  return getNameIndex(columns).byFolded.get(folded(name)) ?? null;
}

export function endsWith(columns: readonly string[], ending: string): string | null {
  const own = columns.filter((candidate) => !OTHER_PEOPLES.test(plain(candidate)));
  return own.find((candidate) => plain(candidate).endsWith(ending)) ?? null;
}
