/** Opens a stand-in for a Bloomerang database with custom fields, and a connector for it. */
import { z } from 'zod';
import { bloomerangConnector } from '../../../connectors/bloomerang/connector.ts';
import type { Connector, ConnectorSecrets, Finding } from '../../../connectors/contract.ts';
import type { HarnessOptions, SeedContact } from '../../../connectors/testing/harness.ts';
import { testOptions } from '../../../connectors/testing/options.ts';
import type { CustomField } from '../../../sandbox/bloomerang/account/custom-fields.ts';
import {
  type BloomerangSandbox,
  type BloomerangSandboxOptions,
  startBloomerangSandbox,
} from '../../../sandbox/bloomerang/index.ts';
import { control as order } from '../../testbed/asking.ts';

export const FIELDS: NonNullable<BloomerangSandboxOptions['customFields']> = [
  { name: 'Note' },
  { name: 'Remark' },
  { name: 'Worth', dataType: 'Currency' },
  { name: 'Share', dataType: 'Decimal' },
  { name: 'Since', dataType: 'Year' },
  { name: 'Seen', dataType: 'Date' },
  { name: 'Size', pickType: 'PickOne', values: ['small', 'large'] },
  { name: 'Interests', pickType: 'PickMultiple', values: ['arts', 'health', 'youth'] },
];

export interface Database {
  sandbox: BloomerangSandbox;
  open(options?: HarnessOptions, settings?: object): Promise<Connector>;
  check(options?: HarnessOptions, settings?: object): Promise<Finding[]>;
  control(method: string, path: string, body?: unknown): Promise<unknown>;
  edit(edit: object): Promise<string>;
  add(contacts: readonly SeedContact[], more?: object): Promise<string[]>;
  fieldId(name: string): number;
  /** Changes a value as a user would. Null clears it. */
  type(id: string, field: string, value: string | readonly number[] | null): Promise<void>;
  /** Returns a constituent's stored values by field ID, and the other parts of the constituent. */
  record(id: string): Promise<z.output<typeof recordSchema>>;
  close(): Promise<void>;
}

const recordSchema = z.looseObject({
  custom: z.record(z.string(), z.union([z.string(), z.array(z.number())])),
  details: z.array(z.looseObject({ kind: z.string(), body: z.looseObject({}) })),
  changes: z.array(z.looseObject({ by: z.string() })),
});

export async function openDatabase(options: BloomerangSandboxOptions = {}): Promise<Database> {
  const sandbox = await startBloomerangSandbox({ contacts: 0, customFields: FIELDS, ...options });
  const base = {
    kind: 'bloomerang',
    url: sandbox.baseUrl,
    auth: { type: 'apiKey', apiKey: sandbox.token },
    requestsPerSecond: 0,
  };
  const fields = (options.customFields ?? FIELDS).map(({ name }) => name);
  const database: Database = {
    sandbox,
    open: (deps, settings) =>
      bloomerangConnector.open(testOptions(bloomerangConnector, { ...base, ...settings }, deps)),
    check: (deps, settings) =>
      bloomerangConnector.check(testOptions(bloomerangConnector, { ...base, ...settings }, deps)),
    async control(method, path, body) {
      const answer = await order(sandbox, method, path, body);
      if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
      return answer.body;
    },
    async edit(edit) {
      const { id } = z
        .object({ id: z.number() })
        .parse(await database.control('POST', '/edit', edit));
      return String(id);
    },
    async add(contacts, more = {}) {
      if (contacts.length === 0) return [];
      const rows = contacts.map((contact) => ({
        Type: 'Individual',
        ...partsOf(contact),
        ...more,
      }));
      const first = Number(await database.edit({ action: 'import', rows }));
      return contacts.map((_, at) => String(first + at));
    },
    fieldId: (name) => fields.indexOf(name) + 1,
    async type(id, field, value) {
      const fieldId = database.fieldId(field);
      await database.edit({ action: 'type', id: Number(id), fieldId, value });
    },
    record: async (id) =>
      recordSchema.parse(await database.control('GET', `/record/constituent/${id}`)),
    close: () => sandbox.close(),
  };
  return database;
}

export function partsOf(contact: Partial<SeedContact>): object {
  const { firstName, lastName, addresses, employers } = contact;
  const [Street] = addresses ?? [];
  return {
    ...(firstName === undefined ? {} : { FirstName: firstName }),
    ...(lastName === undefined ? {} : { LastName: lastName }),
    ...(employers === undefined ? {} : { Employer: employers[0] ?? null }),
    ...(addresses === undefined
      ? {}
      : { PrimaryAddress: Street === undefined ? null : { Street } }),
  };
}

export interface KeptSecrets extends ConnectorSecrets {
  values: Map<string, string>;
}

/** Returns storage for secrets that outlives a connector, as a client's secrets do. */
export function keepSecrets(): KeptSecrets {
  const values = new Map<string, string>();
  return {
    values,
    read: async (name) => values.get(name) ?? null,
    write: async (name, value) => void values.set(name, value),
  };
}

export type { CustomField };
