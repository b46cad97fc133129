/** Compares names letter by letter for display, and in words for screen readers. All functions are pure. */
import { describeCount } from '../../core/quantities.ts';
import { shareRoot } from '../../mapping/names.ts';

/** A name in the CRM or in a profile. */
export interface NameParts {
  first: string | null;
  middle?: string | null;
  last: string | null;
}

/** A piece of a name, and whether the other name lacks this piece. */
export interface NamePiece {
  text: string;
  differs: boolean;
}

export interface NameDifference {
  ours: NamePiece[];
  theirs: NamePiece[];
  /** The differences between the two names, in whole sentences. */
  words: string;
}

/** The maximum number of letters that are compared. The time for a comparison grows with the square of the length. */
const MAX_COMPARED = 60;

/**
 * The least share of letters that similar names have in common. Names that share fewer letters are shown as different
 * names.
 */
const LEAST_SHARED = 0.5;

export function compareNames(ours: NameParts, theirs: NameParts): NameDifference {
  // A CRM may store the middle name with the first name.
  const both = [theirs.first, theirs.middle].filter(Boolean).join(' ');
  const isBoth = !ours.middle && folded(ours.first ?? '') === folded(both);
  const first = comparePart('first', ours.first, isBoth ? both : theirs.first);
  const middle = comparePart(
    'middle',
    ours.middle ?? null,
    (isBoth ? null : theirs.middle) ?? null,
  );
  const last = comparePart('last', ours.last, theirs.last);
  const parts = [first, middle, last];
  const words = parts.flatMap(({ words }) => words ?? []).join(' ');
  return {
    ours: joined(parts.map((part) => part.ours)),
    theirs: joined(parts.map((part) => part.theirs)),
    words: words === '' ? 'Both names are the same.' : words,
  };
}

interface PartDifference {
  ours: NamePiece[];
  theirs: NamePiece[];
  words: string | null;
}

function comparePart(name: string, ours: string | null, theirs: string | null): PartDifference {
  const [mine, other] = [ours?.trim() ?? '', theirs?.trim() ?? ''];
  if (folded(mine) === folded(other)) return { ours: same(mine), theirs: same(other), words: null };
  const whole = { ours: different(mine), theirs: different(other) };
  if (mine === '') return { ...whole, words: `Only the profile has a ${name} name: ${other}.` };
  if (other === '') return { ...whole, words: `Only the CRM has a ${name} name: ${mine}.` };
  const sentence = (how: string) =>
    `The ${name} name ${how}: ${mine} in the CRM, ${other} in the profile.`;
  if (name === 'first' && shareRoot(folded(mine), folded(other))) {
    return { ...whole, words: sentence('is another form of the same name') };
  }
  const shared = sharedLetters([...mine], [...other]);
  const longest = Math.max([...mine].length, [...other].length);
  if (shared === null || shared.ours.size / longest < LEAST_SHARED) {
    return { ...whole, words: sentence('is different') };
  }
  const apart = longest - shared.ours.size;
  return {
    ours: splitPieces([...mine], shared.ours),
    theirs: splitPieces([...other], shared.theirs),
    words: sentence(`differs in ${describeCount(apart, 'letter')}`),
  };
}

/** Finds the letters that both names share. Returns null if the comparison would take too long. */
function sharedLetters(ours: readonly string[], theirs: readonly string[]) {
  if (ours.length > MAX_COMPARED || theirs.length > MAX_COMPARED) return null;
  const width = theirs.length + 1;
  const lengths = new Array<number>((ours.length + 1) * width).fill(0);
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0;
  const isSame = (i: number, j: number) => folded(ours[i] ?? '') === folded(theirs[j] ?? '');
  for (let i = ours.length - 1; i >= 0; i -= 1) {
    for (let j = theirs.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] = isSame(i, j)
        ? at(i + 1, j + 1) + 1
        : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const shared = { ours: new Set<number>(), theirs: new Set<number>() };
  for (let i = 0, j = 0; i < ours.length && j < theirs.length; ) {
    if (isSame(i, j)) {
      shared.ours.add(i++);
      shared.theirs.add(j++);
    } else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  }
  return shared;
}

/** Splits a name's letters into pieces. The letters of a piece are either all in both names or all in only one name. */
function splitPieces(letters: readonly string[], shared: ReadonlySet<number>): NamePiece[] {
  const pieces: NamePiece[] = [];
  for (const [place, letter] of letters.entries()) {
    const differs = !shared.has(place);
    const last = pieces.at(-1);
    if (last?.differs === differs) last.text += letter;
    else pieces.push({ text: letter, differs });
  }
  return pieces;
}

function same(text: string): NamePiece[] {
  return text === '' ? [] : [{ text, differs: false }];
}

function different(text: string): NamePiece[] {
  return text === '' ? [] : [{ text, differs: true }];
}

function joined(parts: readonly NamePiece[][]): NamePiece[] {
  return parts
    .filter((pieces) => pieces.length > 0)
    .flatMap((pieces, index) =>
      index === 0 ? pieces : [{ text: ' ', differs: false }, ...pieces],
    );
}

/** Returns the text without case and accents, because names that differ only in these are the same. */
function folded(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
}
