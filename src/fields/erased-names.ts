/** The names of a person who is erased, and whether a text has one of them. Kept in memory alone. */

/** A first and a last name, as the CRM or the service has them. */
export interface PersonName {
  first: string | null;
  last: string | null;
}

export interface NamesOfPerson {
  /** True if no name is known, so that no text can be searched. */
  isEmpty: boolean;
  /** True if a text has the first and the last name of the person as whole words. */
  areIn(text: string): boolean;
}

export const NO_NAMES: NamesOfPerson = { isEmpty: true, areIn: () => false };

/** A last name alone finds too much: it would drop what is kept of relatives and namesakes. */
export function namesOfPerson(names: readonly PersonName[]): NamesOfPerson {
  const known = names.flatMap(({ first, last }) => {
    const [called = ''] = splitWords(first ?? '');
    const words = [called, ...splitWords(last ?? '')];
    return called === '' || words.length < 2 ? [] : [words];
  });
  if (known.length === 0) return NO_NAMES;
  return {
    isEmpty: false,
    areIn(text) {
      const words = new Set(splitWords(text));
      return known.some((name) => name.every((word) => words.has(word)));
    },
  };
}

function splitWords(text: string): string[] {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
}
