import { z } from 'zod';
import type {
  ConnectorDeps,
  ConnectorOptions,
  ConnectorUses,
  ContactsSettings,
} from '../../../connectors/contract.ts';
import { defineHubspotConnector } from '../../../connectors/hubspot/connector.ts';
import { createPacerRegistry } from '../../../connectors/hubspot/pacers.ts';
import {
  type HubspotSettings,
  hubspotSettingsSchema,
} from '../../../connectors/hubspot/settings.ts';
import { consentPage, createHubspotOAuth } from '../../../connectors/hubspot/sign-in/oauth.ts';
import type { SeedContact } from '../../../connectors/testing/conformance.ts';
import { type HubspotSandboxOptions, startHubspotSandbox } from '../../../sandbox/hubspot/index.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { watchSending } from '../built-requests.ts';
import { connectorDeps } from '../connector-options.ts';
import { sandboxControl, sendJson } from '../crm-sandbox.ts';

const OBJECTS = '/crm/objects/2026-09';
const BATCH_ROWS = 100;

/** An account without contacts, and the actions of its users. */
export type Account = Awaited<ReturnType<typeof openAccount>>;

const createdSchema = z.object({
  results: z.array(z.object({ id: z.string(), objectWriteTraceId: z.string() })),
});

/** Returns a clock whose waits end immediately. A test of retries therefore takes no time. */
function hastyClock() {
  const nowMs = systemClock.now();
  return { now: () => nowMs, sleep: () => Promise.resolve() };
}

/** Returns a clock for pacers. Each wait on this clock ends immediately. */
function hastyPaceClock() {
  let sleptMs = 0;
  return {
    monotonicMs: () => systemClock.monotonicMs() + sleptMs,
    async sleep(ms: number) {
      sleptMs += ms;
    },
  };
}

/** Returns the clock that a pacer uses. By default, the pacer uses a fast clock instead of the test's clock. */
function paceClock({ clock }: Partial<ConnectorDeps>) {
  return clock === undefined ? hastyPaceClock() : { monotonicMs: clock.now, sleep: clock.sleep };
}

/** A test can override the `crm` settings, the connector's dependencies, and the `contacts` settings. */
type Choices = [
  settings?: Record<string, unknown>,
  deps?: Partial<ConnectorDeps> & { patienceMs?: number },
  contacts?: Partial<ContactsSettings>,
  uses?: ConnectorUses,
];

/** Creates a definition. Each of its connectors has its own pacer, as connectors in separate processes do. */
function aDefinition(fetch: typeof globalThis.fetch, deps: Choices[1] = {}) {
  const pacers = createPacerRegistry(paceClock(deps));
  const { patienceMs = 1_000 } = deps;
  return defineHubspotConnector({ fetch, random: () => 0, pacers, patienceMs });
}

const NO_LIMITS = { ratePer10s: 0, dailyLimit: 0, searchPerSecond: 0, searchLagMs: 0 };

/** Starts a sandbox without limits. The caller closes it. */
export async function openAccount(
  options: HubspotSandboxOptions = {},
  fetchByConnectors = globalThis.fetch,
) {
  const sandbox = await startHubspotSandbox({ contacts: 0, donors: 10, ...NO_LIMITS, ...options });
  const hands = sandboxControl(sandbox.rootUrl);
  const { control } = hands;
  const companyIds = new Map<string, string>();
  const watch = watchSending(fetchByConnectors);

  return {
    sandbox,
    ...hands,
    ask,
    create,
    edit,
    connector: (...choices: Choices) =>
      aDefinition(watch.fetch, choices[1]).open(optionsOf(...choices)),
    check: (...choices: Choices) =>
      aDefinition(watch.fetch, choices[1]).check(optionsOf(...choices)),
    async addContacts(contacts: readonly SeedContact[]): Promise<string[]> {
      return create('contacts', contacts.map(propertiesOf));
    },
    editContact: (id: string, changes: Partial<SeedContact>) =>
      edit({ action: 'update', id, values: propertiesOf(changes) }),
    setValue: (id: string, field: string, value: string | null) =>
      edit({ action: 'update', id, values: { [field]: value ?? '' } }),
    archiveContact: (id: string) => edit({ action: 'archive', id }),
    /** The remaining contact keeps its ID, unless `newId` is set. Returns the ID that both contacts now have. */
    mergeContacts: (loser: string, winner: string, newId = false) =>
      edit({ action: 'merge', primaryId: winner, otherId: loser, newId }),
    /** Makes a company with this name the primary company of the contact. */
    async employ(id: string, company: string): Promise<void> {
      const companyId =
        companyIds.get(company) ?? (await create('companies', [{ name: company }]))[0];
      if (companyId === undefined) throw new Error('The company was not made.');
      companyIds.set(company, companyId);
      await edit({ action: 'employ', id, companyId });
    },
    async seenValue(id: string, field: string): Promise<string | null> {
      const record = recordSchema.parse(await control('GET', `record/contacts/${id}`));
      return record.properties[field] || null;
    },
    async createProperty(property: Record<string, unknown>): Promise<void> {
      await ask('POST', '/crm/properties/2026-09/contacts', {
        groupName: 'contactinformation',
        label: property['name'],
        type: 'string',
        fieldType: 'text',
        ...property,
      });
    },
    async addList(name: string, members: readonly string[]): Promise<string> {
      const created = await ask('POST', '/crm/lists/2026-09', {
        name,
        objectTypeId: '0-1',
        processingType: 'MANUAL',
      });
      const { listId } = z.object({ list: z.object({ listId: z.string() }) }).parse(created).list;
      await ask('PUT', `/crm/lists/2026-09/${listId}/memberships/add`, members);
      return listId;
    },
    putFaults: (rules: readonly object[]) => control('PUT', 'faults', rules),
    /** Creates an access token for the account with these scopes. */
    async issueToken(options: Record<string, unknown>): Promise<string> {
      return z.object({ token: z.string() }).parse(await control('POST', 'tokens', options)).token;
    },
    /** Removes these scopes from every token immediately. An empty list restores all scopes. */
    withdraw: (scopes: readonly string[]) => control('PUT', 'scopes', { withdrawn: scopes }),
    /** Hides a property of contacts from tokens, or shows it again. */
    hide: (property: string, access: 'hidden' | 'visible' = 'hidden') =>
      control('PUT', 'property-access', { property, access }),
    install,
    async close(): Promise<void> {
      await sandbox.close();
      watch.end();
    },
  };

  /** Connects the app to the account. Returns the settings that OAuth needs. */
  async function install(moreScopes: readonly string[] = []) {
    const { baseUrl: url, clientId, clientSecret } = sandbox;
    const signal = new AbortController().signal;
    const world = { fetch: globalThis.fetch, clock: systemClock, signal, random: () => 0 };
    const oauth = createHubspotOAuth({ url, clientId, clientSecret, ...world });
    const redirectUri = 'http://localhost:8787/oauth/hubspot/callback';
    const codeVerifier = 'v'.repeat(64);
    const request = { redirectUri, state: 'state', codeVerifier };
    const page = consentPage({ url, clientId, moreScopes }, request);
    const reply = await fetch(`${page}&approve=true`, { redirect: 'manual' });
    const code = new URL(reply.headers.get('location') ?? '').searchParams.get('code') ?? '';
    const { refreshToken } = await oauth.exchangeCode({ code, redirectUri, codeVerifier });
    oauth.close();
    return { clientId, clientSecret, refreshToken: refreshToken ?? '' };
  }

  /** Sends a request to the account's own API, with full rights. */
  function ask(method: string, path: string, body?: unknown): Promise<unknown> {
    const authorization = `Bearer ${sandbox.token}`;
    return sendJson(method, `${sandbox.baseUrl}${path}`, body, { authorization });
  }

  function optionsOf(
    settings: Record<string, unknown> = {},
    deps: Partial<ConnectorDeps> = {},
    contacts: Partial<ContactsSettings> = {},
    uses: ConnectorUses = { fields: [], groups: [] },
  ): ConnectorOptions<HubspotSettings> {
    return {
      settings: hubspotSettingsSchema.parse({
        kind: 'hubspot',
        url: sandbox.baseUrl,
        auth: { type: 'token', token: sandbox.token },
        requestsPerTenSeconds: 0,
        searchesPerSecond: 0,
        ...settings,
      }),
      contacts: { filter: null, optOutField: null, ...contacts },
      deps: { ...connectorDeps(), clock: hastyClock(), ...deps },
      uses,
    };
  }

  async function edit(order: object): Promise<string> {
    return z.object({ id: z.string() }).parse(await control('POST', 'edit', order)).id;
  }

  /** Returns their ids in the order of the given data. */
  async function create(type: string, records: readonly object[]): Promise<string[]> {
    const ids: string[] = [];
    for (let start = 0; start < records.length; start += BATCH_ROWS) {
      const portion = records.slice(start, start + BATCH_ROWS);
      const inputs = portion.map((properties, at) => ({
        properties,
        associations: [],
        objectWriteTraceId: String(at),
      }));
      const reply = await ask('POST', `${OBJECTS}/${type}/batch/create`, { inputs });
      const { results } = createdSchema.parse(reply);
      if (results.length < portion.length) throw new Error('Some records were not made.');
      // HubSpot does not return the records in the order of the request.
      results.sort((a, b) => Number(a.objectWriteTraceId) - Number(b.objectWriteTraceId));
      ids.push(...results.map(({ id }) => id));
    }
    return ids;
  }
}

const recordSchema = z.object({ properties: z.record(z.string(), z.string().nullable()) });

function propertiesOf(contact: Partial<SeedContact>): Record<string, string> {
  const { firstName, lastName, addresses, employers } = contact;
  return {
    ...(firstName === undefined ? {} : { firstname: firstName ?? '' }),
    ...(lastName === undefined ? {} : { lastname: lastName ?? '' }),
    ...(addresses === undefined ? {} : { address: addresses[0] ?? '' }),
    ...(employers === undefined ? {} : { company: employers[0] ?? '' }),
  };
}
