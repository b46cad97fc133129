import { z } from 'zod';
import type {
  ConnectorDeps,
  ConnectorOptions,
  ConnectorUses,
  ContactsSettings,
} from '../../../connectors/contract.ts';
import { defineSalesforceConnector } from '../../../connectors/salesforce/connector.ts';
import type { SalesforceSettings } from '../../../connectors/salesforce/settings.ts';
import type { SeedContact } from '../../../connectors/testing/conformance.ts';
import {
  type SalesforceSandboxOptions,
  startSalesforceSandbox,
} from '../../../sandbox/salesforce/index.ts';
import { watchSending } from '../built-requests.ts';
import { connectorDeps } from '../connector-options.ts';
import { sandboxControl, sendJson } from '../crm-sandbox.ts';

/**
 * Connector settings for a test. A `bulkThreshold` below the allowed minimum sends even a single change through the
 * Bulk API.
 */
type OrgSettings = Record<string, unknown> & { bulkThreshold?: number };

type Choices = [
  settings?: OrgSettings,
  deps?: Partial<ConnectorDeps>,
  contacts?: ContactsSettings,
  uses?: ConnectorUses,
];

const API = '/services/data/v67.0';
const COLLECTION_ROWS = 200;

/** An org without contacts, and the actions of its users. */
export type Org = Awaited<ReturnType<typeof openOrg>>;

const savedSchema = z.array(z.object({ id: z.string(), success: z.literal(true) }));
const usersSchema = z.object({ records: z.array(z.object({ Id: z.string() })).min(1) });
const recordSchema = z.record(z.string(), z.unknown());

/** Starts a sandbox. The caller closes it. */
export async function openOrg(options: SalesforceSandboxOptions = {}) {
  const shape = options.shape ?? 'plain';
  const sandbox = await startSalesforceSandbox({ contacts: 0, donors: 10, ...options, shape });
  const hands = sandboxControl(sandbox.rootUrl);
  const { control } = hands;
  const { token } = z
    .object({ token: z.string() })
    .parse(await control('POST', 'tokens', { user: 'administrator' }));
  const employerIds = new Map<string, string>();
  const watch = watchSending(globalThis.fetch);
  const definition = defineSalesforceConnector({ fetch: watch.fetch, random: () => 0 });

  return {
    sandbox,
    ...hands,
    ask,
    connector: (...choices: Choices) => definition.open(optionsOf(...choices)),
    check: (...choices: Choices) => definition.check(optionsOf(...choices)),
    async addContacts(contacts: readonly SeedContact[]): Promise<string[]> {
      const records: object[] = [];
      for (const contact of contacts) records.push(await recordOf(contact));
      return create('Contact', records);
    },
    create,
    /** Creates a custom field as an administrator does. No user can see it yet. */
    async createField(name: string, metadata: Record<string, unknown>): Promise<void> {
      const Metadata = { label: name, ...metadata };
      await ask('POST', '/tooling/sobjects/CustomField', { FullName: `Contact.${name}`, Metadata });
    },
    addField,
    /** Adds a picklist that the client's CRM user can read and write. The default has a single choice. */
    addPicklist: (name: string, values: readonly string[], type = 'Picklist') =>
      addField(name, {
        type,
        visibleLines: 4,
        valueSet: { valueSetDefinition: { value: values.map((fullName) => ({ fullName })) } },
      }),
    editContact: async (id: string, changes: Partial<SeedContact>) =>
      edit({ action: 'update', id, values: await recordOf(changes) }),
    setValue: (id: string, field: string, value: unknown) =>
      edit({ action: 'update', id, values: { [field]: value } }),
    deleteContact: (id: string) => edit({ action: 'delete', id }),
    mergeContacts: (loser: string, masterId: string) =>
      edit({ action: 'merge', masterId, loserIds: [loser] }),
    edit,
    async seenValue(id: string, field: string): Promise<unknown> {
      return recordSchema.parse(await control('GET', `record/Contact/${id}`))[field] ?? null;
    },
    async close(): Promise<void> {
      await sandbox.close();
      watch.end();
    },
  };

  /** Sends requests to the org's own API as its administrator. */
  function ask(method: string, path: string, body?: unknown): Promise<unknown> {
    const authorization = `Bearer ${token}`;
    return sendJson(method, `${sandbox.baseUrl}${API}${path}`, body, { authorization });
  }

  /** Adds a custom field that the client's CRM user can read and write. */
  async function addField(name: string, metadata: Record<string, unknown>): Promise<void> {
    const Metadata = { label: name, ...metadata };
    await ask('POST', '/tooling/sobjects/CustomField', { FullName: `Contact.${name}`, Metadata });
    const [ParentId = ''] = await create('PermissionSet', [{ Name: `May_${name}`, Label: name }]);
    const Field = `Contact.${name}`;
    const access = { PermissionsRead: true, PermissionsEdit: true };
    await create('FieldPermissions', [{ ParentId, SobjectType: 'Contact', Field, ...access }]);
    const users = `SELECT Id FROM User WHERE Username = '${sandbox.username}'`;
    const { records } = usersSchema.parse(
      await ask('GET', `/query?q=${encodeURIComponent(users)}`),
    );
    await create(
      'PermissionSetAssignment',
      records.map(({ Id }) => ({ PermissionSetId: ParentId, AssigneeId: Id })),
    );
  }

  function optionsOf(
    { bulkThreshold, ...settings }: OrgSettings = {},
    deps: Partial<ConnectorDeps> = {},
    contacts: ContactsSettings = { filter: null, optOutField: null },
    uses: ConnectorUses = { fields: [], groups: [] },
  ): ConnectorOptions<SalesforceSettings> {
    const { clientId, clientSecret, baseUrl: url } = sandbox;
    const auth = { type: 'clientCredentials', clientId, clientSecret };
    const parsed = definition.settingsSchema.parse({ kind: 'salesforce', url, auth, ...settings });
    return {
      settings: { ...parsed, bulkThreshold: bulkThreshold ?? parsed.bulkThreshold },
      contacts,
      deps: { ...connectorDeps(), ...deps },
      uses,
    };
  }

  async function edit(order: object): Promise<void> {
    await control('POST', 'edit', order);
  }

  async function create(type: string, records: readonly object[]): Promise<string[]> {
    const ids: string[] = [];
    for (let start = 0; start < records.length; start += COLLECTION_ROWS) {
      const portion = records.slice(start, start + COLLECTION_ROWS);
      const body = {
        allOrNone: true,
        records: portion.map((record) => ({ attributes: { type }, ...record })),
      };
      const saved = await ask('POST', '/composite/sobjects', body);
      ids.push(...savedSchema.parse(saved).map(({ id }) => id));
    }
    return ids;
  }

  async function recordOf(contact: Partial<SeedContact>): Promise<object> {
    const { firstName, lastName, addresses, employers } = contact;
    const employerField = shape === 'npsp' ? 'npsp__Primary_Affiliation__c' : 'AccountId';
    const [employer] = employers ?? [];
    return {
      ...(firstName === undefined ? {} : { FirstName: firstName }),
      ...(lastName === undefined ? {} : { LastName: lastName }),
      ...(addresses === undefined ? {} : { MailingStreet: addresses[0] ?? null }),
      ...(employer === undefined ? {} : { [employerField]: await employerId(employer) }),
    };
  }

  async function employerId(name: string): Promise<string | undefined> {
    const known = employerIds.get(name) ?? (await create('Account', [{ Name: name }]))[0];
    if (known !== undefined) employerIds.set(name, known);
    return known;
  }
}
