/**
 * The three kinds of CRM in which the benchmark kills `forget`. The benchmark examines each CRM directly, without the
 * product.
 */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { z } from 'zod';
import csvFields from '../config/fields.csv.json' with { type: 'json' };
import hubspotFields from '../config/fields.hubspot.json' with { type: 'json' };
import salesforceFields from '../config/fields.salesforce.json' with { type: 'json' };
import { type CrmKind, withCrm } from './crm.ts';
import type { Neighbour } from './neighbour.ts';
import { createWorkplace } from './workplace.ts';

export type ForgetKind = CrmKind | 'csv';

/** A CRM in which every contact is in one network, and settings that connect to the CRM. */
export interface Place {
  settings: string;
  database: string;
  secretKey: string;
  /** Returns the mapped fields that are not blank for a contact. */
  ours(id: string): Promise<string[]>;
  /** Adds a copy of the contact that has a different ID. */
  copy(id: string): Promise<string>;
  /** Merges a contact into another contact, and returns the remaining contact's ID. Omitted for a CSV file. */
  merge?(loser: string, winner: string): Promise<string>;
  /** Returns the files that a killed sync left next to the CSV file. */
  leftBeside(): Promise<string[]>;
}

export interface PlaceOptions {
  contacts: number;
  /** Creates an empty database and returns its address. An SQLite file must be at this path. */
  createDatabase(path: string): Promise<string>;
}

/** Creates a CRM with its service and database, runs the work, and closes them. */
export async function withPlace<Result>(
  kind: ForgetKind,
  service: Neighbour,
  { contacts, createDatabase }: PlaceOptions,
  work: (place: Place) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'donor-sync-forget-'));
  const common = {
    settings: join(folder, 'donor-sync.yaml'),
    database: await createDatabase(join(folder, 'store.db')),
    secretKey: Buffer.alloc(32, 7).toString('base64'),
    leftBeside: async (): Promise<string[]> => [],
  };
  const write = (crm: object, group: object) =>
    writeFile(common.settings, settingsFor(service, common.database, crm, group));
  try {
    if (kind === 'csv') return await inFile(service, contacts, common, write, work);
    const hubspot = kind === 'hubspot';
    const flags: Record<string, number> = hubspot ? { rate: 0 } : {};
    return await withCrm(kind, { contacts, ...flags }, async ({ baseUrl, token }) => {
      const more = hubspot ? { requestsPerTenSeconds: 0 } : {};
      const crm = { kind, url: baseUrl, auth: { type: 'token', token }, ...more };
      await write(crm, GROUPS[kind]);
      return work({ ...common, ...(hubspot ? inHubspot(baseUrl) : inSalesforce(baseUrl)) });
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const GROUPS: Readonly<Record<CrmKind, object>> = {
  salesforce: { where: "LastName != ''" },
  hubspot: { property: 'country', equals: 'United States' },
};

/** Returns the settings as JSON, which is also valid YAML. */
function settingsFor(
  { baseUrl, apiKey }: Neighbour,
  database: string,
  crm: object,
  group: object,
): string {
  const integration = {
    ...{ id: 'bench', crm, partner: { baseUrl, apiKey }, settleAfterMs: 300 },
    networks: [{ name: 'Board', group }],
  };
  return JSON.stringify({ database, integrations: [integration] });
}

type Common = Pick<Place, 'settings' | 'database' | 'secretKey' | 'leftBeside'>;

const rowsSchema = z.array(z.record(z.string(), z.string()));

async function inFile<Result>(
  service: Neighbour,
  contacts: number,
  common: Common,
  write: (crm: object, group: object) => Promise<void>,
  work: (place: Place) => Promise<Result>,
): Promise<Result> {
  const { input, output, remove } = await createWorkplace(service, contacts);
  const read = async (path: string) =>
    rowsSchema.parse(parse(await readFile(path, 'utf8'), { columns: true }));
  const save = (rows: z.infer<typeof rowsSchema>) =>
    writeFile(input, stringify(rows, { header: true }));
  const columns = { id: 'Id', firstName: 'First', lastName: 'Last' };
  const lists = { addresses: ['Address'], employers: ['Employer'] };
  try {
    await save((await read(input)).map((row) => ({ ...row, Board: 'member' })));
    await write(
      { kind: 'csv', path: input, output, columns: { ...columns, ...lists } },
      { column: 'Board', equals: 'member' },
    );
    return await work({
      ...common,
      async ours(id) {
        const row = (await read(output)).find((each) => each['Id'] === id);
        return filled(csvFields, row ?? {});
      },
      async copy(id) {
        const rows = await read(input);
        const row = rows.find((each) => each['Id'] === id) ?? {};
        const copy = `copy${id}`;
        await save([...rows, { ...row, Id: copy }]);
        return copy;
      },
      async leftBeside() {
        const names = await readdir(dirname(output));
        return names.filter((name) => name.includes('.donor-sync-'));
      },
    });
  } finally {
    await remove();
  }
}

const recordSchema = z.record(z.string(), z.unknown());
const madeSchema = z.object({ id: z.string() });

const SALESFORCE_PERSON = [
  ...['FirstName', 'LastName', 'MailingStreet', 'MailingCity', 'MailingState'],
  ...['MailingPostalCode', 'MailingCountry'],
];

function inSalesforce(baseUrl: string): Omit<Place, keyof Common> {
  const read = (id: string) => control(baseUrl, `record/Contact/${id}`, recordSchema);
  const edit = (body: object) => control(baseUrl, 'edit', madeSchema, body);
  return {
    ours: async (id) => filled(salesforceFields, await read(id)),
    async copy(id) {
      const values = some(await read(id), SALESFORCE_PERSON);
      return (await edit({ action: 'create', values })).id;
    },
    async merge(loser, winner) {
      await edit({ action: 'merge', masterId: winner, loserIds: [loser] });
      return winner;
    },
  };
}

const HUBSPOT_PERSON = ['firstname', 'lastname', 'address', 'city', 'state', 'zip', 'country'];

function inHubspot(baseUrl: string): Omit<Place, keyof Common> {
  const schema = z.object({ properties: recordSchema });
  const read = async (id: string) =>
    (await control(baseUrl, `record/contacts/${id}`, schema)).properties;
  const edit = (body: object) => control(baseUrl, 'edit', madeSchema, body);
  return {
    ours: async (id) => filled(hubspotFields, await read(id)),
    async copy(id) {
      const values = some(await read(id), HUBSPOT_PERSON);
      return (await edit({ action: 'create', values })).id;
    },
    // When contacts are merged, HubSpot creates a third record with a new ID.
    merge: async (loser, winner) =>
      (await edit({ action: 'merge', primaryId: winner, otherId: loser })).id,
  };
}

/** Calls the stand-in's own controls. */
async function control<Answer>(
  baseUrl: string,
  path: string,
  schema: z.ZodType<Answer>,
  order?: object,
): Promise<Answer> {
  const reply = await fetch(`${new URL(baseUrl).origin}/_sandbox/${path}`, {
    headers: { 'content-type': 'application/json' },
    ...(order === undefined ? {} : { method: 'POST', body: JSON.stringify(order) }),
  });
  if (!reply.ok) throw new Error(`${path} was refused: ${await reply.text()}`);
  return schema.parse(await reply.json());
}

type Values = Readonly<Record<string, unknown>>;

function some(values: Values, names: readonly string[]): Values {
  return Object.fromEntries(
    names.flatMap((name) => (isEmpty(values[name]) ? [] : [[name, values[name]]])),
  );
}

function filled(fields: readonly { to: string }[], values: Values): string[] {
  return fields.flatMap(({ to }) => (isEmpty(values[to]) ? [] : to));
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '';
}
