/**
 * Reads and writes thousands of constituents while the API fails repeatedly. Covers each undocumented variant of the
 * API.
 */
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import type { Connector, WriteResult } from '../../../connectors/contract.ts';
import { createKitClock } from '../../../connectors/testing/faults.ts';
import { createWorld } from '../../../people/world.ts';
import type { BloomerangSandboxOptions } from '../../../sandbox/bloomerang/index.ts';
import { isDonorSyncError } from '../../../src/core/errors.ts';
import { coverPairs, type Dimensions, RUNS_ALL_VARIANTS } from '../../helpers/cover-pairs.ts';
import { type Database, keepSecrets, openDatabase } from './database.ts';

type Variant = NonNullable<BloomerangSandboxOptions['variant']>;

const CONTACTS = 20_000;

/** The other variants have this smaller number of contacts, so that the test takes only a few minutes. */
const FEWER = RUNS_ALL_VARIANTS ? CONTACTS : 2_000;

/** One call contains this number of changes. A real delivery has the same number. */
const PER_WRITE = 500;

const world = createWorld({ seed: 1, donors: 2_000 });

/**
 * The faults are lost requests, lost responses, rate limits, and error pages of a proxy. About one request in 25 fails.
 */
const FAULTS = [
  { on: { path: '/constituent*' }, every: 97, fault: { kind: 'limit' } },
  { on: { path: '/constituent*' }, every: 113, fault: { kind: 'resetBefore' } },
  { on: { path: '/constituent*' }, every: 131, fault: { kind: 'resetAfter' } },
  { on: { path: '/constituent*' }, every: 151, fault: { kind: 'gatewayError', status: 502 } },
  { on: { path: '/constituent*' }, every: 173, fault: { kind: 'truncate' } },
];

/** Lists all variants of undocumented behaviour, except variants in which the connector cannot read or write. */
const DIMENSIONS: Dimensions<Variant> = [
  [{ names: 'optional' }, { names: 'required' }],
  [{ maxTake: 50, largerTake: 'cut' }, { maxTake: 50, largerTake: 'refuse' }, { maxTake: 25 }],
  [{ throttling: 'retryAfter' }, { throttling: 'bare' }, { throttling: 'unavailable' }],
  [{ zoneMinutes: 0 }, { zoneMinutes: -360 }],
  [{ partsCountAsChange: true }, { partsCountAsChange: false }],
  [{ groups: 'shown' }, { groups: 'hidden' }],
  [{ blanks: 'omitted' }, { blanks: 'null' }],
  [{ freeform: 'object' }, { freeform: 'text' }],
  [{ values: 'plain' }, { values: 'formatted' }],
];

/**
 * In these variants, a write keeps the other parts of a constituent. By default, a few variants cover every choice of
 * each dimension. With `ALL_VARIANTS=1`, the variants cover every pair of choices, and each variant has all contacts.
 */
const KEEPING: readonly (readonly [string, number, Variant])[] = RUNS_ALL_VARIANTS
  ? coverPairs(DIMENSIONS).map((variant, at) => [
      `pairs ${at + 1} ${JSON.stringify(variant)}`,
      CONTACTS,
      variant,
    ])
  : [
      ['as documented', CONTACTS, {}],
      [
        'with short pages, other forms of values, hidden groups, another zone and another form of limits',
        FEWER,
        {
          ...{ maxTake: 25, blanks: 'null', freeform: 'text', values: 'formatted' },
          ...{ throttling: 'unavailable', zoneMinutes: -360, partsCountAsChange: false },
          ...{ groups: 'hidden' },
        },
      ],
      [
        'with a PUT that needs the names, and lists that refuse longer pages',
        FEWER,
        { names: 'required', throttling: 'bare', largerTake: 'refuse' },
      ],
    ];

it.each(KEEPING)('loses, repeats and damages nothing: %s', async (_, contacts, variant) => {
  const { database, open } = await openLarge(variant, contacts);
  const before = await snapshot(database);
  expect(before.size).toBe(contacts);
  await database.control('PUT', '/faults', FAULTS);
  const connector = await open();
  const ids = await readAll(connector);
  expect(ids.length).toBe(contacts);
  expect(new Set(ids)).toEqual(new Set(before.keys()));
  const results = await writeAll(connector, ids);
  expect(results.size).toBe(contacts);
  // In some variants, Bloomerang refuses a PUT that contains no name. donor-sync has no profile of a contact without a
  // name.
  const nameless = new Set(
    variant.names === 'required' ? ids.filter((id) => before.get(id)?.isNamed === false) : [],
  );
  const unwritten = [...results.values()].filter(({ status }) => status !== 'written');
  expect(new Set(unwritten.map(({ id }) => id))).toEqual(nameless);
  await database.control('PUT', '/faults', []);
  const after = await snapshot(database);
  const wrong = ids.filter((id) => after.get(id)?.note !== (nameless.has(id) ? null : `for ${id}`));
  const damaged = ids.filter((id) => after.get(id)?.rest !== before.get(id)?.rest);
  expect({ wrong, damaged }).toEqual({ wrong: [], damaged: [] });
});

const REPLACING: readonly (readonly [string, Variant])[] = [
  ['the record', { put: 'replaces' }],
  ['the record, and needs the names', { put: 'replaces', names: 'required' }],
  ['the custom values', { customValues: 'replaces' }],
  [
    'the custom values, and needs the names',
    { customValues: 'replaces', names: 'required', freeform: 'text', values: 'formatted' },
  ],
  ['the record and the custom values', { put: 'replaces', customValues: 'replaces', maxTake: 25 }],
];

it.each(REPLACING)(
  'writes one constituent and restores it if a PUT replaces %s',
  async (_, variant) => {
    const { database, open } = await openLarge(variant, FEWER);
    await typeRemarks(database);
    const before = await snapshot(database);
    await database.control('PUT', '/faults', FAULTS);
    const connector = await open();
    const ids = await readAll(connector);
    await expect(writeAll(connector, ids)).rejects.toMatchObject({
      code: 'crm_write_check_failed',
    });
    await database.control('PUT', '/faults', []);
    expect(await snapshot(database)).toEqual(before);
    const { requests } = requestsSchema.parse(await database.control('GET', '/requests'));
    const written = requests.filter(({ method }) => method === 'PUT').map(({ path }) => path);
    expect(new Set(written).size).toBe(1);
  },
);

it('writes nothing if pages of the documented length are refused', async () => {
  const { database, open } = await openLarge({ maxTake: 25, largerTake: 'refuse' }, FEWER);
  await expect(open().then(readAll)).rejects.toMatchObject({ code: 'crm_request_refused' });
  const { requests } = requestsSchema.parse(await database.control('GET', '/requests'));
  expect(requests.filter(({ method }) => method === 'PUT')).toEqual([]);
});

async function openLarge(variant: Variant, contacts: number) {
  const database = await openDatabase({ world, contacts, variant });
  onTestFinished(() => database.close());
  const secrets = keepSecrets();
  const open = async () => {
    const connector = await database.open({ secrets, clock: createKitClock() });
    onTestFinished(() => connector.close());
    return connector;
  };
  return { database, open };
}

/** Gives some constituents a different custom value, as users of a real database do. */
async function typeRemarks(database: Database): Promise<void> {
  const { people } = peopleSchema.parse(await database.control('GET', '/people?limit=20'));
  for (const { id } of people) await database.type(id, 'Remark', 'typed by a user');
}

const peopleSchema = z.object({ people: z.array(z.object({ id: z.string() })) });
const requestsSchema = z.object({
  requests: z.array(z.object({ method: z.string(), path: z.string() })),
});

async function readAll(connector: Connector): Promise<string[]> {
  const ids: string[] = [];
  for await (const { contacts } of connector.readPages(null)) {
    ids.push(...contacts.map(({ id }) => id));
  }
  return ids;
}

/** Writes all changes. If an API failure ends a write, the next write continues, as a later run would. */
async function writeAll(
  connector: Connector,
  ids: readonly string[],
): Promise<Map<string, WriteResult>> {
  const results = new Map<string, WriteResult>();
  for (let start = 0; start < ids.length; start += PER_WRITE) {
    let left = ids.slice(start, start + PER_WRITE);
    for (let turn = 0; left.length > 0; turn += 1) {
      if (turn > 10) throw new Error('The writing does not end.');
      try {
        const changes = left.map((id) => ({ id, values: { Note: `for ${id}` } }));
        for await (const result of connector.write(changes)) {
          if (results.has(result.id)) throw new Error(`${result.id} has two results.`);
          results.set(result.id, result);
        }
      } catch (error) {
        if (!isDonorSyncError(error) || error.kind !== 'retriable') throw error;
      }
      left = left.filter((id) => !results.has(id));
    }
  }
  return results;
}

const pageSchema = z.object({
  TotalFiltered: z.number(),
  Results: z.array(
    z.looseObject({
      Id: z.number(),
      CustomValues: z.array(
        z.looseObject({
          FieldId: z.number(),
          Value: z.union([z.string(), z.looseObject({ Value: z.string() })]).optional(),
        }),
      ),
    }),
  ),
});

/** Returns our value and all other data of each individual. Excludes the author and the time of the last change. */
async function snapshot({ sandbox, fieldId }: Database) {
  const all = new Map<string, { note: string | null; rest: string; isNamed: boolean }>();
  const note = fieldId('Note');
  for (let skip = 0; ; ) {
    const url = `${sandbox.baseUrl}/constituents?type=Individual&take=50&skip=${skip}`;
    const response = await fetch(url, { headers: { 'x-api-key': sandbox.token } });
    const { Results, TotalFiltered } = pageSchema.parse(await response.json());
    for (const { Id, CustomValues, AuditTrail: _, ...parts } of Results) {
      const own = CustomValues.find(({ FieldId }) => FieldId === note)?.Value;
      const others = CustomValues.filter(({ FieldId }) => FieldId !== note);
      const text = typeof own === 'object' ? own.Value : (own ?? null);
      const isNamed = Boolean(parts['FirstName']) && Boolean(parts['LastName']);
      all.set(String(Id), { note: text, rest: withoutIds({ ...parts, others }), isNamed });
    }
    skip += Results.length;
    if (skip >= TotalFiltered) return all;
  }
}

/** Removes the IDs, because a restored address, email address or phone number gets a new ID. */
function withoutIds(parts: object): string {
  const isId = (name: string) => /^(Id|AddressIds|EmailIds|PhoneIds|AuditTrail)$/.test(name);
  return JSON.stringify(parts, (name, value: unknown) => (isId(name) ? undefined : value));
}
