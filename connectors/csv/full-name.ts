/** The first and the last name. The first or last name is null if it is ambiguous. */
export interface NameParts {
  firstName: string | null;
  lastName: string | null;
}

const UNKNOWN: NameParts = { firstName: null, lastName: null };

/**
 * Splits a whole name of the form `Last, First` or `First Last`. The result does not contain titles such as `Dr.` and
 * degrees such as `PhD`. `Jr.` and `III` are part of the last name, because they distinguish father from son. Particles
 * such as `de la` in `de la Cruz` are part of the last name. A nickname in brackets or quotes is part of the first
 * name. If a part of the name is uncertain, donor-sync does not submit the contact, because a wrong guess would cost a
 * credit.
 */
export function splitFullName(text: string): NameParts {
  const words = splitWords(text);
  if (words.some(isNoName) || LEGAL_FORM.test(words.at(-1) ?? '')) return UNKNOWN;
  const [first = EMPTY, ...others] = splitSections(words.filter(hasLetters)).map(readSection);
  const generations = [first, ...others].flatMap((section) => section.generations);
  const given = others.filter(({ names }) => names.length > 0);
  const [afterComma, ...unexpected] = given;
  if (unexpected.length > 0) return UNKNOWN;
  if (afterComma !== undefined) return inverted(first.names, afterComma.names, generations);
  const isLastNameAlone = others.length > 0 && first.names.length === 1;
  if (isLastNameAlone) return { firstName: null, lastName: toLastName(first.names, generations) };
  return inOrder(first, generations);
}

/** The words between two commas of a name, sorted into their kinds. */
interface Section {
  hasTitle: boolean;
  /** The words of the name without titles and degrees. */
  names: readonly string[];
  /** Words of the name such as `Jr.` and `III`. */
  generations: readonly string[];
}

const EMPTY: Section = { hasTitle: false, names: [], generations: [] };

/** Splits a name of the form `Last, First`. A particle can follow the first name, as in `Berg, Jan van der`. */
function inverted(
  last: readonly string[],
  given: readonly string[],
  generations: readonly string[],
): NameParts {
  const end = given.findLastIndex((word, at) => at === 0 || !isSureParticle(word)) + 1;
  return {
    firstName: toFirstName(given.slice(0, end)),
    lastName: last.length === 0 ? null : toLastName([...given.slice(end), ...last], generations),
  };
}

/** Splits a name of the form `First Last`. The last word and the particles before it form the last name. */
function inOrder({ hasTitle, names }: Section, generations: readonly string[]): NameParts {
  const words = names.slice(0, names.findLastIndex((word) => !isAside(word)) + 1);
  const start = lastNameStart(words);
  // A single word may be a first name or a last name.
  if (start === 0 && words.length < 2 && !hasTitle) return UNKNOWN;
  if (start === 1 && hasTitle && isParticle(words[0] ?? '')) return UNKNOWN;
  return {
    firstName: toFirstName(words.slice(0, start)),
    lastName: toLastName(words.slice(start), generations),
  };
}

/**
 * Returns the position of the first word of the last name. Some particles are also first names (`Van Morrison`), but
 * only if no other particle follows.
 */
function lastNameStart(words: readonly string[]): number {
  let start = Math.max(0, words.length - 1);
  // `Ortega y Gasset` is one last name.
  if (words[start - 1] === 'y' && start > 2) start -= 2;
  while (start > 0 && isParticle(words[start - 1] ?? '')) start -= 1;
  const isFirstName = start === 0 && words.length === 2 && !isSureParticle(words[0] ?? '');
  return isFirstName ? 1 : start;
}

function toFirstName(words: readonly string[]): string | null {
  return words.every(isAside) ? null : words.join(' ');
}

/** A single letter is not a last name. */
function toLastName(words: readonly string[], generations: readonly string[]): string | null {
  const names = words.filter((word) => !isAside(word));
  if (names.length === 0 || bare(names.join('')).length < 2) return null;
  return [...names, ...generations].join(' ');
}

/** Splits a text into words, commas and asides. An aside is a part of a name in brackets or quotes. */
function splitWords(text: string): string[] {
  return text.match(/\([^)]*\)|"[^"]*"|“[^”]*”|,|[^\s,]+/gu) ?? [];
}

/** Returns false for a text that cannot be a name, such as a dash or a question mark. */
function hasLetters(word: string): boolean {
  return word === ',' || /\p{L}|\p{N}/u.test(word);
}

function splitSections(words: readonly string[]): string[][] {
  const sections: string[][] = [[]];
  for (const word of words) {
    if (word === ',') sections.push([]);
    else sections.at(-1)?.push(word);
  }
  return sections;
}

function readSection(
  words: readonly string[],
  at: number,
  { length }: readonly unknown[],
): Section {
  const isBeforeComma = at === 0 && length > 1;
  const start = words.findIndex((word, at) => !isTitle(word, words[at + 1]));
  // A word before a comma is a last name, even if it is also a title, as in `Sen, Amartya`.
  const isLastName = start === -1 && isBeforeComma;
  const named = start === -1 && !isLastName ? [] : words.slice(Math.max(0, start));
  const end = named.findLastIndex((word) => !ADDITIONS.has(bare(word))) + 1;
  return {
    hasTitle: named.length < words.length,
    names: named.slice(0, end),
    generations: named.slice(end).filter((word) => GENERATIONS.has(bare(word))),
  };
}

/** Returns true if the word is a title. `The` is a title only before `Honorable`. */
function isTitle(word: string, next: string | undefined): boolean {
  return TITLES.has(bare(word)) || (bare(word) === 'the' && TITLES.has(bare(next ?? '')));
}

/** Returns true for a word that cannot belong to a person's name, such as a digit or the remark `(deceased)`. */
function isNoName(word: string): boolean {
  if (isAside(word) && DECEASED.test(word)) return true;
  if (GENERATIONS.has(bare(word))) return false;
  return /[&+/;@✝†\\|<>=]|\p{N}/u.test(word) || NO_PERSON.has(bare(word));
}

function isAside(word: string): boolean {
  return /^(\(.*\)|".*"|“.*”)$/su.test(word);
}

function isParticle(word: string): boolean {
  return isSureParticle(word) || NAMES_OR_PARTICLES.has(bare(word));
}

/** Returns true for a particle that cannot be a first name. A particle in lower case is never a first name. */
function isSureParticle(word: string): boolean {
  return PARTICLES.has(bare(word)) || NAMES_OR_PARTICLES.has(word.replace(/\.$/, ''));
}

/** Returns the word in lower case and without dots, for example `phd` for `Ph.D.`. */
function bare(word: string): string {
  return word.toLowerCase().replace(/[.'’]/g, '');
}

function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(/\s+/));
}

const TITLES = wordSet(
  `mr mrs ms miss mx dr prof professor rev reverend fr father sister rabbi pastor hon honorable
   sir dame senator sen rep gov amb capt captain col gen lt maj sgt herr frau mme mlle sra srta`,
);

const GENERATIONS = wordSet('jr sr junior senior ii iii iv v 2nd 3rd 4th');

/** Words that may follow a name but are not part of it. */
const ADDITIONS = new Set([
  ...GENERATIONS,
  ...wordSet('md phd edd esq dds dvm cpa rn jd mba dr mr mrs ms rev prof hon'),
]);

const PARTICLES = wordSet(
  'da das de della den der des di dos du la las los ten ter vom von zu zur',
);

const NAMES_OR_PARTICLES = wordSet('al bin del el ibn le saint san santa st ste van vander');

/** Matches a remark such as in `Jan Berg (deceased)`. */
const DECEASED =
  /deceased|passed away|verstorben|gestorben|d[eé]c[eé]d[eé]|fallecid[oa]|difunt[oa]|decedut[oa]|overleden|falecid[oa]|avliden/iu;

/**
 * Matches a legal form such as in `Construcciones Peña, S.A.`. The letters of a legal form may also be initials, so the
 * name is ambiguous.
 */
const LEGAL_FORM = /^(s\.(a|l|l\.u|a\.s|r\.l|p\.a)\.?)$/i;

const NO_PERSON = wordSet(
  `and und et or inc incorporated llc llp ltd limited corp corporation co gmbh sarl ltda foundation trust fund
   family household estate anonymous friends`,
);
