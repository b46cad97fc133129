/** HubSpot's stand-in and a service whose door accepts the calls of its app. */
import { z } from 'zod';
import { type HubspotSandbox, startHubspotSandbox } from '../../../../sandbox/hubspot/index.ts';
import type { Role } from '../../../../src/core/role.ts';
import { createMissingFields } from '../../../../src/fields/describe.ts';
import { control } from '../../../testbed/asking.ts';
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
  /** Sends a call of the card; the path follows `/doors/hubspot/card/`. */
  card(path: string, body: object, forgery?: Forgery): Promise<z.output<typeof cardAnswerSchema>>;
  /** Sends the call of the workflow action. */
  enrol(
    contact: string,
    callbackId: string,
    forgery?: Forgery,
  ): Promise<z.output<typeof answerSchema>>;
  show(contact: string, forgery?: Forgery): Promise<z.output<typeof shownSchema>>;
  /** A user with this role follows the card's link and confirms. */
  linkAs(
    name: string,
    role: Role,
    contact: string,
    forgery?: Forgery,
  ): Promise<{ id: string; cookie: string }>;
  /** Makes the fields, and does a run over all contacts. */
  syncAll(): Promise<void>;
}

export async function openHubspotWorld(
  options: HttpWorldOptions & { contacts?: number; workflowPerDay?: number } = {},
): Promise<HubspotWorld> {
  const { contacts = 4, workflowPerDay = 100, ...others } = options;
  const hubspot = await startHubspotSandbox({
    ...{ contacts, donors: 500, searchLagMs: 0, searchPerSecond: 0, ratePer10s: 0 },
    ...(options.clock && { clock: () => options.clock?.now() ?? 0 }),
  });
  const app = appSchema.parse((await control(hubspot, 'GET', '/oauth')).body);
  const world = await openHttpWorld({
    ...others,
    isPublic: true,
    settings: {
      hubspot: { appId: app.appId, clientSecret: app.clientSecret, workflowPerDay },
      ...options.settings,
    },
    integration: {
      crm: {
        ...{ kind: 'hubspot', url: hubspot.baseUrl, auth: { type: 'token', token: hubspot.token } },
        ...{ searchesPerSecond: 0, requestsPerTenSeconds: 0 },
      },
      guards: { trial: { size: 0 } },
      ...options.integration,
    },
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
    async syncAll() {
      const [integration] = world.application.select(['riverside']);
      if (!integration) throw new Error('no integration');
      const opened = await world.application.open(integration, new AbortController().signal);
      const connector = await opened.deps.openConnector(null);
      await createMissingFields(connector, opened.mappings);
      await connector.close();
      await opened.close();
      const asked = { integrationId: 'riverside', trigger: 'manual' } as const;
      await world.untilEnded((await world.runner.request(asked)).runId);
    },
    async close() {
      await world.close();
      await hubspot.close();
    },
  };
}
