/**
 * Finds words in a sentence that are wrong in every sentence. Words that are right in some sentences are left to human
 * readers.
 */

/** The maximum number of words in a sentence. Readers have to read longer sentences twice. */
const MOST_WORDS = 30;

interface Rule {
  pattern: RegExp;
  /** The wording to use instead. */
  instead: string;
}

const HUMAN =
  /\b(?:you|we|they|user|users|people|person|someone|anyone|everyone|nobody|who|administrator|administrators|admin|admins|decider|deciders|owner|owners|author|reader|colleague) (?:(?:is|are|was|were|be|being|been|not|also|still|already|then|never|only) )*asked$/i;

const RULES: readonly Rule[] = [
  {
    // The verb "ask" is for people and not for programs.
    pattern: /\b(?:is|are|was|were|be|been|being)(?: not| also| still| never| only)? asked\b/gi,
    instead: 'request, query, submit or check',
  },
  {
    pattern: /\b(?:go|goes|going|gone|went) (?:on|along|over|further)\b/gi,
    instead: 'continue, be in progress, be passed on, or exceed',
  },
  { pattern: /\b(?:stands?|stood)\b(?!-)/gi, instead: 'is, contains, is stored in' },
  { pattern: /\bbesides?\b/gi, instead: 'next to, in addition to, together with' },
  { pattern: /\bunder way\b/gi, instead: 'in progress, in flight' },
  { pattern: /\b(?:within|in|out of) reach\b/gi, instead: 'with access, without access' },
  { pattern: /\b(?:is|are|was|were|be) away\b/gi, instead: 'is unavailable' },
  { pattern: /\bat work\b/gi, instead: 'running' },
  {
    pattern:
      /(?<!\bthere )\b(?:is|are|was|were) (?:no|none)\b(?! (?:longer|more|less|fewer|larger|smaller|later|earlier|older|newer|higher|lower|one)\b)/gi,
    instead: 'negate the verb: is not, are not',
  },
  {
    pattern: /\b(?:goes into no|makes? no (?!difference|sense))\b/gi,
    instead: 'negate the verb',
  },
  { pattern: /\bnothing (?:of|but)\b/gi, instead: 'none of, only' },
  { pattern: /\bno person\b/gi, instead: 'nobody' },
  {
    pattern:
      /(?:^|[;:.] )[Ww]here (?:a|an|the|it|that|there|they|no|its|so|limits|[a-z]+ (?:is|are|has|have))\b[^.;:]*,/g,
    instead: 'if or when',
  },
  {
    pattern: /, where (?:there|no|it|they)\b(?= (?:is|are|has|have|was|were) (?:no|none|not)\b)/gi,
    instead: 'if',
  },
  { pattern: /\banew\b/gi, instead: 'again' },
  { pattern: /\bby (?:itself|themselves)\b/gi, instead: 'automatically, alone' },
  { pattern: /\ball the same\b/gi, instead: 'anyway' },
  { pattern: /\bonly then the\b/gi, instead: 'only then is the …' },
  {
    pattern:
      /, also (?:when|if|while|in|on|at|for|from|with|without|by|as|after|before|during|those|the|a|an|of|to)\b/gi,
    instead: 'even, including',
  },
  { pattern: /(?<!\bneither\b.*)\bnor\b/gi, instead: 'a new sentence, or not … or' },
  { pattern: /\bmeanwhile\b/gi, instead: 'in the meantime, since then' },
  { pattern: /\b(?:begin|begins|began|begun)\b/g, instead: 'start' },
  {
    pattern: /\bof (?:its|their|his|her|our|one['’]s) own\b/gi,
    instead: 'its own …, a separate …',
  },
  { pattern: /\b(?:those that|the ones? of)\b/gi, instead: 'name the things' },
  { pattern: /\bas a sentence\b/gi, instead: 'in plain words' },
  { pattern: /\b(?:an)?other (?:person|people) than\b/gi, instead: 'someone other than' },
  { pattern: /\bfor a person\b/gi, instead: 'for you, human-readable' },
  { pattern: /\bpersons\b/gi, instead: 'people' },
  { pattern: /\bpartner key\b/gi, instead: 'service key' },
  { pattern: /\blost answers?\b/gi, instead: 'lost response' },
  { pattern: /\bcomes? to (?:its|their|an) end\b/gi, instead: 'ends' },
  { pattern: /\blets? in\b(?! (?:the|a|this|which)\b)/gi, instead: 'allow, connect' },
];

export interface Fault {
  /** The wrong words. */
  words: string;
  instead: string;
}

/** Returns the faults in a sentence, in the order of the rules. */
export function findFaults(sentence: string): Fault[] {
  const text = sentence.replaceAll(/\s+/g, ' ');
  const length = countWords(text);
  // A name is not a sentence.
  if (length < 3) return [];
  const faults = RULES.flatMap(({ pattern, instead }) =>
    [...text.matchAll(pattern)].flatMap((match) => {
      const words = match[0].trim();
      const isHuman =
        words.endsWith('asked') && HUMAN.test(text.slice(0, match.index + words.length));
      return isHuman || isInName(text, match) ? [] : [{ words, instead }];
    }),
  );
  if (length > MOST_WORDS) {
    faults.push({
      words: `${length} words`,
      instead: `at most ${MOST_WORDS} words, or two sentences`,
    });
  }
  return faults;
}

/** Returns true if the words belong to a longer name, such as a file name. */
function isInName(text: string, { 0: words, index }: RegExpExecArray): boolean {
  return (
    /[\w/.-]-$|[/_]$/.test(text.slice(0, index)) ||
    /^[-_/]\w/.test(text.slice(index + words.length))
  );
}

function countWords(text: string): number {
  return text.split(' ').filter((word) => /[\p{L}\p{N}`…]/u.test(word)).length;
}
