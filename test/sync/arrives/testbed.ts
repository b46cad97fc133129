/**
 * A client, the service and a CRM. The service and the stand-in for the CRM are called over HTTP. A CSV file can
 * replace the CRM. The expected results come from the CRM's records and from the service's ledger and profiles, never
 * from donor-sync's fingerprints.
 */
import { expect, onTestFinished } from 'vitest';
import { z } from 'zod';
import type { Connector } from '../../../connectors/contract.ts';
import { findConnectorDefinition } from '../../../connectors/index.ts';
import type { FieldMapping, FieldSource } from '../../../src/core/field-map.ts';
import { createMissingFields } from '../../../src/fields/describe.ts';
import { undoRun } from '../../../src/fields/undo.ts';
import { isProfileLine } from '../../../src/fields/value-states.ts';
import { openCrm } from '../../../src/sync/control/crm-account.ts';
import { withLease } from '../../../src/sync/control/with-lease.ts';
import { openCsvFolder } from '../../connectors/csv-folder.ts';
import { openAccount } from '../../connectors/hubspot/account.ts';
import { openOrg } from '../../connectors/salesforce/org.ts';
import { controlService } from '../../helpers/service-control.ts';
import {
  createSyncWorld,
  type SyncWorld,
  type SyncWorldOptions,
} from '../../helpers/sync-world.ts';
import { send } from '../../testbed/asking.ts';

/** The number of donors, which is so large that the service knows the contacts in every CRM. */
const DONORS = 2_000;

/** A contact's mapped fields as the CRM shows them. Null for a blank field. */
export type Values = Record<string, string | null>;

/** A CRM with contacts, and its administrator's actions. */
export interface Crm {
  kind: 'salesforce' | 'hubspot' | 'csv';
  /** The lines of the default field map that write values from a profile. */
  lines: readonly FieldMapping[];
  /** The IDs of the contacts, in the order of the service's people. */
  ids: readonly string[];
  open(signal: AbortSignal): Promise<Connector>;
  /** Returns a contact's values in the CRM itself. */
  read(id: string): Promise<Values>;
  /** Gives a contact the name, addresses and employer of a different contact. */
  becomes(id: string, other: string): Promise<void>;
  rename(id: string, firstName: string, lastName: string): Promise<void>;
  /** A field of the users that accepts only yes and no, and that the product does not use. */
  yesOrNo: string;
  sayYes(id: string): Promise<void>;
  /** Sets `contacts.optOutField` from the next run on. */
  optOutBy(field: string | null): void;
  close(): Promise<void>;
}

/** A CRM that is connected to the product. */
export interface Bed<Kind extends Crm> {
  crm: Kind;
  world: SyncWorld;
  fieldFor(from: FieldSource): string;
  /** Creates the fields, as `fields create` does. */
  createFields(): Promise<void>;
  undo(runId: string): Promise<void>;
}

export interface BedOptions {
  people: number;
  /** Sources for which the CRM has no fields at first. Defaults to no sources. */
  without?: readonly FieldSource[];
  /** The lines of the field map. Defaults to all lines. */
  sources?: readonly FieldSource[];
  settings?: Record<string, unknown>;
  service?: SyncWorldOptions['service'];
  integration?: Record<string, unknown>;
  /** Options for HubSpot's stand-in account. */
  crm?: Parameters<typeof openAccount>[0];
  /** The clock of the stand-in for the CRM (ms since 1970). Defaults to the machine's clock. */
  clock?: () => number;
  /** True if the Salesforce org has several currencies. Defaults to false. */
  currencies?: boolean;
}

export const CRMS = [
  ['Salesforce', openSalesforce],
  ['HubSpot', openHubspot],
  ['a CSV file', openCsv],
] as const;

export type SalesforceCrm = Awaited<ReturnType<typeof startSalesforce>>;
export type HubspotCrm = Awaited<ReturnType<typeof startHubspot>>;
export type CsvCrm = Awaited<ReturnType<typeof startCsv>>;

export function openSalesforce(options: BedOptions): Promise<Bed<SalesforceCrm>> {
  return openBed(options, startSalesforce);
}

export function openHubspot(options: BedOptions): Promise<Bed<HubspotCrm>> {
  return openBed(options, startHubspot);
}

export function openCsv(options: BedOptions): Promise<Bed<CsvCrm>> {
  return openBed(options, startCsv);
}

async function openBed<Kind extends Crm>(
  options: BedOptions,
  start: (options: BedOptions, serviceUrl: string) => Promise<Kind>,
): Promise<Bed<Kind>> {
  let crm: Kind | null = null;
  const open = new Set<Connector>();
  onTestFinished(async () => {
    for (const connector of open) await connector.close();
  });
  const world = await createSyncWorld({
    service: { donors: DONORS, ...options.service },
    integration: {},
    open: async (signal) => {
      if (crm === null) throw new Error('The CRM is not open');
      const connector = await crm.open(signal);
      open.add(connector);
      return connector;
    },
  });
  onTestFinished(() => world.close());
  crm = await start(options, world.service.rootUrl);
  onTestFinished(() => crm?.close());
  const { lines } = crm;
  const opened = crm;
  const fieldFor = (from: FieldSource) =>
    lines.find((line) => line.from === from)?.to ?? fail(`No field is mapped to ${from}`);
  const { without = [], sources } = options;
  await createIn(
    opened,
    lines.filter(({ from }) => !without.includes(from)),
  );
  const mappings =
    sources === undefined ? lines : lines.filter(({ from }) => sources.includes(from));
  const sync: SyncWorld['sync'] = (request) => world.sync({ mappings, ...request });
  return {
    crm: opened,
    world: { ...world, sync },
    fieldFor,
    createFields: () => createIn(opened, lines),
    async undo(runId) {
      const deps = world.deps();
      await withLease(deps, 'riverside', async (lease) =>
        undoRun(await openCrm(deps, lease), lease, runId),
      );
    },
  };
}

async function createIn(crm: Crm, lines: readonly FieldMapping[]): Promise<void> {
  if (crm.kind === 'csv') return;
  const connector = await crm.open(new AbortController().signal);
  const created = await createMissingFields(connector, lines);
  await connector.close();
  expect(created.filter(({ result }) => result === 'failed')).toEqual([]);
}

/** Throws an error in a place where an expression must return a value. */
export function fail(message: string): never {
  throw new Error(message);
}

async function profileLines(kind: Crm['kind']): Promise<FieldMapping[]> {
  return (await findConnectorDefinition(kind)).defaultFields.filter(isProfileLine);
}

const recordSchema = z.record(z.string(), z.unknown());

const INSTANT = /^\d{4}-\d{2}-\d{2}T/;

/** Returns a value as a string. All times become one string, because two first syncs never happen at one time. */
function toText(value: unknown): string | null {
  if (value === undefined || value === null || value === '') return null;
  return INSTANT.test(String(value)) ? 'an instant' : String(value);
}

const createdSchema = z.object({ id: z.string() });

const SALESFORCE_IDENTITY = [
  ...['FirstName', 'LastName', 'AccountId', 'MailingStreet', 'MailingCity', 'MailingState'],
  ...['MailingPostalCode', 'MailingCountry'],
];

async function startSalesforce({ people, settings = {}, currencies = false, clock }: BedOptions) {
  const org = await openOrg({
    ...{ contacts: people, donors: DONORS, bulkJobTimeMs: 0, currencies },
    ...(clock === undefined ? {} : { clock }),
  });
  const lines = await profileLines('salesforce');
  const record = async (id: string) =>
    recordSchema.parse(await org.control('GET', `record/Contact/${id}`));
  const change = (id: string, values: object) => org.edit({ action: 'update', id, values });
  const contacts = { filter: null, optOutField: null as string | null };
  return {
    kind: 'salesforce' as const,
    org,
    lines,
    ids: (await org.people()).map(({ id }) => id),
    open: (signal: AbortSignal) => org.connector(settings, { signal }, { ...contacts }),
    yesOrNo: 'DoNotCall',
    sayYes: (id: string) => org.setValue(id, 'DoNotCall', true),
    optOutBy(field: string | null) {
      contacts.optOutField = field;
    },
    async read(id: string): Promise<Values> {
      const all = await record(id);
      return Object.fromEntries(lines.map(({ to }) => [to, toText(all[to])]));
    },
    async becomes(id: string, other: string) {
      const all = await record(other);
      await change(id, Object.fromEntries(SALESFORCE_IDENTITY.map((name) => [name, all[name]])));
    },
    rename: (id: string, FirstName: string, LastName: string) =>
      change(id, { FirstName, LastName }),
    /** Copies a contact with all values, as the *Clone* button does. The copy has the name of a different contact. */
    async clone(id: string, other: string): Promise<string> {
      const [all, person] = [await record(id), await record(other)];
      const copied = lines.map(({ to }) => [to, all[to]] as const);
      const named = SALESFORCE_IDENTITY.map((name) => [name, person[name]] as const);
      const values = Object.fromEntries([...copied, ...named].filter(([, value]) => value != null));
      const made = await org.control('POST', 'edit', { action: 'create', type: 'Contact', values });
      return createdSchema.parse(made).id;
    },
    setValue: (id: string, field: string, value: number) => org.setValue(id, field, value),
    remove: (id: string) => org.deleteContact(id),
    /** Returns how often a contact was changed permanently, averaged over all contacts. */
    async countUpdates(): Promise<number> {
      const { updates } = updatesSchema.parse(await org.control('GET', 'updates'));
      return updates.reduce((sum, each) => sum + each.updates, 0);
    },
    close: () => org.close(),
  };
}

const updatesSchema = z.object({ updates: z.array(z.object({ updates: z.number() })) });

const HUBSPOT_IDENTITY = [
  ...['firstname', 'lastname', 'company', 'address', 'city', 'state', 'zip', 'country'],
];

const propertiesSchema = z.object({
  properties: z.record(z.string(), z.string().nullish()),
  associations: z.unknown(),
});

async function startHubspot({ people, settings = {}, crm, clock }: BedOptions) {
  const account = await openAccount({
    ...{ contacts: people, donors: DONORS, ...crm },
    ...(clock === undefined ? {} : { clock }),
  });
  const lines = await profileLines('hubspot');
  const record = async (id: string) =>
    propertiesSchema.parse(await account.control('GET', `record/contacts/${id}`)).properties;
  const change = (id: string, values: object) => account.edit({ action: 'update', id, values });
  const contacts = { optOutField: null as string | null };
  const yesOrNo = 'no_calls';
  await account.createProperty({ name: yesOrNo });
  return {
    kind: 'hubspot' as const,
    account,
    lines,
    ids: (await account.people()).map(({ id }) => id),
    open: (signal: AbortSignal) => account.connector(settings, { signal }, { ...contacts }),
    yesOrNo,
    async sayYes(id: string) {
      await account.setValue(id, yesOrNo, 'true');
    },
    optOutBy(field: string | null) {
      contacts.optOutField = field;
    },
    async read(id: string): Promise<Values> {
      const all = await record(id);
      return Object.fromEntries(lines.map(({ to }) => [to, toText(all[to])]));
    },
    async becomes(id: string, other: string) {
      const all = await record(other);
      await change(id, Object.fromEntries(HUBSPOT_IDENTITY.map((name) => [name, all[name] ?? ''])));
      await account.edit({ action: 'employ', id, companyId: all['associatedcompanyid'] || null });
    },
    async rename(id: string, firstname: string, lastname: string) {
      await change(id, { firstname, lastname });
    },
    /** Copies a contact with all values, as *Clone* does. The copy has the name of a different contact. */
    async clone(id: string, other: string): Promise<string> {
      const [all, person] = [await record(id), await record(other)];
      const copied = lines.map(({ to }) => [to, all[to] ?? ''] as const);
      const named = HUBSPOT_IDENTITY.map((name) => [name, person[name] ?? ''] as const);
      const values = Object.fromEntries([...copied, ...named].filter(([, value]) => value !== ''));
      const [made] = await account.create('contacts', [values]);
      const companyId = person['associatedcompanyid'] || null;
      await account.edit({ action: 'employ', id: made, companyId });
      return made ?? fail('The account did not create the copy');
    },
    setValue: (id: string, field: string, value: number) =>
      account.setValue(id, field, String(value)),
    remove: (id: string) => account.archiveContact(id),
    /** Returns the number of update requests that the CRM has received. */
    async countUpdates(): Promise<number> {
      const requests = await account.requests();
      return requests.filter(({ path }) => path.endsWith('/batch/update')).length;
    },
    close: () => account.close(),
  };
}

async function startCsv({ people }: BedOptions, serviceUrl: string) {
  const folder = await openCsvFolder();
  const rows = (await controlService({ rootUrl: serviceUrl }).people(people)).map((person) => ({
    Id: person.id,
    First: person.firstName ?? '',
    Last: person.lastName ?? '',
    Street: person.addresses[0] ?? '',
    City: '',
    Employer: person.employers[0] ?? '',
    'No calls': '',
  }));
  const contacts = { optOutField: null as string | null };
  const lines = await profileLines('csv');
  const save = () => folder.save('in.csv', toCsv(rows));
  const rowOf = (id: string) => rows.find((row) => row.Id === id) ?? fail(`No row ${id}`);
  await save();
  return {
    kind: 'csv' as const,
    folder,
    lines,
    ids: rows.map(({ Id }) => Id),
    open: (signal: AbortSignal) =>
      folder.connector({
        signal,
        settings: { output: folder.path('out.csv') },
        contacts: { ...contacts },
      }),
    yesOrNo: 'No calls',
    async sayYes(id: string) {
      rowOf(id)['No calls'] = 'yes';
      await save();
    },
    optOutBy(field: string | null) {
      contacts.optOutField = field;
    },
    async read(id: string): Promise<Values> {
      const written = await folder.rows('out.csv');
      const row = written.find((each) => each['Id'] === id) ?? {};
      return Object.fromEntries(lines.map(({ to }) => [to, toText(row[to])]));
    },
    async becomes(id: string, other: string) {
      Object.assign(rowOf(id), { ...rowOf(other), Id: id });
      await save();
    },
    async rename(id: string, First: string, Last: string) {
      Object.assign(rowOf(id), { First, Last });
      await save();
    },
    close: () => folder.close(),
  };
}

function toCsv(rows: readonly Record<string, string>[]): string {
  const [first = {}] = rows;
  const quoted = (value: string) => `"${value.replaceAll('"', '""')}"`;
  const all = [Object.keys(first), ...rows.map((row) => Object.values(row))];
  return `${all.map((cells) => cells.map(quoted).join(',')).join('\n')}\n`;
}

/** The values that a first sync writes if nothing blocks it. */
export interface Reference {
  /** The values of each contact whom the service knows, by the contact's place in the list. */
  byPlace: ReadonlyMap<number, Values>;
  byDonor: ReadonlyMap<string, Values>;
}

const references = new Map<string, Promise<Reference>>();

/** Returns the reference, which is computed once for each CRM and number of people. */
export function referenceOf(kind: Crm['kind'], people: number): Promise<Reference> {
  const key = `${kind} ${people}`;
  const known = references.get(key) ?? makeReference(kind, people);
  references.set(key, known);
  return known;
}

async function makeReference(kind: Crm['kind'], people: number): Promise<Reference> {
  const open = { salesforce: openSalesforce, hubspot: openHubspot, csv: openCsv }[kind];
  const { crm, world, fieldFor } = await open({ people });
  expect((await world.sync()).status).toBe('succeeded');
  const donorField = fieldFor('donorId');
  const byPlace = new Map<number, Values>();
  for (const [place, id] of crm.ids.entries()) {
    const values = await crm.read(id);
    if (values[donorField] !== null) byPlace.set(place, values);
  }
  const donors = [...byPlace.values()].map((values) => [values[donorField] ?? '', values] as const);
  const byDonor = new Map(donors);
  await expectAsServiceSays(world, byDonor, fieldFor);
  return { byPlace, byDonor };
}

const donorsSchema = z.object({
  donors: z.array(
    z.object({
      id: z.string(),
      age: z.number().nullable(),
      net_worth_range: z.array(z.number()).nullable(),
      political_stats: z.object({ capacity: z.number().nullable() }),
      nonprofit_stats: z.object({ capacity: z.number().nullable() }),
    }),
  ),
});

/** Checks the figures against the profiles from the service itself. */
async function expectAsServiceSays(
  { service }: SyncWorld,
  byDonor: ReadonlyMap<string, Values>,
  fieldFor: (from: FieldSource) => string,
): Promise<void> {
  const all = [...byDonor.keys()];
  for (let start = 0; start < all.length; start += 100) {
    const { body } = await send(`${service.baseUrl}/donors/batch`, 'POST', {
      body: { donor_ids: all.slice(start, start + 100) },
      headers: { authorization: `Bearer ${service.apiKey}`, 'x-api-key': service.apiKey },
    });
    for (const donor of donorsSchema.parse(body).donors) {
      const values = byDonor.get(donor.id) ?? {};
      const figures: [FieldSource, number | null | undefined][] = [
        ['age', donor.age],
        ['netWorth.low', donor.net_worth_range?.[0]],
        ['netWorth.high', donor.net_worth_range?.[1]],
        ['capacity.nonprofit', donor.nonprofit_stats.capacity],
        ['capacity.political', donor.political_stats.capacity],
      ];
      for (const [from, figure] of figures) {
        const standing = values[fieldFor(from)] ?? null;
        expect([from, standing === null ? null : Number(standing)]).toEqual([from, figure ?? null]);
      }
    }
  }
}

/**
 * Expects that every contact has exactly the values of an undisturbed first sync, and returns the number of contacts
 * that have values.
 */
export async function expectWhole(
  { crm }: Bed<Crm>,
  { except = [], isLeftOut }: { except?: readonly string[]; isLeftOut?: LeftOut } = {},
): Promise<number> {
  const { byPlace } = await referenceOf(crm.kind, crm.ids.length);
  let whole = 0;
  for (const [place, id] of crm.ids.entries()) {
    if (except.includes(id)) continue;
    const expected = byPlace.get(place);
    const own = Object.entries(expected ?? {}).map(([field, value]) => [
      field,
      isLeftOut?.(field, value, id) === true ? null : value,
    ]);
    const values = await crm.read(id);
    const blank = Object.fromEntries(crm.lines.map(({ to }) => [to, null]));
    expect([id, values]).toEqual([id, { ...blank, ...Object.fromEntries(own) }]);
    if (expected !== undefined) whole += 1;
  }
  return whole;
}

/** Returns true if an obstacle of the test prevents the write of a value into the CRM. */
export type LeftOut = (field: string, value: string | null, id: string) => boolean;

/** Returns the donors whose values the contact contains. Ignores values that several donors share. */
export async function donorsIn({ crm, fieldFor }: Bed<Crm>, id: string): Promise<string[]> {
  const { byDonor } = await referenceOf(crm.kind, crm.ids.length);
  const values = Object.entries(await crm.read(id)).filter(([, value]) => value !== null);
  const shared = new Set([fieldFor('enhancedAt')]);
  const telling = values.filter(([field]) => !shared.has(field));
  if (telling.length === 0) return [];
  const fitting = [...byDonor].filter(([, all]) =>
    telling.every(([field, value]) => all[field] === value),
  );
  if (fitting.length === 0) return telling.map(([field, value]) => `${field}=${value}`);
  return fitting.map(([donor]) => donor);
}
