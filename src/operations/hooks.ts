/** Manages webhook addresses, which CRMs and other programs call to report changes. */
import { z } from 'zod';
import { WEBHOOKS } from '../../connectors/index.ts';
import {
  createHookAddress,
  HOOK_SIGNATURES,
  hookExists,
  hookMissing,
  isHookSignature,
  signingFor,
} from '../clients/hook-address.ts';
import {
  findHookByClient,
  type HookRecord,
  listHooks,
  revokeHook,
} from '../clients/statements/hooks.ts';
import { describeHook, describeSignature, readWebhook } from '../clients/views/hooks.ts';
import { describeCount, formatCount, formatTimestamp } from '../core/quantities.ts';
import { readAddresses } from '../people/server-address.ts';
import { findClient } from './kit/clients.ts';
import { describeReach } from './kit/describe-reach.ts';
import { secretText } from './kit/input-fields.ts';
import { type ChangingWorld, changing, reading, type World } from './kit/operation.ts';

const CLIENT = z.string().describe('The ID of the client');

/** The maximum length of a signing secret. No CRM has longer secrets. */
const MAX_SECRET_LENGTH = 1_000;

const SIGNATURE_CHOICES = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(
  HOOK_SIGNATURES,
);

/** The names of the CRMs' secrets, as nouns for the middle of a sentence. */
const CRM_SECRETS = WEBHOOKS.flatMap(({ webhooks }) => webhooks.signature?.settingsNoun ?? []).join(
  ', ',
);

const addressInput = z.object({
  integration: CLIENT,
  signature: z
    .string()
    .refine(isHookSignature, { error: `Choose ${SIGNATURE_CHOICES}.` })
    .optional()
    .describe(
      `How calls are signed: ${SIGNATURE_CHOICES}, or the kind of the client's own connector package. By default unchanged, or unsigned for a new address`,
    ),
  secret: secretText(z.string().min(1).max(MAX_SECRET_LENGTH))
    .optional()
    .describe(
      `The secret that callers sign with; by default ${CRM_SECRETS} from the settings, or a new secret`,
    ),
});

const signatureSchema = z.string().nullable();

const hookSchema = z.object({
  integration: z.string(),
  signature: signatureSchema,
  createdAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime().nullable(),
  ignored: z.int().describe('Number of contacts that calls named and that the CRM does not have'),
});

const shownSchema = z
  .object({
    integration: z.string(),
    webhook: hookSchema.nullable(),
    calls: z
      .array(
        z.object({
          firstAt: z.iso.datetime(),
          lastAt: z.iso.datetime(),
          times: z.int(),
          answer: z.string(),
          text: z.string(),
          isGood: z.boolean(),
          contacts: z.int(),
          run: z.string().nullable(),
        }),
      )
      .describe('The latest calls, newest first; consecutive equal calls count as one'),
  })
  .meta({ id: 'Webhook' });

const newSchema = z
  .object({
    integration: z.string(),
    url: z.string().describe('Shown here and never again'),
    signature: signatureSchema,
    secret: z.string().nullable().describe('Shown here and never again; null if you provided it'),
  })
  .meta({ id: 'NewWebhook' });

/** A newly created webhook address. */
export type NewWebhook = z.output<typeof newSchema>;

export const listWebhooks = reading({
  name: 'hooks list',
  summary: 'List the webhook addresses, without their tokens',
  role: 'admin',
  reach: 'some',
  by: 'person+token',
  input: z.object({}),
  subjects: [],
  result: z.object({ hooks: z.array(hookSchema) }),
  async run({ reader, caller: { clients } }) {
    const hooks = await listHooks(reader);
    const own = hooks.filter(({ integrationId }) => clients?.has(integrationId) ?? true);
    return { hooks: own.map(describeHook) };
  },
  say: ({ hooks }) => `${describeCount(hooks.length, 'webhook address', 'webhook addresses')}.`,
  table: ({ hooks }) => ({
    empty: 'No client has a webhook address. Create one: donor-sync hooks create ID',
    headers: ['Client', 'Signature', 'Created', 'Last used', 'Ignored contacts'],
    rows: hooks.map(({ integration, signature, createdAt, lastUsedAt, ignored }) => [
      ...[integration, signature ?? 'none'],
      ...[{ at: createdAt }, { at: lastUsedAt }],
      formatCount(ignored),
    ]),
  }),
});

export const showWebhook = reading({
  name: 'hooks show',
  summary: "Show a client's webhook address, without its token, and its latest calls",
  role: 'admin',
  reach: 'some',
  by: 'person+token',
  input: z.object({ integration: CLIENT }),
  subjects: ['integration'],
  result: shownSchema,
  async run(world, { integration }) {
    const id = (await findHook(world, integration))?.integrationId ?? integration;
    return { integration: id, ...(await readWebhook(world.reader, id)) };
  },
  say: describeShown,
});

export const createWebhook = changing({
  name: 'hooks create',
  summary: 'Create the webhook address of a client and show it once',
  details: 'The address and the secret are shown in this response only.',
  role: 'admin',
  reach: 'some',
  by: 'person',
  input: addressInput,
  subjects: ['integration'],
  result: newSchema,
  secret: ['url', 'secret'],
  async run(world, input) {
    const client = findClient(world, input.integration);
    if (await findHookByClient(world.reader, client.id)) throw hookExists(client.id);
    return giveAddress(world, input, null);
  },
  say: describeNew,
});

export const rotateWebhook = changing({
  name: 'hooks rotate',
  summary:
    'Replace the webhook address of a client and show it once; the old address stops working at once',
  role: 'admin',
  reach: 'some',
  by: 'person',
  input: addressInput,
  subjects: ['integration'],
  result: newSchema,
  secret: ['url', 'secret'],
  async run(world, input) {
    const client = findClient(world, input.integration);
    const before = await findHookByClient(world.reader, client.id);
    if (before === undefined) throw hookMissing(client.id);
    return giveAddress(world, input, before);
  },
  say: describeNew,
});

export const revokeWebhook = changing({
  name: 'hooks revoke',
  summary: 'Revoke the webhook address of a client',
  role: 'admin',
  reach: 'some',
  by: 'person+token',
  input: z.object({ integration: CLIENT }),
  subjects: ['integration'],
  result: z.object({ revoked: z.string() }),
  async question(world, { integration }) {
    if ((await findHook(world, integration)) === null) throw hookMissing(integration);
    return {
      text: `Revoke the webhook address of ${integration} and delete the record of its calls?`,
      counts: {},
    };
  },
  async run(world, { integration }) {
    if ((await findHook(world, integration)) === null) throw hookMissing(integration);
    await revokeHook(world.trx, integration);
    return { revoked: integration };
  },
  say: ({ revoked }) => `The webhook address of ${revoked} was revoked. Calls to it are refused.`,
});

/**
 * Finds a client's webhook address, or returns null if there is none. A removed client can still have an address.
 * Access to it requires access to all clients.
 */
async function findHook(world: World, id: string): Promise<HookRecord | null> {
  const { reader, caller, clients } = world;
  if (caller.clients === null || clients.has(id)) {
    const hook = await findHookByClient(reader, id);
    if (hook !== undefined) return hook;
  }
  findClient(world, id);
  return null;
}

async function giveAddress(
  { trx, sealer, ...world }: ChangingWorld,
  { integration: id, ...options }: z.output<typeof addressInput>,
  before: HookRecord | null,
): Promise<NewWebhook> {
  const integration = findClient(world, id);
  const signing = signingFor(options, { integration, before, sealer });
  const { url: server } = await readAddresses(trx, world);
  const url = await createHookAddress(trx, sealer, server, id, signing);
  const secret = signing?.isNew ? signing.secret : null;
  return { integration: id, url, signature: signing?.kind ?? null, secret };
}

function describeNew({ url, secret }: NewWebhook): string[] {
  const reach = describeReach(url);
  const keep =
    'Save it now: it will not be shown again. To report a single contact, add "?contact=ID".';
  if (secret === null) return [...reach, keep];
  return [
    ...reach,
    'The first line is the address, the second the secret that callers sign with.',
    keep,
  ];
}

function describeShown({ integration, webhook, calls }: z.output<typeof shownSchema>): string[] {
  if (webhook === null) {
    return [
      `${integration} has no webhook address. Create one: donor-sync hooks create ${integration}`,
    ];
  }
  const { signature, createdAt, ignored } = webhook;
  return [
    `The webhook address of ${integration} was created at ${formatTimestamp(createdAt)}. Calls are ${describeSignature(signature)}.`,
    ...(ignored === 0
      ? []
      : [`Calls named ${describeCount(ignored, 'contact')} that the CRM does not have.`]),
    ...(calls.length === 0 ? ['It has not been called yet.'] : ['Latest calls:']),
    ...calls.map(
      ({ lastAt, text, times }) =>
        `  ${formatTimestamp(lastAt)}  ${text}${times > 1 ? ` (${describeCount(times, 'call')})` : ''}`,
    ),
  ];
}
