/** The number of letters per typing error. A word with twice as many letters may contain two errors. */
const LETTERS_PER_MISTAKE = 3;

/** The maximum length of compared words, because the work grows with the square of the length. */
const MAX_COMPARED_LENGTH = 80;

/**
 * Returns the most similar candidate, or null if none is similar. Case, hyphens, underscores and spaces do not count as
 * errors (`api_key` matches `apiKey`).
 */
export function nearMiss(word: string, candidates: Iterable<string>): string | null {
  const wanted = folded(word);
  let best: { candidate: string; mistakes: number } | null = null;
  if (wanted.length > MAX_COMPARED_LENGTH) return null;
  for (const candidate of candidates) {
    const target = folded(candidate);
    if (candidate === word || target.length > MAX_COMPARED_LENGTH) continue;
    const mistakes = countMistakes(wanted, target);
    if (mistakes > mistakesForgiven(wanted, target)) continue;
    if (best === null || mistakes < best.mistakes) best = { candidate, mistakes };
  }
  return best?.candidate ?? null;
}

/** Returns a suggestion such as `, did you mean "Phone"?`. Returns an empty text if no candidate is similar. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const candidate = nearMiss(word, candidates);
  return candidate === null ? '' : `, did you mean "${candidate}"?`;
}

/** Returns a text that suggests the most similar choice or lists all choices. */
export function notAChoice(answer: string, choices: readonly string[]): string {
  const hint = didYouMean(answer, choices) || `. Possible: ${choices.join(', ')}`;
  return `"${answer}" is not one of the choices${hint}`;
}

/** The maximum number of typing errors in an ID. */
const MISTAKES_IN_AN_ID = 2;

const LONG_ID = 6;

/** The maximum number of similar IDs that are listed. */
const MAX_NEAR_IDS = 5;

/** Returns the IDs that differ in one or two characters, most similar first. */
export function createNearIds(typed: string): {
  look(ids: readonly string[]): void;
  best(): string[];
} {
  const allowed = typed.length < LONG_ID ? 1 : MISTAKES_IN_AN_ID;
  let found: { id: string; mistakes: number }[] = [];
  return {
    look(ids) {
      for (const id of ids) {
        if (Math.abs(id.length - typed.length) > allowed || id.length > MAX_COMPARED_LENGTH)
          continue;
        const mistakes = countMistakes(typed, id);
        if (mistakes > 0 && mistakes <= allowed) found.push({ id, mistakes });
      }
      found = found.sort((a, b) => a.mistakes - b.mistakes).slice(0, MAX_NEAR_IDS);
    },
    best: () => found.map(({ id }) => id),
  };
}

function folded(word: string): string {
  return word.toLowerCase().replace(/[-_\s]/g, '');
}

function mistakesForgiven(word: string, target: string): number {
  return Math.floor(Math.max(word.length, target.length) / LETTERS_PER_MISTAKE);
}

/**
 * Computes the Damerau-Levenshtein distance (optimal string alignment). A missing, additional, replaced or swapped
 * letter counts as one error.
 */
export function countMistakes(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const current = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = at(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
          ? at(beforeLast, j - 2) + 1
          : Number.POSITIVE_INFINITY;
      current.push(Math.min(at(last, j) + 1, at(current, j - 1) + 1, replaced, swapped));
    }
    beforeLast = last;
    last = current;
  }
  return at(last, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
