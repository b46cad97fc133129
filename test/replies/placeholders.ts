/** Replaces values that differ from run to run with fixed words. */

/** The world's values by kind, each with a name. */
export type KnownNames = ReadonlyMap<string, string>;

const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
/** Matches the end of an ID, which commands show after they create something. */
const ID_END = /(?<=\(run |`donor-sync approvals confirm )[0-9a-f]{8}(?=[)`])/g;
/** Matches secrets, and digests that a secret key produced. */
const SECRET = /(?<![\w-])(?:dst_)?(?:[\w-]{43}|[\w-]{22})(?![\w-])/g;
const HASH = /\b(?:[0-9a-f]{64}|[0-9a-f]{32})\b/g;
const MONTHS = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec';

/** Matches the value that an action takes from its preview. The value consists of an expiry and a fingerprint. */
const DIGEST = /(?<![\w-])[0-9a-z]{8}\.[\w-]{22,64}(?![\w-])/g;

/** Matches the position at which a list continues: an encoded time and ID. */
const CURSOR = /(?<![\w-])Wz[\w-]{20,}/g;

const TIMES: readonly (readonly [RegExp, string])[] = [
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?/g, '<time>'],
  [/\b1[789]\d{11}\b/g, '<time>'],
  [/\b\d{4}-\d\d-\d\d\b/g, '<day>'],
  [
    new RegExp(
      `\\b(?:${MONTHS})[a-z]* \\d{1,2}(?:, \\d{4})?(?:,? \\d{1,2}:\\d\\d(?: [AP]M)?)?`,
      'g',
    ),
    '<time>',
  ],
  [new RegExp(`\\b\\d{1,2} (?:${MONTHS})[a-z]*(?: \\d{4})?(?:,? \\d{1,2}:\\d\\d)?`, 'g'), '<time>'],
  [/\b(?:\d+(?:\.\d+)? (?:ms|s|min|h) ?)+ago\b|\bjust now\b/g, '<a moment> ago'],
  [/\b\d+(?:\.\d+)? ms\b|\b\d+(?:\.\d+)? s\b/g, '<duration>'],
  // The service's remaining credits, which all copies of the world share.
  [/\b99,?\d{3}\b/g, '<balance>'],
  [/\b127\.0\.0\.1:\d+\b/g, '<address>'],
];

/** IDs without a name are numbered within each reply. */
export function createReplacer(known: KnownNames): (text: string) => string {
  const unnamed = new Map<string, string>();
  const named = [...known].sort(([a], [b]) => b.length - a.length);
  const numbered = (value: string, word: string) => {
    const label = unnamed.get(value) ?? `<${word} ${unnamed.size + 1}>`;
    unnamed.set(value, label);
    return label;
  };
  return (text) => {
    let result = text;
    for (const [value, name] of named) {
      result = result.replaceAll(value, `<${name}>`);
      // Commands also show the end of an id.
      if (/^[0-9a-f-]{36}$/.test(value)) result = result.replaceAll(value.slice(-8), `<${name}>`);
    }
    result = result.replace(DIGEST, '<digest>');
    result = result.replace(UUID, (id) => numbered(id, 'id'));
    result = result.replace(ID_END, '<id>');
    result = result.replace(SECRET, (text) =>
      /[a-z]/.test(text) && /[A-Z]/.test(text) ? numbered(text, 'secret') : text,
    );
    result = result.replace(CURSOR, '<cursor>');
    result = result.replace(HASH, (hash) => numbered(hash, 'hash'));
    for (const [pattern, word] of TIMES) result = result.replace(pattern, word);
    return result;
  };
}
