/** Finds sections of the guide. It is a separate file, so that a test can run the same searches. */

/** Common words in questions. They do not show the subject of a question. */
const COMMON = new Set(
  'a about after again all also am an and any anymore anyone anything are as at be been before but by can cannot certain could did do does doing don donorsync even ever everything exactly for from get gets getting give go goes going good got had happen happened happening happens has have he her him his how i if in into is isn it its just keep know knows let like look looking looks make me my need never now of ok on one only or our out particular please possible put really say says see she should so some someone something specific still t tell that the their them then there these they thing things this those to too us use used using very want wants was way we were what when where which who why will with without would you your'.split(
    ' ',
  ),
);

/** Recognises a question. A text that starts or ends like a question was typed and not pasted, even if it is long. */
const QUESTION =
  /\?\s*$|^\s*(?:how|why|what|when|where|which|who|can|could|do|does|is|are|should|will|i|we|my|our)\b/i;

/**
 * The maximum number of typed words. A query with more words, or with the punctuation of a message, was pasted. Its
 * words are searched exactly.
 */
const MAX_TYPED_WORDS = 8;

/** The minimum length of a word that the search completes. For even shorter words, the search tolerates no typos. */
const MIN_COMPLETED = 3;
const MIN_FORGIVEN = 5;

/** The minimum number of letters that remain when the ending of a word is removed. */
const MIN_STEM = 3;

/**
 * Returns the stem that a word's singular, plural and tenses share. The index and the queries both use stems.
 *
 * @param {string} word
 * @returns {string}
 */
export function stem(word) {
  const lower = word.toLowerCase();
  if (!/^[a-z]+$/.test(lower)) return lower;
  const singular = lower.replace(/ies$/, 'y').replace(/(?<![aius])s$/, '');
  const base = singular.replace(/(?:ing|ed)$/, '');
  const hasVowel = /[aeiouy]/.test(base);
  const short = base.length >= MIN_STEM && hasVowel ? base : singular;
  const single = short === singular ? short : short.replace(/([bdfgmnprt])\1$/, '$1');
  return single.length > MIN_STEM ? single.replace(/e$/, '') : single;
}

/**
 * Splits a text into words. Keeps "donor-sync" as one word, because the name occurs in every section and must not match
 * "donor" or "sync".
 *
 * @param {string} text
 * @returns {string[]}
 */
export function splitWords(text) {
  return (
    text
      .replace(/donor-sync/gi, OWN_NAME)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

const OWN_NAME = 'donorsync';

/**
 * @typedef {{ href: string, page: string, heading: string, shown: string, isFound: (word: string) => boolean }} Hit
 * @typedef {{ typed: readonly string[], means: readonly string[] }} Synonym
 * @typedef {{ words: string, weight: number, isLast?: boolean }[]} Idea
 * @typedef {{ fields: string[], stored: string[], index: object, synonyms: readonly Synonym[] }} GuideIndex
 * @param {any} MiniSearch
 * @param {GuideIndex} data
 * @returns {(query: string) => Hit[]} The best hit comes first.
 */
export function createSearch(MiniSearch, { fields, stored, index, synonyms }) {
  const engine = MiniSearch.loadJS(index, {
    fields,
    storeFields: stored,
    processTerm: stem,
    tokenize: splitWords,
  });
  const meanings = synonyms.flatMap(({ typed, means }) =>
    typed.map((words) => ({ words: splitWords(words).map(stem), means })),
  );
  return (query) => {
    const found = [...findCodes(query), ...findWords(query)];
    const places = new Map(found.map((hit) => [hit.href, hit]));
    return [...new Set(found.map(({ href }) => href))].map((href) => toHit(places.get(href)));
  };

  /** @param {any} place @returns {Hit} */
  function toHit({ terms, ...place }) {
    const found = new Set(terms);
    return { ...place, isFound: (word) => found.has(stem(word)) };
  }

  /**
   * Finds sections that explain a code, a setting or a variable in the query. Also finds sections whose code consists
   * of the query's words. @param {string} query
   */
  function findCodes(query) {
    const typed = query.toLowerCase().match(/[a-z][a-z\d]*(?:[_.][a-z\d]+)+/g) ?? [];
    const words = splitWords(query);
    const codes = words.length > 1 ? [...typed, words.join('_')] : typed;
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
    const typed = splitWords(query);
    const telling = typed.filter((word) => !COMMON.has(word));
    const words = telling.length > 0 ? telling : typed;
    const isMessage = words.length > MAX_TYPED_WORDS || /["“`:;]|\.\s|\.$/.test(query);
    return isMessage && !QUESTION.test(query) ? findMessage(words) : findIdeas(typed);
  }

  /**
   * Finds sections with the words of a pasted message. In this search, a section's title has no higher weight.
   *
   * @param {string[]} words
   */
  function findMessage(words) {
    return engine.search(words.join(' '), {
      boostDocument: (
        /** @type {number} */ _id,
        /** @type {string} */ _term,
        /** @type {any} */ place,
      ) => (place.codes.length > 0 ? CODE_WEIGHT : 1),
    });
  }

  /**
   * Finds sections about the ideas of a question. A section with several of the ideas comes before a section that only
   * repeats the rarest word.
   *
   * @param {string[]} typed
   */
  function findIdeas(typed) {
    const ideas = listIdeas(typed);
    /** @type {Map<number, any>} */
    const hits = new Map();
    for (const idea of ideas) {
      for (const [id, hit] of searchIdea(idea)) {
        const known = hits.get(id);
        const score = hit.score + (known?.score ?? 0);
        const terms = [...(known?.terms ?? []), ...hit.terms];
        hits.set(id, { ...hit, score, terms, ideas: (known?.ideas ?? 0) + 1 });
      }
    }
    const scored = [...hits.values()].map((hit) => ({
      ...hit,
      score: hit.score * (hit.ideas / ideas.length) ** COVERAGE,
    }));
    return scored.sort((a, b) => b.score - a.score);
  }

  /**
   * Returns the ideas of a query. An idea is an important word or a phrase, with the words that the guide uses for it.
   *
   * @param {string[]} typed
   * @returns {Idea[]}
   */
  function listIdeas(typed) {
    const stems = typed.map(stem);
    const ideas = [];
    const isTelling = typed.some((word) => !COMMON.has(word));
    for (let at = 0; at < typed.length; ) {
      const found = meanings.filter(({ words }) =>
        words.every((word, place) => stems[at + place] === word),
      );
      const length = Math.max(1, ...found.map(({ words }) => words.length));
      const means = found
        .filter(({ words }) => words.length === length)
        .flatMap((each) => each.means);
      const own = typed.slice(at, at + length).filter((word) => !COMMON.has(word));
      if (means.length > 0 || own.length > 0 || !isTelling) {
        const words = own.length > 0 ? own : typed.slice(at, at + length);
        ideas.push([
          { words: words.join(' '), weight: 1, isLast: at + length === typed.length },
          ...means.map((meaning) => ({ words: meaning, weight: SYNONYM_WEIGHT })),
        ]);
      }
      at += length;
    }
    return ideas;
  }

  /** Returns, for each section, the best score of any of the idea's words. @param {Idea} idea */
  function searchIdea(idea) {
    /** @type {Map<number, any>} */
    const best = new Map();
    for (const { words, weight, isLast = false } of idea) {
      for (const hit of searchExactly(words, isLast) ?? searchLoosely(words)) {
        const score = (hit.score * weight) / splitWords(words).length;
        const known = best.get(hit.id);
        if (known === undefined || known.score < score) best.set(hit.id, { ...hit, score });
      }
    }
    return best;
  }

  /**
   * @param {string} words
   * @param {boolean} isLast The user might still be typing the word.
   */
  function searchExactly(words, isLast) {
    const hits = engine.search(words, {
      ...TYPED,
      combineWith: 'AND',
      weights: { prefix: 0.3, fuzzy: 0 },
      prefix: (/** @type {string} */ word) => isLast && word.length >= MIN_COMPLETED,
    });
    return hits.length > 0 ? hits : null;
  }

  /**
   * Searches for words that the guide does not contain. Completes the words and tolerates typos. @param {string} words
   */
  function searchLoosely(words) {
    return engine.search(words, {
      ...TYPED,
      weights: { prefix: 0.6, fuzzy: 0.3 },
      prefix: (/** @type {string} */ word) => word.length >= MIN_COMPLETED,
      fuzzy: (/** @type {string} */ word) => word.length >= MIN_FORGIVEN && 0.2,
    });
  }
}

/**
 * The weight of a section about a code. A pasted query is usually an error message, and the guide has a section for its
 * code.
 */
const CODE_WEIGHT = 2;

/**
 * The weight of a section about a code if the query is a question. A question is rarely about a single code, even if
 * the code contains the same words.
 */
const CODE_WEIGHT_FOR_QUESTIONS = 0.5;

/** The weight of a synonym. It is lower than the weight of the typed word. */
const SYNONYM_WEIGHT = 0.65;

/**
 * The factor that reduces a section's score if the section does not mention an idea of the question. A higher value
 * reduces the score more.
 */
const COVERAGE = 0.75;

/** The weights of titles. A match in a title has a higher weight than a match in the text. */
const BOOST = { heading: 4, page: 2 };

/** The weights of the words in a question. */
const TYPED = {
  boost: BOOST,
  boostDocument: (
    /** @type {number} */ _id,
    /** @type {string} */ _term,
    /** @type {any} */ place,
  ) => place.weight * (place.codes.length > 0 ? CODE_WEIGHT_FOR_QUESTIONS : 1),
};
