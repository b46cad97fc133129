/** Creates inputs that are almost correct, by removing, inserting, repeating or swapping parts of an example. */
import type { Random } from '../../../test/simulation/random.ts';

/** Texts that confuse parsers, such as syntax characters, unusual numbers and invalid characters. */
const TOKENS = [
  ...[
    '"',
    "'",
    '""',
    ',',
    ';',
    '|',
    '\t',
    '\r\n',
    '\n',
    '\r',
    '\\',
    '%',
    '%00',
    '%zz',
    '+',
    '=',
    '&',
  ],
  ...['<', '>', '</', '/>', '<!--', '<!DOCTYPE a [<!ENTITY b "c">]>', '<![CDATA[', '&amp;', '<?'],
  ...[
    '{',
    '}',
    '[',
    ']',
    '[[[[[[[[',
    '{"a":',
    ':',
    ': ',
    '- ',
    '? ',
    '&a ',
    '*a',
    '<<: *a',
    '!!binary ',
    '%YAML 9',
  ],
  ...['${', '$${', `\${KEY}`, `\${UNSET}`, '---\n', '...\n', '# ', '  ', '|\n', '>\n'],
  ...['__proto__', 'constructor', 'toString', 'null', 'true', 'undefined', 'NaN', 'Infinity'],
  ...['-0', '-1', '1e999', '9007199254740993', '0x10', '1e-400', '99999999999999999999999999'],
  ...['\0', '\ufeff', '\u2028', '\u200b', '\u202e', '\u00df', '\u0130', 'e\u0301', '\u{1f600}'],
  ...['../', '=1+1', "' OR 1=1 --", '{{7*7}}', ';', 'a'.repeat(300), ' '.repeat(300)],
] as const;

/** Unexpected values in JSON. */
const VALUES: readonly [unknown, ...unknown[]] = [
  null,
  ...[true, false, 0, -1, 1.5, 1e308, 9_007_199_254_740_994, '', ' ', 'x', '\0', '0', '-1', 'null'],
  ...[
    [],
    {},
    [null],
    [[]],
    [{}],
    { id: null },
    { __proto__: null },
    '2026-02-30',
    '1e999',
    'a'.repeat(5_000),
  ],
];

/**
 * Returns the example with one to four changes. Half of the JSON examples are changed as values, and the other half as
 * text.
 */
export function mutate(example: string, others: readonly string[], random: Random): Buffer {
  const parsed = random.chance(0.6) ? parsedOf(example) : undefined;
  let bytes = Buffer.from(parsed === undefined ? example : JSON.stringify(changed(parsed, random)));
  if (parsed !== undefined && random.chance(0.8)) return bytes;
  for (let left = random.int(1, 4); left > 0; left -= 1)
    bytes = changedBytes(bytes, others, random);
  return bytes;
}

function parsedOf(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the value with one change at a random place. Values at every depth are equally likely to be changed. */
function changed(value: unknown, random: Random): unknown {
  const isInner = typeof value === 'object' && value !== null;
  if (!isInner || random.chance(0.15)) return random.pick(VALUES);
  if (Array.isArray(value)) {
    const at = random.int(0, Math.max(0, value.length - 1));
    const [before, here, after] = [
      value.slice(0, at),
      value.slice(at, at + 1),
      value.slice(at + 1),
    ];
    if (random.chance(0.1)) return [...before, ...after];
    if (random.chance(0.1)) return [...before, ...here, ...here, ...after];
    return [...before, ...here.map((each) => changed(each, random)), ...after];
  }
  const entries = Object.entries(value);
  const chosen = random.one(entries);
  if (chosen === undefined) return { [random.pick(TOKENS)]: random.pick(VALUES) };
  if (random.chance(0.15)) return Object.fromEntries(entries.filter((entry) => entry !== chosen));
  if (random.chance(0.1)) return { ...value, [random.pick(TOKENS)]: random.pick(VALUES) };
  const [key, inner] = chosen;
  return { ...value, [key]: changed(inner, random) };
}

function changedBytes(
  bytes: Buffer,
  others: readonly string[],
  random: Random,
): Buffer<ArrayBuffer> {
  const from = random.int(0, bytes.length);
  const to = Math.min(bytes.length, from + random.magnitude(1, Math.max(1, bytes.length)));
  const [before, part, after] = [
    bytes.subarray(0, from),
    bytes.subarray(from, to),
    bytes.subarray(to),
  ];
  const token = Buffer.from(random.pick(TOKENS));
  switch (random.int(0, 7)) {
    case 0:
      return Buffer.concat([before, after]);
    case 1:
      return Buffer.concat([before, part, part, after]);
    case 2:
      return Buffer.concat([before, token, after]);
    case 3:
      return Buffer.concat([before, random.bytes(random.magnitude(1, 20)), after]);
    case 4:
      return Buffer.concat([before]);
    case 5:
      return Buffer.concat([
        before,
        ...Array.from({ length: random.magnitude(1, 500) }, () => token),
        part,
        after,
      ]);
    case 6:
      return Buffer.concat([before, Buffer.from(random.one(others) ?? ''), after]);
    default:
      return Buffer.concat([before, token, part, after]);
  }
}
