import { z } from 'zod';
import { applyIntegrations, isOfFile, readPresent } from '../clients/apply-settings.ts';
import { disconnect, findConnection, requireConnected } from '../clients/consents.ts';
import { checkDocument, readRemote } from '../clients/settings-document.ts';
import { dropUploads, hasUpload, presentSettings } from '../clients/setup/draft.ts';
import { deleteSettings } from '../clients/statements/integrations.ts';
import { readStatus, readStatuses } from '../clients/views/status.ts';
import { getPage } from '../core/cursor.ts';
import { ConfigurationError, isDonorSyncError } from '../core/errors.ts';
import { type Integration, integrationSchema } from '../core/integration-settings.ts';
import { describeCount, formatTimestamp } from '../core/quantities.ts';
import type { RunReport } from '../core/run.ts';
import { withLease } from '../sync/control/with-lease.ts';
import { integrationShape } from './client-shape.ts';
import { findClient } from './kit/clients.ts';
import { type ActingWorld, acting, type Cell, reading } from './kit/operation.ts';

const CLIENT = z.string().describe('The ID of the client');

const integrationResult = z.object(integrationShape).meta({ id: 'Integration' });

type Shown = z.output<typeof integrationResult>;

const MAX_PAGE = 500;
const LIMIT = { error: `Enter a number from 1 to ${MAX_PAGE}.` };

export const listClients = reading({
  name: 'clients list',
  summary: 'List the clients with their schedule, last run and last success',
  role: 'viewer',
  reach: 'some',
  by: 'person+token',
  input: z.object({
    limit: z
      .int(LIMIT)
      .min(1, LIMIT)
      .max(MAX_PAGE, LIMIT)
      .optional()
      .describe('The maximum number of clients on a page; if omitted, all clients are on one page'),
    cursor: z.string().optional().describe('The value of `next` on the previous page'),
  }),
  subjects: [],
  result: z.object({
    integrations: z.array(integrationResult),
    next: z
      .string()
      .nullable()
      .optional()
      .describe(
        'Only if you set `limit` or `cursor`: the cursor of the next page, or null on the last page',
      ),
  }),
  async run({ reader, clients }, { limit, cursor }) {
    const all = [...clients.values()];
    if (limit === undefined && cursor === undefined) {
      return { integrations: await readStatuses(reader, all) };
    }
    const { page, next } = getPage(all, { cursor, limit: limit ?? MAX_PAGE });
    return { integrations: await readStatuses(reader, page), next };
  },
  say: ({ integrations }) => `${describeCount(integrations.length, 'client')}.`,
  table: ({ integrations, next }) => ({
    empty: 'There are no clients yet. Set one up: donor-sync init',
    headers: ['Client', 'Name', 'CRM', 'Next run', 'Last run', 'Last success'],
    rows: integrations.map(toRow),
    notes: next ? [`More clients: donor-sync clients list --cursor ${next}`] : [],
  }),
});

function toRow({ id, name, crm, schedule, lastRun, lastSuccessAt }: Shown): Cell[] {
  return [
    ...[id, name ?? '', crm],
    schedule?.paused ? 'paused' : schedule === null ? 'on request' : { on: schedule.nextRunAt },
    lastRun === null ? 'none' : describeRun(lastRun),
    { at: lastSuccessAt },
  ];
}

function describeRun({ status, reason }: RunReport): string {
  return reason === null ? status : `${status} (${reason.code})`;
}

export const showClient = reading({
  name: 'clients show',
  summary: 'Show a client with its schedule, last run and last success',
  role: 'viewer',
  reach: 'some',
  by: 'person+token',
  input: z.object({ integration: CLIENT }),
  subjects: ['integration'],
  result: z.object({ integration: integrationResult }),
  run: async (world, { integration }) => ({
    integration: await readStatus(world.reader, findClient(world, integration)),
  }),
  say: ({ integration: { id, name, crm, schedule, lastRun, lastSuccessAt } }) => [
    `${id}${name === null ? '' : ` (${name})`}: ${crm}.`,
    schedule === null
      ? 'It runs on request.'
      : `It runs at ${schedule.cron} ${schedule.timezone}${describeNext(schedule)}.`,
    lastRun === null
      ? 'It has not run yet.'
      : `Last run: ${lastRun.id}, ${describeRun(lastRun)}, started ${formatTimestamp(Date.parse(lastRun.startedAt))}.`,
    lastSuccessAt === null
      ? 'No run has succeeded yet.'
      : `Last success: ${formatTimestamp(Date.parse(lastSuccessAt))}.`,
  ],
});

function describeNext({ nextRunAt, paused }: NonNullable<Shown['schedule']>): string {
  if (paused) return '; it is paused';
  return nextRunAt === null ? '' : `, next ${formatTimestamp(Date.parse(nextRunAt))}`;
}

/** The maximum number of clients in a document. Users have to split a larger document. */
const MAX_APPLIED = 10_000;

export const applyClients = acting({
  name: 'apply',
  summary: 'Store the clients of a settings document in the database, encrypted',
  role: 'admin',
  reach: 'some',
  by: 'person+token',
  input: z.object({
    integrations: z
      .array(z.record(z.string(), z.unknown()))
      .min(1, { error: 'Name at least one client.' })
      .max(MAX_APPLIED, { error: `Apply at most ${MAX_APPLIED} clients at once.` })
      .describe('The clients, each with all its settings as in a settings file'),
    dryRun: z.boolean().default(false).describe('Only show what would change'),
  }),
  subjects: [],
  arguments: ['integrations'],
  result: z.object({
    dryRun: z.boolean(),
    integrations: z.array(
      z.object({ id: z.string(), change: z.enum(['created', 'changed', 'unchanged']) }),
    ),
  }),
  async run(world, { integrations: documents, dryRun }) {
    const { application, store, sealer } = world;
    const integrations = await readDocument(world, documents);
    const deps = { store, sealer };
    const applied = await applyIntegrations(deps, application.settings, integrations, { dryRun });
    return { dryRun, integrations: applied };
  },
  say: ({ dryRun, integrations }) =>
    integrations.map(({ id, change }) =>
      change === 'unchanged'
        ? `${id}: unchanged.`
        : `${id}: ${dryRun ? 'would be ' : ''}${change}.`,
    ),
});

/**
 * Reads the document with clients. The terminal accepts everything that a settings file accepts. Over HTTP, fewer
 * settings are allowed.
 */
async function readDocument(
  { application, caller, reader, sealer }: ActingWorld,
  documents: readonly unknown[],
): Promise<Integration[]> {
  const { allowInsecureHttp } = application;
  if (caller.kind === 'machine') {
    return checkDocument(documents, { path: 'the document', allowInsecureHttp });
  }
  const named = documents.map((document) => namedSchema.safeParse(document).data?.id ?? '');
  const ids = named.filter((id) => !application.unreadable.has(id));
  const present = await readPresent({ store: { reader }, sealer }, ids);
  const before = new Map(
    [...present].map(([id, json]) => [id, integrationSchema.parse(JSON.parse(json))]),
  );
  const { kind, clients } = caller;
  return readRemote(application, { isToken: kind === 'token', clients }, documents, before);
}

const namedSchema = z.object({ id: z.string() });

export const removeClient = acting({
  name: 'remove',
  summary: 'Remove the settings of a client from the database',
  role: 'admin',
  reach: 'some',
  by: 'person+token',
  input: z.object({ integration: CLIENT }),
  subjects: ['integration'],
  result: z.object({
    removed: z.string().describe('The ID of the client'),
    files: z
      .array(z.string())
      .describe("Files that were uploaded during the client's set-up, which are deleted"),
  }),
  async question(world, { integration }) {
    const id = await requireApplied(world, integration);
    const hasFile = await hasOwnUpload(world, id);
    const file = hasFile ? ' The file that was uploaded during its set-up is deleted.' : '';
    return {
      text: `Remove the settings of "${id}" from the database?${file} The data about its contacts stays. Continue?`,
      counts: { files: hasFile ? 1 : 0 },
    };
  },
  async run(world, { integration }) {
    const id = await requireApplied(world, integration);
    const { store, clock, application } = world;
    const { takeLease } = application;
    // If the client were removed later, a run could write the result files again.
    const files = (await hasOwnUpload(world, id))
      ? await withLease({ store, takeLease, clock }, id, () => dropUploads(toSetups(world), id))
      : [];
    await store.act((trx) => deleteSettings(trx, id));
    return { removed: id, files };
  },
  say: ({ removed, files }) => [
    `"${removed}" was removed from the database.`,
    ...files.map((name) => `The file ${name} was deleted.`),
  ],
});

/**
 * Throws a ConfigurationError (conflict) if the database contains no settings of the client. Users can also remove
 * unreadable settings.
 */
async function requireApplied(world: ActingWorld, id: string): Promise<string> {
  const { caller, application } = world;
  const isReached = caller.clients?.has(id) ?? true;
  if (isReached && application.unreadable.has(id)) return id;
  findClient(world, id);
  if ((await presentSettings(world, id)) !== null) return id;
  throw new ConfigurationError(
    `"${id}" is not in the database. Nothing was changed. Remove it from the settings file ${world.application.settings.path}.`,
    { code: 'not_applied', refusal: 'conflict', details: { integration: id } },
  );
}

/**
 * True if the uploaded file belongs only to this client. The settings file may also use an uploaded file, and then the
 * file is kept.
 */
async function hasOwnUpload(world: ActingWorld, id: string): Promise<boolean> {
  const { settings, unreadable } = world.application;
  if (isOfFile(settings, { id })) return false;
  try {
    return await hasUpload(toSetups(world), id);
  } catch (error) {
    // Unreadable settings do not show which file the client uses.
    if (isDonorSyncError(error) && unreadable.has(id)) return false;
    throw error;
  }
}

function toSetups({ application, store }: ActingWorld) {
  return { ...application, store };
}

export const listConnections = acting({
  name: 'clients connections',
  summary:
    'List which clients are connected to their CRM accounts, and which still have to be connected',
  details:
    'It sends no request to a CRM: `POST /v1/integrations/ID/doctor` checks whether a connection works. To connect an account, a user gives consent on a page of the CRM, so there is no route for it.',
  role: 'admin',
  reach: 'some',
  by: 'person+token',
  input: z.object({}),
  subjects: [],
  result: z.object({
    connections: z.array(
      z
        .object({
          integration: z.string(),
          crm: z.string().describe('The kind of CRM, such as salesforce'),
          state: z
            .enum(['connected', 'waits', 'by_settings'])
            .describe(
              '`waits`: a user has to connect the account; `by_settings`: the client signs in with the credentials in its settings',
            ),
        })
        .meta({ id: 'Connection' }),
    ),
  }),
  async run(world) {
    const connections = [];
    for (const client of world.clients.values()) {
      const state = await findConnection({ application: toSetups(world) }, client);
      connections.push({ integration: client.id, crm: client.crm.kind, state });
    }
    return { connections };
  },
  say: ({ connections }) => `${describeCount(connections.length, 'connection')}.`,
  table: ({ connections }) => ({
    empty: 'There are no clients yet. Set one up: donor-sync init',
    headers: ['Client', 'CRM', 'Connection'],
    rows: connections.map(({ integration, crm, state }) => [
      ...[integration, crm],
      state === 'waits' ? `waits: donor-sync connect ${integration}` : CONNECTION_WORDS[state],
    ]),
    notes:
      connections.length === 0 ? [] : ['To check that a connection works: donor-sync doctor ID'],
  }),
});

const CONNECTION_WORDS = { connected: 'connected', by_settings: 'by its settings' };

export const disconnectClient = acting({
  name: 'disconnect',
  summary: "Disconnect a client from its CRM account: the CRM revokes donor-sync's token",
  role: 'admin',
  reach: 'some',
  by: 'person+token',
  input: z.object({ integration: CLIENT }),
  subjects: ['integration'],
  result: z.object({
    disconnected: z.string().describe('The ID of the client'),
    problem: z
      .string()
      .nullable()
      .describe(
        'Why the CRM did not revoke the token, which donor-sync has deleted; null if it did',
      ),
  }),
  async question(world, { integration }) {
    const client = findClient(world, integration);
    await requireConnected({ application: toSetups(world) }, client);
    return {
      text: `Disconnect "${client.id}" from its CRM account? Its runs stop until it is connected again. Continue?`,
      counts: {},
    };
  },
  async run(world, { integration }) {
    const client = findClient(world, integration);
    const { clock, signal } = world;
    const consents = { application: toSetups(world), clock, signal };
    const { problem } = await disconnect(consents, client);
    return { disconnected: client.id, problem };
  },
  say: ({ disconnected, problem }) => [
    `"${disconnected}" was disconnected. The data about its contacts stays.`,
    ...(problem === null
      ? []
      : [
          `The CRM did not revoke its token: ${problem}`,
          "If no other client uses the app, remove it from the account's connected apps by hand.",
        ]),
  ],
});
