/**
 * Sends SIGKILL to `forget` at chosen moments, for each kind of CRM. `npm run bench -- forget` is the long version.
 * It uses random moments and both databases.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startHubspotSandbox } from '../../../sandbox/hubspot/index.ts';
import { startSalesforceSandbox } from '../../../sandbox/salesforce/index.ts';
import { openDatabase } from '../../../src/database/database.ts';
import type { Tables } from '../../../src/database/tables/tables.ts';
import { sandboxControl, sendJson } from '../../connectors/crm-sandbox.ts';
import { everything } from '../../database/store-world.ts';
import { type CliWorld, openCliWorld } from '../../helpers/cli.ts';
import {
  type KillingProxy,
  type KillPoint,
  openKillingProxy,
} from '../../helpers/killing-proxy.ts';

const PEOPLE = 14;
const DONORS = 500;

/** A CRM that the test accesses directly, without the product. */
interface Place {
  world: CliWorld;
  service: KillingProxy;
  /** The proxy in front of the CRM, or null for a file. */
  crm: KillingProxy | null;
  ids(): Promise<string[]>;
  /** Returns the fields of a contact that only donor-sync fills, with their values. */
  ours(id: string): Promise<Record<string, unknown>>;
  /** Adds the same person under a different ID. */
  copy(id: string): Promise<void>;
  merge?(loser: string, winner: string): Promise<void>;
}

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function closing<Thing extends { close(): Promise<void> }>(thing: Thing): Thing {
  closers.push(thing.close);
  return thing;
}

async function openWorld(): Promise<Pick<Place, 'world' | 'service'>> {
  const world = closing(await openCliWorld({ people: PEOPLE, service: { donors: DONORS } }));
  return { world, service: closing(await openKillingProxy(world.service.rootUrl)) };
}

async function writeSettings(
  { world, service }: Pick<Place, 'world' | 'service'>,
  crm: object,
  group: object,
): Promise<void> {
  const baseUrl = service.url + new URL(world.service.baseUrl).pathname;
  const integration = {
    ...{ id: 'riverside', crm, settleAfterMs: 200, networks: [{ name: 'Board', group }] },
    partner: { baseUrl, apiKey: world.service.apiKey },
  };
  const settings = { database: 'sqlite:store.db', integrations: [integration] };
  await writeFile(world.path('donor-sync.yaml'), JSON.stringify(settings));
}

async function openFile(): Promise<Place> {
  const opened = await openWorld();
  const { world } = opened;
  const columns = { id: 'Id', firstName: 'First', lastName: 'Last' };
  const lists = { addresses: ['Address'], employers: ['Employer'] };
  await world.saveRows((await world.rows()).map((row) => ({ ...row, Board: 'member' })));
  await writeSettings(
    opened,
    { kind: 'csv', path: 'riverside.csv', columns: { ...columns, ...lists } },
    { column: 'Board', equals: 'member' },
  );
  const rowOf = async (id: string) => (await world.rows()).find((row) => row['Id'] === id) ?? {};
  return {
    ...opened,
    crm: null,
    ids: async () => (await world.rows()).map((row) => row['Id'] ?? ''),
    ours: async (id) => filled(await rowOf(id), /^(Donor|Warm Path)/),
    async copy(id) {
      await world.saveRows([...(await world.rows()), { ...(await rowOf(id)), Id: 'the-copy' }]);
    },
  };
}

const valuesSchema = z.record(z.string(), z.unknown());
const OURS = /^(donor|warm_path)_/i;

async function openSalesforce(): Promise<Place> {
  const opened = await openWorld();
  const org = closing(await startSalesforceSandbox({ contacts: PEOPLE, donors: DONORS }));
  const crm = closing(await openKillingProxy(org.rootUrl));
  const { control, people } = sandboxControl(org.rootUrl);
  const auth = { type: 'token', token: org.token };
  await writeSettings(
    opened,
    { kind: 'salesforce', url: crm.url, auth },
    { where: "LastName != ''" },
  );
  const read = async (id: string) =>
    valuesSchema.parse(await control('GET', `record/Contact/${id}`));
  return {
    ...opened,
    crm,
    ids: async () => (await people()).map(({ id }) => id),
    ours: async (id) => filled(await read(id), OURS),
    async copy(id) {
      const values = filled(await read(id), /^(First|Last)Name$|^Mailing(Street|City|State|Post)/);
      await control('POST', 'edit', { action: 'create', values });
    },
    async merge(loser, winner) {
      await control('POST', 'edit', { action: 'merge', masterId: winner, loserIds: [loser] });
    },
  };
}

async function openHubspot(): Promise<Place> {
  const opened = await openWorld();
  const account = closing(
    await startHubspotSandbox({ contacts: PEOPLE, donors: DONORS, ratePer10s: 0 }),
  );
  const crm = closing(await openKillingProxy(account.rootUrl));
  const { control, people } = sandboxControl(account.rootUrl);
  const auth = { type: 'token', token: account.token };
  await writeSettings(
    opened,
    { kind: 'hubspot', url: crm.url, auth, requestsPerTenSeconds: 0 },
    { property: 'country', equals: 'United States' },
  );
  const schema = z.object({ properties: valuesSchema });
  const read = async (id: string) =>
    schema.parse(await control('GET', `record/contacts/${id}`)).properties;
  return {
    ...opened,
    crm,
    ids: async () => (await people()).map(({ id }) => id),
    ours: async (id) => filled(await read(id), OURS),
    async copy(id) {
      const values = filled(await read(id), /^(firstname|lastname|address|city|state|zip)$/);
      await control('POST', 'edit', { action: 'create', values });
    },
    async merge(loser, winner) {
      await control('POST', 'edit', { action: 'merge', primaryId: winner, otherId: loser });
    },
  };
}

function filled(values: Record<string, unknown>, names: RegExp): Record<string, unknown> {
  const entries = Object.entries(values).filter(
    ([name, value]) => names.test(name) && value !== null && value !== '',
  );
  return Object.fromEntries(entries);
}

const forgetSchema = z.object({
  forget: z.object({
    networks: z.object({ left: z.array(z.string()), pending: z.array(z.string()) }),
    receipt: z.object({
      complete: z.boolean(),
      erased: z.record(z.string(), z.number()),
      crm: z.object({ cleared: z.array(z.string()), verified: z.boolean() }),
      pending: z.array(z.unknown()),
    }),
  }),
});

const membersSchema = z.object({
  networks: z.array(z.object({ member_ids: z.array(z.string()) })),
});

/** Returns all members of the service's networks. */
async function members({ world }: Place): Promise<string[]> {
  const reply = await sendJson('GET', `${world.service.rootUrl}/_sandbox/networks`, undefined);
  return membersSchema.parse(reply).networks.flatMap(({ member_ids: ids }) => ids);
}

/** Returns where an ID occurs in the database: in tables, and in SQLite's files if the ID is not a number. */
async function tracesOf({ world: { path } }: Place, id: string): Promise<string[]> {
  const { db, close } = await openDatabase<Tables>(`sqlite:${path('store.db')}`);
  const tables = Object.entries(await everything(db));
  await close();
  const word = new RegExp(`(?<![\\w:.,-])${id}(?![\\w-])`);
  const found = tables.flatMap(([name, rows]) => (rows.some((row) => word.test(row)) ? name : []));
  if (/^\d+$/.test(id)) return found;
  for (const name of await readdir(path('.'))) {
    if (!name.startsWith('store.db')) continue;
    if ((await readFile(path(name), 'latin1')).includes(id)) found.push(name);
  }
  return found;
}

async function sync({ world }: Place): Promise<string> {
  const { exitCode, stdout, stderr } = await world.run(['sync', '--full']);
  if (exitCode !== 0) throw new Error(`The sync ended with ${exitCode}: ${stderr}`);
  return stdout;
}

function donorOf(values: Record<string, unknown>): string {
  const named = Object.entries(values).find(([name]) => /^donor[ _]id/i.test(name));
  return String(named?.[1]);
}

/** Returns people who are in the CRM and in the network, and whose donor has no other contact. */
async function enhanced(place: Place): Promise<string[]> {
  const isMember = new Set(await members(place));
  const donors = new Map<string, string>();
  for (const id of await place.ids()) donors.set(id, donorOf(await place.ours(id)));
  const all = [...donors.values()];
  return [...donors].flatMap(([id, donor]) =>
    isMember.has(donor) && all.filter((other) => other === donor).length === 1 ? id : [],
  );
}

/** The request at which the process is killed, and the proxy that receives this request. */
type Moment = KillPoint & { at: 'service' | 'crm' };

const LEAVE = { at: 'service', method: 'POST', path: /\/members\/remove$/ } as const;
const TO_SALESFORCE = { at: 'crm', method: 'PATCH', path: /\/composite\/sobjects/ } as const;
const TO_HUBSPOT = { at: 'crm', method: 'POST', path: /\/batch\/update/ } as const;

function beforeAndAfter(...requests: Omit<Moment, 'when'>[]): Moment[] {
  return requests.flatMap((request) => [
    { ...request, when: 'before' as const },
    { ...request, when: 'after' as const },
  ]);
}

/** Runs a command and kills it at this moment. The proxy holds the request until the process is dead. */
async function killAt(place: Place, { at, ...point }: Moment, args: string[]): Promise<void> {
  const proxy = at === 'crm' ? place.crm : place.service;
  if (proxy === null) throw new Error('A file has no requests');
  let kill = async () => {};
  const isKilled = proxy.killAt(point, () => kill());
  const { child, ended } = await place.world.start(args);
  kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  await Promise.race([isKilled, ended.then(() => sleep(1_000))]);
  expect((await ended).exitCode).toBeNull();
}

const KINDS = [
  { kind: 'a CSV file', open: openFile, moments: beforeAndAfter(LEAVE) },
  { kind: 'Salesforce', open: openSalesforce, moments: beforeAndAfter(TO_SALESFORCE, LEAVE) },
  { kind: 'HubSpot', open: openHubspot, moments: beforeAndAfter(TO_HUBSPOT, LEAVE) },
];

describe('donor-sync forget that is killed at a chosen moment', () => {
  it.each(KINDS)(
    'ends clean in $kind, and the person is held who comes back',
    async (one) => {
      const place = await one.open();
      const { world } = place;
      expect((await world.run(['fields', 'create', 'riverside', '--json'])).exitCode).toBe(0);
      await sync(place);
      const spent = await world.spent();
      const [survivor = '', ...people] = await enhanced(place);
      const erased = people.slice(0, one.moments.length);
      const donors: string[] = [];
      for (const [at, moment] of one.moments.entries()) {
        const id = erased[at] ?? '';
        const values = await place.ours(id);
        donors.push(donorOf(values));
        const args = ['forget', id, '--also-in-crm', '--yes'];
        await killAt(place, moment, args);
        // The next sync completes the work of the killed command, before a user repeats the command.
        await sync(place);
        expect(await place.ours(id)).toEqual({});
        expect(await members(place)).not.toContain(donorOf(values));
        const { forget } = await world.runJson(args, forgetSchema);
        expect(forget.receipt).toMatchObject({
          ...{ complete: true, pending: [], crm: { verified: true } },
          erased: { contacts: 1, jobs: 1 },
        });
        expect(forget.receipt.crm.cleared.toSorted()).toEqual(Object.keys(values).toSorted());
        // The sync has already removed the person from the network.
        expect(forget.networks).toEqual({ left: [], pending: [] });
      }
      await sync(place);
      for (const [at, id] of erased.entries()) {
        expect(await place.ours(id)).toEqual({});
        expect(await tracesOf(place, id)).toEqual([]);
        expect(await tracesOf(place, donors[at] ?? '')).toEqual([]);
        expect(await members(place)).not.toContain(donors[at]);
      }

      await place.copy(erased[0] ?? '');
      await place.merge?.(erased[1] ?? '', survivor);
      expect(await sync(place)).toMatch(
        new RegExp(`held +${place.merge ? 2 : 1} +looks like a person who was erased`),
      );
      expect(await world.spent()).toBe(spent);
    },
    240_000,
  );
});
