import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Connector, ContactChange, WriteResult } from '../../../connectors/contract.ts';
import { getValues } from '../../../connectors/testing/readings.ts';
import type { Variants } from '../../../sandbox/civicrm/site/variants.ts';
import { isRetriableError } from '../../../src/core/errors.ts';
import { coverPairs, type Dimensions, RUNS_ALL_VARIANTS } from '../../helpers/cover-pairs.ts';
import { openSite, type Site } from './site.ts';

const CONTACTS = 20_000;

/** The contacts' IDs start at this number. A different test worker uses the lower numbers for its contact list. */
const FIRST_ID = 1_001;

/** The site's PHP process crashes if a request is too large. */
const overloaded = (overload: Variants['overload']) => ({ maxRows: 300, overload });

/**
 * Only a test with an account can show which of these variants is real. Excludes PHP warnings, because the connector
 * could then read nothing.
 */
const DIMENSIONS: Dimensions<Partial<Variants>> = [
  [{}, ...(['fatal500', 'page200', 'gateway504', 'empty200'] as const).map(overloaded)],
  [{ saveMode: 'untilFirst' }, { saveMode: 'whole' }],
  [{ strictSql: false }, { strictSql: true }],
  [{ timeZone: 'America/Chicago' }, { timeZone: 'Asia/Kolkata' }],
  [{ databaseZone: null }, { databaseZone: 'UTC' }],
  [{ currency: 'USD' }, { currency: 'EUR' }],
  [{ triggers: true }, { triggers: false }],
  [{ trashChangesDate: false }, { trashChangesDate: true }],
  [{ primaryJoins: true }, { primaryJoins: false }],
  [{ tellsLengths: true }, { tellsLengths: false }],
  [{ staleSmartGroups: false }, { staleSmartGroups: true }],
];

/**
 * By default, a few sites cover every choice of each dimension. With `ALL_VARIANTS=1`, the sites cover every pair of
 * choices.
 */
const SITES: readonly (readonly [string, Partial<Variants>])[] = RUNS_ALL_VARIANTS
  ? coverPairs(DIMENSIONS).map((variants, at) => [
      `pairs ${at + 1} ${JSON.stringify(variants)}`,
      variants,
    ])
  : [
      ['an ordinary site', {}],
      [
        'a site that takes back the whole of a refused request',
        {
          ...{ saveMode: 'whole', strictSql: true, timeZone: 'Asia/Kolkata', databaseZone: 'UTC' },
          ...{ triggers: false, trashChangesDate: true, tellsLengths: false },
        },
      ],
      ['a site whose PHP ends in the middle, with status 500', overloaded('fatal500')],
      [
        'a site whose PHP ends in the middle, with a page and status 200',
        { ...overloaded('page200'), saveMode: 'whole', primaryJoins: false },
      ],
      [
        'a site whose PHP ends in the middle, with nothing and status 200',
        { ...overloaded('empty200'), currency: 'EUR' },
      ],
      [
        'a site behind a gateway that waits too short a time',
        { ...overloaded('gateway504'), staleSmartGroups: true },
      ],
    ];

/** Faults of networks and busy sites. They affect every kind of request. */
const FAULTS = [
  { on: { path: '*/Contact/save' }, every: 7, fault: { kind: 'resetAfter' } },
  {
    on: { path: '*/Contact/save' },
    every: 11,
    fault: { kind: 'fatal', status: 200, isDone: true },
  },
  { on: { path: '*/Contact/save' }, every: 13, fault: { kind: 'error' } },
  { on: { path: '*/Contact/save' }, every: 17, fault: { kind: 'maintenance' } },
  { on: { path: '*/Contact/get' }, every: 19, fault: { kind: 'truncate' } },
  { on: { path: '*/Contact/get' }, every: 23, fault: { kind: 'unreadable', as: 'page' } },
  { on: { path: '*/Contact/get' }, every: 29, fault: { kind: 'throttle', retryAfterSeconds: 1 } },
  { every: 31, fault: { kind: 'gatewayError', status: 502 } },
  { every: 37, fault: { kind: 'resetBefore' } },
];

const ledgerSchema = z.object({
  changes: z.array(
    z.object({ contact: z.number(), field: z.string(), after: z.unknown(), by: z.string() }),
  ),
});

/** Returns different values for each contact, so that a test would notice a value in the wrong contact. */
const valuesOf = (id: string) => ({
  'Test.Note': `note of ${id}`,
  'Test.Worth': Number(id) * 1_000,
});

describe('20,000 contacts of a CiviCRM site with faults', () => {
  for (const [name, variants] of SITES) {
    it(`are all read, and written once and with their own values only: ${name}`, async () => {
      const site = await openSite({ contacts: CONTACTS, donors: 2_000, variants });
      try {
        await site.addField('Note');
        await site.addField('Worth', { data_type: 'Money' });
        const protectedIds = [1_500, 7_777, 20_999];
        const strictIds = [1_501, 9_000];
        await site.control('POST', 'rules', { kind: 'refuse', ids: protectedIds });
        await site.control('POST', 'rules', {
          ...{ kind: 'refuseField', field: 'Test.Note', ids: strictIds },
        });
        await site.putFaults(FAULTS);
        const connector = await site.open({}, { pageSize: 1_000 });
        const ids = await readAll(connector);
        expect(ids).toEqual(Array.from({ length: CONTACTS }, (_, at) => String(FIRST_ID + at)));
        const results = await writeAll(connector, ids);
        await connector.close();
        await expectOwnValues(site, results, { protectedIds, strictIds });
      } finally {
        await site.close();
      }
    });
  }

  it('are not written on a site whose PHP prints warnings into its responses', async () => {
    const variants = { phpWarnings: true };
    const site = await openSite({ contacts: CONTACTS, donors: 2_000, variants });
    try {
      await site.addField('Note');
      await expect(site.open()).rejects.toMatchObject({ kind: 'retriable' });
      const { changes } = ledgerSchema.parse(await site.control('GET', 'ledger'));
      expect(changes).toEqual([]);
    } finally {
      await site.close();
    }
  });
});

/** Reads all contacts. After a temporary failure, reads again, as the next run does. */
async function readAll(connector: Connector): Promise<string[]> {
  for (let run = 0; run < 10; run += 1) {
    try {
      const ids: string[] = [];
      for await (const { contacts } of connector.readPages(null)) {
        ids.push(...contacts.map(({ id }) => id));
      }
      return ids;
    } catch (error) {
      if (!isRetriableError(error)) throw error;
    }
  }
  throw new Error('No run could read all contacts.');
}

/** Runs writes until each contact has a result. */
async function writeAll(connector: Connector, ids: readonly string[]) {
  const results = new Map<string, WriteResult>();
  let throws = 0;
  while (results.size < ids.length && throws < 50) {
    const left = ids.filter((id) => !results.has(id));
    for (let at = 0; at < left.length; at += 1_000) {
      const changes = left
        .slice(at, at + 1_000)
        .map((id): ContactChange => ({ id, values: valuesOf(id) }));
      try {
        for await (const result of connector.write(changes)) {
          expect(results.has(result.id), `${result.id} has two results`).toBe(false);
          results.set(result.id, result);
        }
      } catch (error) {
        if (!isRetriableError(error)) throw error;
        throws += 1;
      }
    }
  }
  return results;
}

async function expectOwnValues(
  site: Site,
  results: ReadonlyMap<string, WriteResult>,
  { protectedIds, strictIds }: { protectedIds: number[]; strictIds: number[] },
): Promise<void> {
  const statuses = Map.groupBy(results.values(), ({ status }) => status);
  expect(numbersOf(statuses.get('refused'))).toEqual(protectedIds);
  expect(numbersOf(statuses.get('written_in_part'))).toEqual(strictIds);
  expect(statuses.get('written')).toHaveLength(CONTACTS - protectedIds.length - strictIds.length);
  const { changes } = ledgerSchema.parse(await site.control('GET', 'ledger'));
  const written = new Map<string, unknown>();
  for (const { contact, field, after, by } of changes) {
    expect(by).toBe('api');
    expect(['custom_1', 'custom_2'], 'only our fields').toContain(field);
    const key = `${contact} ${field}`;
    expect(written.has(key), `${key} was written twice`).toBe(false);
    written.set(key, after);
  }
  for (const id of results.keys()) {
    const isProtected = protectedIds.includes(Number(id));
    const isStrict = strictIds.includes(Number(id));
    const values = valuesOf(id);
    const note = isProtected || isStrict ? undefined : values['Test.Note'];
    const worth = isProtected ? undefined : values['Test.Worth'];
    expect([written.get(`${id} custom_1`), written.get(`${id} custom_2`)]).toEqual([note, worth]);
  }
  await site.putFaults([]);
  const again = await site.open();
  const [lookup] = await again.readByIds([String(FIRST_ID)], Object.keys(valuesOf('')));
  expect(getValues(lookup)).toEqual(valuesOf(String(FIRST_ID)));
  await again.close();
}

function numbersOf(results: readonly WriteResult[] = []): number[] {
  return results.map(({ id }) => Number(id)).toSorted((a, b) => a - b);
}
