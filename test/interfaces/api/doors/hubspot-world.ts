/** Starts a stand-in for HubSpot, and a service whose door accepts calls from HubSpot's app. */
import { z } from 'zod';
import { type HubspotSandbox, startHubspotSandbox } from '../../../../sandbox/hubspot/index.ts';
import { listContactIds } from '../../../../src/contacts/contacts.ts';
import { systemClock } from '../../../../src/core/clock.ts';
import type { Role } from '../../../../src/core/role.ts';
import { createMissingFields } from '../../../../src/fields/describe.ts';
import type { holdJobs } from '../../../helpers/held-jobs.ts';
import { controlService } from '../../../helpers/service-control.ts';
import { WITHOUT_TRIAL } from '../../../helpers/sync-world.ts';
import { urlOfThisRun } from '../../../helpers/test-databases.ts';
import { control, edit } from '../../../testbed/asking.ts';
import { type HttpWorld, type HttpWorldOptions, openHttpWorld } from '../http-world.ts';
import { join, send } from '../people-world.ts';

const answerSchema = z.object({
  status: z.number().nullable(),
  answer: z.string(),
  url: z.string(),
});
const cardAnswerSchema = answerSchema.extend({
  attempts: z.number(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
});
const appSchema = z.object({ appId: z.number(), clientSecret: z.string() });

export const shownSchema = z.object({
  contact: z.looseObject({
    status: z.string().nullable(),
    paidAt: z.string().nullable(),
    wanted: z.object({ run: z.string() }).nullable(),
    hasQuestion: z.boolean(),
    mayEnhance: z.boolean(),
    values: z
      .looseObject({
        name: z.string().nullable(),
        profile: z.array(z.unknown()),
        introductions: z.array(z.object({ sentence: z.string() })),
        question: z
          .looseObject({
            id: z.string(),
            answers: z.array(z.looseObject({ decision: z.string() })),
          })
          .nullable(),
      })
      .nullable(),
  }),
  user: z.object({ name: z.string().nullable(), email: z.string(), isLinked: z.boolean() }),
  link: z.string().nullable(),
});

export type Forgery = Record<string, unknown>;

export interface HubspotWorld extends HttpWorld {
  hubspot: HubspotSandbox;
  /** `path` is the part after `/doors/hubspot/card/`. */
  card(path: string, body: object, forgery?: Forgery): Promise<z.output<typeof cardAnswerSchema>>;
  /** Sends a call as the workflow action does. */
  enrol(
    contact: string,
    callbackId: string,
    forgery?: Forgery,
  ): Promise<z.output<typeof answerSchema>>;
  show(contact: string, forgery?: Forgery): Promise<z.output<typeof shownSchema>>;
  /** Makes a user with this role follow the card's link and confirm. */
  linkAs(
    name: string,
    role: Role,
    contact: string,
    forgery?: Forgery,
  ): Promise<{ id: string; cookie: string }>;
  /**
   * Changes the names of all contacts while the service enhances them. The product then holds all of them. `jobs`
   * controls the service's jobs.
   */
  holdAll(jobs: ReturnType<typeof holdJobs>): Promise<string[]>;
  /** Defaults to `riverside`. */
  syncAll(client?: string): Promise<void>;
  /** Returns the IDs of the contacts that a client's runs have read. Defaults to `riverside`. */
  contactsOf(client?: string): Promise<string[]>;
}

export interface HubspotWorldOptions extends HttpWorldOptions {
  contacts?: number;
  /**
   * The number of donors in the service. The donors and the contacts are the same invented people. Defaults to 500.
   */
  donors?: number;
  workflowPerDay?: number;
  /** A second HubSpot client, with its ID and more settings. */
  second?: { id: string; hubspot: HubspotSandbox | 'same'; settings?: Record<string, unknown> };
  /** Prepares the account before the service starts. */
  prepare?: (hubspot: HubspotSandbox) => Promise<void>;
}

/** Starts a stand-in. It has no rate limits, because they would slow down the tests. */
export function startPortal(
  contacts: number,
  options: Pick<HubspotWorldOptions, 'clock' | 'donors'> & { portalId?: number } = {},
): Promise<HubspotSandbox> {
  const { clock, portalId, donors = 500 } = options;
  return startHubspotSandbox({
    ...{ contacts, donors, searchLagMs: 0, searchPerSecond: 0, ratePer10s: 0 },
    ...(portalId !== undefined && { portalId }),
    ...(clock && { clock: () => clock.now() }),
  });
}

function crmAt({ baseUrl: url, token }: HubspotSandbox) {
  return {
    ...{ kind: 'hubspot', url, auth: { type: 'token', token } },
    ...{ searchesPerSecond: 0, requestsPerTenSeconds: 0 },
  };
}

const peopleSchema = z.object({ people: z.array(z.object({ id: z.string() })) });

/** Returns the IDs of the first hundred contacts in an account. */
export async function peopleOf(hubspot: HubspotSandbox): Promise<string[]> {
  const { body } = await control(hubspot, 'GET', '/people?limit=100');
  return peopleSchema.parse(body).people.map(({ id }) => id);
}

export async function openHubspotWorld(options: HubspotWorldOptions = {}): Promise<HubspotWorld> {
  const { contacts = 4, donors = 500, workflowPerDay = 100, second, prepare, ...others } = options;
  const hubspot = await startPortal(contacts, options);
  await prepare?.(hubspot);
  const database = await urlOfThisRun();
  const app = appSchema.parse((await control(hubspot, 'GET', '/oauth')).body);
  const world = await openHttpWorld({
    ...others,
    ...(database !== undefined && { database }),
    service: { donors, ...options.service },
    isPublic: true,
    settings: {
      hubspot: { appId: app.appId, clientSecret: app.clientSecret, workflowPerDay },
      ...options.settings,
    },
    integration: {
      crm: crmAt(hubspot),
      ...WITHOUT_TRIAL,
      ...options.integration,
    },
    ...(second && {
      others: [second.id],
      other: {
        crm: crmAt(second.hubspot === 'same' ? hubspot : second.hubspot),
        ...WITHOUT_TRIAL,
        settleAfterMs: 200,
        ...second.settings,
      },
    }),
  });
  const key = () => crypto.randomUUID();
  async function card(path: string, body: object, forgery: Forgery = {}) {
    const url = `${world.url}/doors/hubspot/card/${path}`;
    const sent = await control(hubspot, 'POST', '/webhooks/card', { url, body, ...forgery });
    return cardAnswerSchema.parse(sent.body);
  }
  async function show(contact: string, forgery: Forgery = {}) {
    const { status, answer } = await card('contact', { key: key(), contact }, forgery);
    if (status !== 200) throw new Error(answer);
    return shownSchema.parse(JSON.parse(answer));
  }
  async function contactsOf(client = 'riverside') {
    const ids: string[] = [];
    const { reader } = world.application.store;
    for await (const portion of listContactIds(reader, client)) ids.push(...portion);
    return ids;
  }
  async function syncAll(client = 'riverside') {
    const [integration] = world.application.select([client]);
    if (!integration) throw new Error('no integration');
    const opened = await world.application.open(integration, new AbortController().signal);
    const connector = await opened.deps.openConnector(null);
    await createMissingFields(connector, opened.mappings);
    await connector.close();
    await opened.close();
    const asked = { integrationId: client, trigger: 'manual' } as const;
    await world.untilEnded((await world.runner.request(asked)).runId);
  }
  return {
    ...world,
    hubspot,
    card,
    show,
    async enrol(contact, callbackId, forgery = {}) {
      const url = `${world.url}/doors/hubspot/workflow`;
      const asked = { url, id: contact, callbackId, ...forgery };
      const sent = await control(hubspot, 'POST', '/webhooks/action', asked);
      return answerSchema.parse(sent.body);
    },
    async linkAs(name, role, contact, forgery = {}) {
      const { id, cookie } = await join(world, name, role);
      const { link } = await show(contact, forgery);
      const path = (link ?? '').slice(world.url.length);
      const linked = await send(world, path, {}, { cookie });
      if (linked.location !== '/account?note=linked') throw new Error(linked.text);
      return { id, cookie };
    },
    contactsOf,
    syncAll,
    async holdAll(jobs) {
      const synced = syncAll();
      const { spent } = controlService(world.service);
      while ((await spent()) < contacts) await systemClock.sleep(20);
      const ids = await contactsOf();
      for (const id of ids) {
        await edit(hubspot, { action: 'update', id, values: { lastname: 'Quillfeather' } });
      }
      jobs.letEnd();
      await synced;
      const asked = { integrationId: 'riverside', trigger: 'manual', full: true } as const;
      await world.untilEnded((await world.runner.request(asked)).runId);
      return ids;
    },
    async close() {
      await world.close();
      await hubspot.close();
    },
  };
}
