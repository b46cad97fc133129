/** Finds sections of the guide. It is separate from the page so that a test can run the same searches. */

/** Words in questions that say nothing about the subject. */
const COMMON = new Set(
  'a about am an and any are as at be but by can could did do does for from get had has have how i if in into is it its me my of on or our see should so that the their them then there they this to was we were what when where which who why will with would you your'.split(
    ' ',
  ),
);

/**
 * A longer text, or a text with the punctuation of a message, was pasted, so its words are searched exactly.
 */
const MAX_TYPED_WORDS = 8;

/** Shorter words are not completed, and in words that are shorter still no typo is tolerated. */
const MIN_COMPLETED = 3;
const MIN_FORGIVEN = 5;

/**
 * @typedef {{ href: string, page: string, heading: string, shown: string, terms: string[] }} Hit
 * @typedef {{ fields: string[], stored: string[], index: object }} GuideIndex
 * @param {any} MiniSearch
 * @param {GuideIndex} data
 * @returns {(query: string) => Hit[]} The best hit comes first.
 */
export function createSearch(MiniSearch, { fields, stored, index }) {
  const engine = MiniSearch.loadJS(index, { fields, storeFields: stored });
  return (query) => {
    const found = [...findCodes(query), ...findWords(query)];
    const places = new Map(found.map((hit) => [hit.href, hit]));
    return [...new Set(found.map(({ href }) => href))].map((href) => places.get(href));
  };

  /** Places that explain a code, setting or variable in the query. @param {string} query */
  function findCodes(query) {
    const codes = query.toLowerCase().match(/[a-z][a-z\d]*(?:[_.][a-z\d]+)+/g) ?? [];
    return codes.flatMap((code) =>
      engine.search(code, {
        combineWith: 'AND',
        boost: BOOST,
        filter: (/** @type {any} */ place) => place.codes.includes(code),
      }),
    );
  }

  /** @param {string} query */
  function findWords(query) {
    const typed = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
    const telling = typed.filter((word) => !COMMON.has(word));
    const words = telling.length > 0 ? telling : typed;
    const isPasted = words.length > MAX_TYPED_WORDS || /["“`:;]|\.\s|\.$/.test(query);
    return engine.search(words.join(' '), {
      // A message does not name the section that explains it, but it contains the same words as that section.
      boost: isPasted ? {} : BOOST,
      boostDocument: (
        /** @type {number} */ _id,
        /** @type {string} */ _term,
        /** @type {any} */ place,
      ) => (isPasted ? (place.codes.length > 0 ? CODE_WEIGHT : 1) : place.weight),
      weights: { prefix: 0.6, fuzzy: 0.3 },
      prefix: (/** @type {string} */ word) => !isPasted && word.length >= MIN_COMPLETED,
      fuzzy: (/** @type {string} */ word) => !isPasted && word.length >= MIN_FORGIVEN && 0.2,
    });
  }
}

/** A pasted text is usually an error message, and its code has a section of its own. */
const CODE_WEIGHT = 2;

/** A match in the title of a section counts more than a match in its text. */
const BOOST = { heading: 4, page: 2 };
