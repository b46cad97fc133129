/**
 * Tests the matcher and the imports with people that someone else has invented. The author of these people had not seen
 * the code. The tests check whether the matcher finds each contact's donor, and whether rows of lists are recognised as
 * one person. The script prints the counts for each kind of case. With `--show`, also prints the failures. All files in
 * the folder are optional.
 *
 * `NAME.jsonl` has one contact per line. A contact has `kind`, `first`, `last`, `addresses`, `employers`, optionally
 * `born`, and `donor`. `donor` is the right ID or null. The donors are in `NAME/donors.csv` and `NAME/roles.csv`. For
 * files of the form `NAME/*.jsonl`, they are in the same folder.
 *
 * `pairs.csv` has the columns `one`, `other`, `truth` (same, different or unclear) and `kind`. Each row contains two
 * first names of people in the same home.
 *
 * `returns.csv` has the original names of tax returns, with `return`, `awkward`, and the right parts.
 *
 * In the files `onelist/*.csv`, each ID is a different person. `onelist/twice.csv` contains the exceptions (`id`,
 * `again`).
 *
 * `sources/a.csv` and `sources/b.csv` are two lists. `sources/same.csv` contains the IDs of the people who are in both
 * lists.
 *
 * Run `node scripts/judge-people.ts FOLDER [--only PART] [--show KIND]... [--from CHECKOUT]`. With `--from`, the script
 * tests the matcher in another checkout.
 */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parse } from 'csv-parse/sync';
import { z } from 'zod';
import type { Donor, World } from '../service/donor.ts';
import type { Match } from '../service/matcher/matcher.ts';
import { openReviews } from '../service/record/reviews.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string' },
    show: { type: 'string', multiple: true, default: [] },
    from: { type: 'string' },
  },
});
const [folder] = positionals;
if (folder === undefined) throw new Error('Name the folder that contains the people.');
const root = resolve(values.from ?? join(import.meta.dirname, '..'));

async function load(path: string) {
  return import(join(root, 'service', path));
}

const { openDatabase } = await load('database.ts');
const { openDonorIndex } = await load('matcher/donor-index.ts');
const { createMatcher } = await load('matcher/matcher.ts');

const print = (line: string) => void process.stdout.write(`${line}\n`);
const at = (...names: string[]) => join(folder, ...names);
const percent = (part: number, whole: number) =>
  whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)} %`;

function readRows<T extends z.ZodType>(file: string, schema: T): z.output<T>[] {
  const rows: unknown = parse(readFileSync(file), { columns: true, bom: true });
  return z.array(schema).parse(rows);
}

const cell = z.string().default('');
const donorRow = z.object({
  id: z.string(),
  first_name: z.string(),
  middle_name: cell,
  last_name: z.string(),
  suffix: cell,
  birth: cell,
  street: cell,
  city: cell,
  state: cell,
  postal_code: cell,
});
const roleRow = z.object({
  donor_id: z.string(),
  kind: z.string(),
  organization: z.string(),
  title: cell,
  start: cell,
  end: cell,
});

interface People {
  ids: string[];
  world: World;
}

/** Returns donors as an import stores them, but does not check whether two of them are the same person. */
function readPeople(donorFile: string, roleFile: string): People {
  const roles = Map.groupBy(
    existsSync(roleFile) ? readRows(roleFile, roleRow) : [],
    ({ donor_id }) => donor_id,
  );
  const rows = readRows(donorFile, donorRow);
  const donors = rows.map((row, number): Donor => {
    const of = (kind: string) =>
      (roles.get(row.id) ?? [])
        .filter((role) => role.kind === kind)
        .map(({ organization, title, start, end }) => ({
          ...{ organisationId: organization, organisationName: organization, title, start },
          end: end === '' ? null : end,
        }));
    return {
      id: String(number).padStart(32, '0'),
      name: { first: row.first_name, middle: row.middle_name || null, last: row.last_name },
      ...(row.suffix === '' ? {} : { suffix: row.suffix }),
      birthYear: row.birth === '' ? null : Number(row.birth.slice(0, 4)),
      ...(row.birth.length === 10 ? { birthday: row.birth } : {}),
      householdId: null,
      addresses:
        row.city === ''
          ? []
          : [
              {
                ...{ street: row.street, city: row.city, state: row.state },
                postalCode: row.postal_code,
              },
            ],
      ...{ work: of('work'), boards: of('board'), education: of('education') },
      ...{ gifts: [], netWorth: null, capacity: { political: null, nonprofit: null }, bio: [] },
      sources: {},
    };
  });
  return { ids: rows.map(({ id }) => id), world: toWorld(donors) };
}

function toWorld(donors: readonly Donor[]): World {
  return {
    seed: 0,
    donorCount: donors.length,
    asOf: '2026-07-01',
    donor(number) {
      const donor = donors[number];
      if (donor === undefined) throw new RangeError(`There is no donor ${number}`);
      return donor;
    },
    donorNumber: () => null,
  };
}

const caseRow = z.object({
  case: z.string().optional(),
  kind: z.string(),
  donor: z.string().nullable(),
  first: z.string(),
  last: z.string(),
  addresses: z.array(z.string()),
  employers: z.array(z.string()),
  born: z.string().optional(),
  undecidable: z.boolean().optional(),
});

interface Outcome {
  asked: z.infer<typeof caseRow>;
  /** The number of the right donor. */
  right: number | null;
  match: Match;
}

function judgeCases(name: string, file: string, people: People): void {
  const db = openDatabase(undefined);
  const matcher = createMatcher(openDonorIndex(db, people.world));
  const numbers = new Map(people.ids.map((id, number) => [id, number]));
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  const outcomes = lines
    .map((line) => caseRow.parse(JSON.parse(line)))
    .filter(({ undecidable }) => undecidable !== true)
    .map((asked): Outcome => {
      const right = asked.donor === null ? null : (numbers.get(asked.donor) ?? Number.NaN);
      const { first, last, addresses, employers, born } = asked;
      const person = { first, last, addresses, employers, ...(born === undefined ? {} : { born }) };
      return { asked, right, match: matcher.match(person) };
    });
  db.close();
  print(`\n## ${name}: ${outcomes.length} contacts, ${people.ids.length} donors`);
  for (const [kind, some] of [...Map.groupBy(outcomes, ({ asked }) => asked.kind)].toSorted()) {
    report(kind, some);
  }
  report('ALL', outcomes);
  print(`calibration error ${calibrationError(outcomes).toFixed(4)}`);
  for (const { asked, right, match } of outcomes) {
    const isWrong = match.donorNumber !== null && match.donorNumber !== right;
    const isMissed = match.donorNumber === null && right !== null;
    if (!values.show.includes(asked.kind) && !(values.show.includes('wrong') && isWrong)) continue;
    if (!isWrong && !isMissed) continue;
    const shown = match.donorNumber ?? right;
    const donor = shown === null ? null : people.world.donor(shown);
    const { name: theirs, suffix, addresses, work, birthday } = donor ?? {};
    print(`${isWrong ? 'WRONG' : 'missed'} ${JSON.stringify(asked)}`);
    print(
      `   ${JSON.stringify({ ...theirs, suffix, birthday, addresses, work: work?.map((role) => role.organisationName) })}`,
    );
    print(
      `   ${match.probability.toFixed(4)} ${match.reasons.join('; ')} | ${match.runnerUp?.reasons.join('; ')}`,
    );
  }
}

function report(kind: string, outcomes: readonly Outcome[]): void {
  const there = outcomes.filter(({ right }) => right !== null);
  const away = outcomes.filter(({ right }) => right === null);
  const found = outcomes.filter(({ match }) => match.donorNumber !== null);
  const right = found.filter(({ match, right: number }) => match.donorNumber === number);
  const other = there.filter(
    ({ match, right: number }) => match.donorNumber !== null && match.donorNumber !== number,
  );
  const wrongly = away.filter(({ match }) => match.donorNumber !== null);
  print(
    `${kind.padEnd(52)} there ${String(there.length).padStart(5)} found ${percent(right.length, there.length).padStart(7)} another ${other.length}` +
      ` | away ${String(away.length).padStart(5)} matched ${wrongly.length} (${percent(wrongly.length, away.length)}) | precision ${percent(right.length, found.length)}`,
  );
}

const BINS = 10;

function calibrationError(outcomes: readonly Outcome[]): number {
  const bins = Map.groupBy(outcomes, ({ match }) =>
    Math.min(BINS - 1, Math.floor(match.probability * BINS)),
  );
  let error = 0;
  for (const bin of bins.values()) {
    const said = bin.reduce((sum, { match }) => sum + match.probability, 0);
    const true_ = bin.filter(({ match, right }) => {
      const likeliest = match.donorNumber ?? match.runnerUp?.donorNumber ?? null;
      return likeliest !== null && likeliest === right;
    });
    error += Math.abs(said - true_.length);
  }
  return error / Math.max(1, outcomes.length);
}

const pairRow = z.object({
  one: z.string(),
  other: z.string(),
  truth: z.enum(['same', 'different', 'unclear']),
  kind: cell,
});

/**
 * Creates two people in the same home with the same last name. Each of them has one of the first names. The records
 * contain no further details.
 */
function judgePairs(file: string): void {
  const rows = readRows(file, pairRow);
  // Each home is in its own town, so that the people of different homes are not neighbours.
  const home = (number: number) => ({
    ...{ street: `${100 + number} Elm Street`, city: `Town${number}`, state: 'IL' },
    postalCode: String(10_000 + number),
  });
  const donors = rows.map(
    ({ one }, number): Donor => ({
      id: String(number).padStart(32, '0'),
      name: { first: one, middle: null, last: 'Oldenquist' },
      ...{ birthYear: null, householdId: null, addresses: [home(number)] },
      ...{ work: [], education: [], boards: [], gifts: [], netWorth: null, bio: [], sources: {} },
      capacity: { political: null, nonprofit: null },
    }),
  );
  const db = openDatabase(undefined);
  const matcher = createMatcher(openDonorIndex(db, toWorld(donors)));
  const isOne = rows.map(({ other }, number) => {
    const { street, city, state, postalCode } = home(number);
    const match: Match = matcher.match({
      ...{ first: other, last: 'Oldenquist', employers: [] },
      addresses: [`${street}, ${city}, ${state} ${postalCode}`],
    });
    return match.donorNumber === number;
  });
  db.close();
  print(`\n## ${basename(file)}: two given names at one home`);
  const all = rows.map((row, number) => ({ ...row, isOne: isOne[number] === true }));
  for (const truth of ['same', 'different', 'unclear'] as const) {
    const mine = all.filter((row) => row.truth === truth);
    const taken = mine.filter((row) => row.isOne);
    print(
      `${truth.padEnd(52)} ${mine.length}, taken for one ${percent(taken.length, mine.length)}`,
    );
    for (const [kind, some] of [...Map.groupBy(mine, (row) => row.kind)].toSorted()) {
      const one = some.filter((row) => row.isOne).length;
      print(`  ${kind.padEnd(50)} ${some.length}, taken for one ${percent(one, some.length)}`);
    }
  }
  for (const { one, other, truth, kind, isOne: isTaken } of all) {
    const isFailure = isTaken ? truth === 'different' : truth === 'same';
    const isShown = values.show.includes('pairs') || (isTaken && values.show.includes('wrong'));
    if (isFailure && isShown) print(`${isTaken ? 'WRONG' : 'missed'} ${one} ${other} (${kind})`);
  }
}

const returnRow = z.object({
  ...{ return: z.string(), awkward: z.string(), written: z.string() },
  ...{ first: z.string(), middle: z.string(), last: z.string(), suffix: z.string() },
});

async function judgeReturns(file: string): Promise<void> {
  const { findNameOrder, readPersonName } = await load('record/sources/person-names.ts');
  const toText = (name: z.infer<typeof returnRow> | null) =>
    name === null || name.last === ''
      ? ''
      : [name.first, name.middle ?? '', name.last, name.suffix ?? '']
          .join('|')
          .toLowerCase()
          .replaceAll('.', '')
          .trim();
  const counts = { all: 0, right: 0, lost: 0 };
  for (const people of Map.groupBy(readRows(file, returnRow), (row) => row.return).values()) {
    const order = findNameOrder(people.map(({ written }) => written));
    for (const row of people) {
      const read = readPersonName(row.written, order);
      const isRight = toText(read) === toText(row);
      if (row.awkward !== 'yes') {
        if (!isRight && values.show.includes('returns')) print(`ordinary ${row.written}`);
        continue;
      }
      counts.all += 1;
      counts.right += Number(isRight);
      counts.lost += Number(read === null && row.last !== '');
      if (!isRight && values.show.includes('returns')) {
        print(`${row.written} → ${toText(read)}, not ${toText(row)}`);
      }
    }
  }
  print(
    `\n## ${basename(file)}: ${counts.all} awkward names, right ${percent(counts.right, counts.all)}, lost ${counts.lost}`,
  );
}

const SAID = { roles: null, date: '2026-11-01', confidence: 0.8, clock: Date.now };

async function importList(db: unknown, file: string, source: string, more: object = {}) {
  const { importPeople } = await load('record/import.ts');
  return importPeople(db, { ...SAID, kind: 'csv', paths: [file], source, ...more });
}

async function judgeOneList(directory: string): Promise<void> {
  const lists = readdirSync(directory).filter(
    (name) => name !== 'twice.csv' && !/roles/.test(name),
  );
  for (const name of lists.filter((one) => one.endsWith('.csv'))) {
    const db = openDatabase(undefined);
    const rows = readRows(join(directory, name), donorRow);
    await importList(db, join(directory, name), 'list', { sameUnderOtherIds: 'other people' });
    const people = db
      .prepare(
        'select count(*) from record_donors where number not in (select number from record_vacancies)',
      )
      .pluck()
      .get();
    const reviews = openReviews(db);
    const line = `${name}: ${rows.length} rows, ${people} donors, ${reviews.list().length} pairs to review`;
    print(`\n## ${line}`);
    if (/twice/.test(name)) await judgeTwice(directory, db, rows);
    db.close();
  }
}

const twiceRow = z.object({ id: z.string(), again: z.string() });

/** Checks people who are twice in a list. Each of them must be on the review list, and must be found as a contact. */
async function judgeTwice(
  directory: string,
  db: ReturnType<typeof openDatabase>,
  rows: readonly z.infer<typeof donorRow>[],
): Promise<void> {
  const { openRecordedWorld } = await load('record/world.ts');
  const numberOf = (id: string): number =>
    db.prepare('select number from record_keys where key = ?').pluck().get(`csv:list:${id}`);
  const pairs = new Set(
    openReviews(db)
      .list()
      .map(({ one, other }) => [one, other].toSorted((a, b) => a - b).join()),
  );
  const twice = readRows(join(directory, 'twice.csv'), twiceRow);
  const listed = twice.filter(({ id, again }) =>
    pairs.has([numberOf(id), numberOf(again)].toSorted((a, b) => a - b).join()),
  );
  if (values.show.includes('twice')) {
    const shown = new Set(listed.map(({ id }) => id));
    for (const { id } of twice.filter((pair) => !shown.has(pair.id))) {
      print(`not to review: ${JSON.stringify(rows.find((row) => row.id === id))}`);
    }
  }
  const matcher = createMatcher(openDonorIndex(db, openRecordedWorld(db)));
  const byId = new Map(rows.map((row) => [row.id, row]));
  let ties = 0;
  let unclear = 0;
  for (const { id, again } of twice) {
    const row = byId.get(id);
    if (row === undefined || row.city === '') continue;
    const person = {
      first: `${row.first_name} ${row.middle_name}`,
      last: `${row.last_name} ${row.suffix}`,
      addresses: [`${row.street}, ${row.city}, ${row.state} ${row.postal_code}`],
      employers: [],
    };
    const match: Match = matcher.match(person);
    if (match.donorNumber !== numberOf(id) && match.donorNumber !== numberOf(again)) {
      // Other family members may also match. Two donors are equally likely if the matcher finds neither of them without
      // the other.
      if (matcher.match(person, numberOf(again)).donorNumber === null) {
        unclear += 1;
        continue;
      }
      ties += 1;
      if (values.show.includes('twice')) print(`tie ${JSON.stringify(row)} ${match.reasons}`);
    }
  }
  print(
    `${twice.length} twice: ${listed.length} of them to review, ${ties} ties, ${unclear} whom a relative fits as well`,
  );
}

const sameRow = z.object({ a_id: z.string(), b_id: z.string() });

async function judgeSources(directory: string): Promise<void> {
  const db = openDatabase(undefined);
  const file = (name: string) => join(directory, name);
  const roles = (name: string) => (existsSync(file(name)) ? file(name) : null);
  await importList(db, file('a.csv'), 'a', { roles: roles('a-roles.csv') });
  const report = await importList(db, file('b.csv'), 'b', { roles: roles('b-roles.csv') });
  const keys: { key: string; number: number }[] = db
    .prepare('select key, number from record_keys')
    .all();
  const same = new Set(readRows(file('same.csv'), sameRow).map((row) => `${row.a_id} ${row.b_id}`));
  let right = 0;
  const wrong: string[] = [];
  for (const some of Map.groupBy(keys, ({ number }) => number).values()) {
    const ids = (source: string) =>
      some.flatMap(({ key }) => (key.startsWith(`csv:${source}:`) ? [key.slice(6)] : []));
    for (const a of ids('a')) {
      for (const b of ids('b')) {
        if (same.has(`${a} ${b}`)) right += 1;
        else wrong.push(`${a} ${b}`);
      }
    }
  }
  print(
    `\n## two sources: ${right} of ${same.size} joined, ${wrong.length} wrong joins, ${report.toReview} pairs to review`,
  );
  if (values.show.includes('sources')) {
    const row = (name: string, id: string) =>
      JSON.stringify(readRows(file(name), donorRow).find((one) => one.id === id));
    for (const pair of wrong) {
      const [a = '', b = ''] = pair.split(' ');
      print(`WRONG ${row('a.csv', a)}\n      ${row('b.csv', b)}`);
    }
  }
  db.close();
}

const isWanted = (part: string) => values.only === undefined || values.only === part;

if (isWanted('pairs') && existsSync(at('pairs.csv'))) judgePairs(at('pairs.csv'));
if (isWanted('returns') && existsSync(at('returns.csv'))) await judgeReturns(at('returns.csv'));
for (const name of readdirSync(folder)) {
  const donors = at(name, 'donors.csv');
  if (!existsSync(donors) || !isWanted(name)) continue;
  const inside = readdirSync(at(name)).filter((file) => file.endsWith('.jsonl'));
  const files = [at(`${name}.jsonl`), ...inside.map((file) => at(name, file))].filter(existsSync);
  const people = readPeople(donors, at(name, 'roles.csv'));
  for (const file of files) judgeCases(`${name}/${basename(file)}`, file, people);
}
if (isWanted('onelist') && existsSync(at('onelist'))) await judgeOneList(at('onelist'));
if (isWanted('sources') && existsSync(at('sources'))) await judgeSources(at('sources'));
