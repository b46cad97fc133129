/**
 * Estimates the weights of the matcher with the method of expectation maximisation. The script does not know which
 * contact belongs to which donor. A weight depends on how often each level of agreement occurs in two records of the
 * same person (m). The noise comes from the benchmark (noise A) with three seeds. The donors are fictional donors and
 * the public record. Prints each level with its weight and the estimate. If a weight and its estimate differ by more
 * than a factor of four, the reason must be in this file. If the reason is missing, the script exits with 1.
 *
 * Run `node scripts/estimate-weights.ts`.
 */

import { fileURLToPath } from 'node:url';
import { drawPersons } from '../bench/scenarios/matching/persons.ts';
import { readPublicRecord } from '../people/public-record.ts';
import { createWorld } from '../people/world.ts';
import { openDatabase } from '../service/database.ts';
import { openDonorIndex } from '../service/matcher/donor-index.ts';
import { type Compared, compareAll } from '../service/matcher/matcher.ts';
import { LEAST_PEOPLE } from '../service/matcher/weights.ts';

const SEEDS = [101, 202, 303];
const DONORS = 5_000;
const PERSONS = 2_000;
const ROUNDS = 25;
const NOTABLE = 4;

/** The kinds of comparisons, with a pattern that recognises the levels of each kind. */
const FIELDS: readonly [string, RegExp][] = [
  ['middle name', /middle (?:name is|initial)/],
  ['first name', /first name|first names/],
  ['last name', /last name/],
  ['address', /address|ZIP code|city|states/i],
  ['employer', /employer/i],
  ['suffix', /suffix/],
  ['birth', /birth/],
];

const FIELD_NAMES = FIELDS.map(([field]) => field);

/** A level of evidence, with its current weight. */
interface Seen {
  level: string;
  bits: number;
  /** The assumed probability of the level in two records of the same person. */
  m: number;
}

/** A person with all candidates and their evidence. */
type Person = Seen[][];

function levelOf(reason: string): string {
  return reason.replace(/ \(\d+ donors?\)$/, '');
}

function fieldOf(level: string): string {
  if (/is swapped|are swapped/.test(level)) return 'order of names';
  return FIELDS.find(([, words]) => words.test(level))?.[0] ?? 'other';
}

function toSeen({ evidence }: Compared): Seen[] {
  return evidence.map(({ reason, bits, m }) => ({
    level: levelOf(reason),
    bits,
    m: m ?? 2 ** bits,
  }));
}

function comparePersons(): Person[] {
  const folder = fileURLToPath(new URL('../people/data/public-record', import.meta.url));
  return SEEDS.flatMap((seed) => {
    const world = createWorld({ seed, donors: DONORS, realPeople: readPublicRecord(folder) });
    const drawn = drawPersons(world, DONORS, PERSONS);
    const db = openDatabase(undefined);
    const index = openDonorIndex(db, drawn.world);
    const persons = drawn.list.map((person) => compareAll(index, person).map(toSeen));
    db.close();
    return persons;
  });
}

interface Estimate {
  field: string;
  level: string;
  weight: number;
  estimate: number;
  /** The estimated number of people with this level. Each person counts with the probability of being the donor. */
  seen: number;
}

function estimate(persons: readonly Person[]): Estimate[] {
  const weights = new Map(persons.flat(2).map(({ level, m }) => [level, m]));
  let estimates = new Map<string, number>();
  let seen = new Map<string, number>();
  for (let round = 0; round < ROUNDS; round += 1) {
    seen = weigh(persons, estimates);
    estimates = sharesOf(seen);
  }
  return [...weights]
    .map(([level, weight]) => ({
      ...{ field: fieldOf(level), level, weight },
      estimate: estimates.get(level) ?? 0,
      seen: seen.get(level) ?? 0,
    }))
    .toSorted((a, b) =>
      a.field === b.field ? b.estimate - a.estimate : a.field < b.field ? -1 : 1,
    );
}

/**
 * Returns the expected number of people for each level. Each pair counts with the probability that it is one person.
 * This probability is computed from all other kinds of comparisons. If a kind was included in its own estimate, it
 * would confirm itself. For example, everyone who has moved would then count as a different person.
 */
function weigh(
  persons: readonly Person[],
  estimates: ReadonlyMap<string, number>,
): Map<string, number> {
  const seen = new Map<string, number>();
  const bitsOf = ({ bits, m, level }: Seen) => bits + Math.log2((estimates.get(level) ?? m) / m);
  for (const candidates of persons) {
    for (const field of FIELD_NAMES) {
      const odds = candidates.map(
        (evidence) =>
          2 **
            evidence.reduce(
              (sum, one) => sum + (fieldOf(one.level) === field ? 0 : bitsOf(one)),
              0,
            ) /
          LEAST_PEOPLE,
      );
      const all = 1 + odds.reduce((sum, one) => sum + one, 0);
      for (const [at, evidence] of candidates.entries()) {
        const probability = (odds[at] ?? 0) / all;
        for (const { level } of evidence) {
          if (fieldOf(level) === field) seen.set(level, (seen.get(level) ?? 0) + probability);
        }
      }
    }
  }
  return seen;
}

/**
 * Returns the share of each level in its field. This is the maximisation step of the method. A level without people
 * gets a small probability.
 */
function sharesOf(seen: ReadonlyMap<string, number>): Map<string, number> {
  const fields = new Map<string, number>();
  for (const [level, weight] of seen) {
    const field = fieldOf(level);
    fields.set(field, (fields.get(field) ?? 0) + weight);
  }
  return new Map(
    [...seen].map(([level, weight]) => {
      const all = fields.get(fieldOf(level)) ?? 0;
      return [level, (weight + 0.5) / (all + 1)];
    }),
  );
}

const NONE_IN_NOISE = 'noise A has no such case; set by hand';
const MOVES_ANYWHERE = 'noise A moves people to any state; most people stay in theirs';

const REASONS: Readonly<Record<string, string>> = {
  'No address agrees, but the state does': MOVES_ANYWHERE,
  'The city is the same': 'noise A moves nobody within a city',
  'No employer agrees': 'noise A names only employers that the file knows; contacts change jobs',
  'The first name is another spelling of the same name': NONE_IN_NOISE,
  'The first name may be another form of the same name, or a relative': NONE_IN_NOISE,
  'The first name has the same initial, which relatives may share': NONE_IN_NOISE,
  'Both first names are known by the same initial only': NONE_IN_NOISE,
  'One of the first names is the same': NONE_IN_NOISE,
  'The first and the middle name are exchanged, as between brothers': NONE_IN_NOISE,
  'The first name is the first and the middle name of the donor': NONE_IN_NOISE,
  'The ZIP code is the same, and the house another one': 'noise A moves nobody within a ZIP code',
  'The first name is the same but for two slips': NONE_IN_NOISE,
  'The last name is a middle or former name': NONE_IN_NOISE,
  'The last name is another one, as after a marriage': NONE_IN_NOISE,
  'The last name is another spelling of the same name': NONE_IN_NOISE,
  'The last name is the same but for two slips': NONE_IN_NOISE,
  'The address is another unit of the same building': NONE_IN_NOISE,
  'The middle initial is another one': NONE_IN_NOISE,
  'The employer is the same but for one typo': NONE_IN_NOISE,
  'The employer has these initials': NONE_IN_NOISE,
  'The employer is the same with other names added': NONE_IN_NOISE,
};

function differs({ weight, estimate: m }: Estimate): boolean {
  return m > weight * NOTABLE || weight > m * NOTABLE;
}

const estimates = estimate(comparePersons()).filter(({ field }) => FIELD_NAMES.includes(field));
for (const one of estimates) {
  const { field, level, weight, estimate: m, seen } = one;
  const note = differs(one) ? (REASONS[level] ?? 'NOT EXPLAINED') : '';
  const figures = [weight.toFixed(3), m.toFixed(4), seen.toFixed(0).padStart(6), note];
  process.stdout.write(`${field.padEnd(12)} ${level.padEnd(62)} ${figures.join('  ')}\n`);
}
if (estimates.some((one) => differs(one) && REASONS[one.level] === undefined)) process.exitCode = 1;
