/** The route POST /hooks/:integration/:token, with which a CRM reports changes. */
import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { SignedCall } from '../../../../connectors/webhooks.ts';
import {
  findHookByClient,
  type HookRecord,
  isCallReceived,
  recordHookUse,
  recordReceivedCall,
} from '../../../clients/statements/hooks.ts';
import type { Actor } from '../../../core/actor.ts';
import { publicAddress } from '../../../core/public-address.ts';
import { hookSecretSealContext } from '../../../database/encryption/seal-contexts.ts';
import { hashToken } from '../../../people/access-token.ts';
import { listBlockedContacts } from '../../../privacy/statements/blocks.ts';
import type { HttpDeps, HttpEnv } from '../request/context.ts';
import { HttpError } from '../request/errors.ts';
import { limitBody, MAX_HOOK_BODY_BYTES } from '../request/guards.ts';
import { type ClientAddress, getHostname } from '../request/peer.ts';
import { contactSchema, createRouter, failure, json, problems } from '../request/router.ts';
import { isSameText } from '../request/secret.ts';
import type { Attempts } from '../sign-in/attempts.ts';
import {
  findSignatureProblem,
  getSignature,
  isSignedTheOldWay,
  MAX_SIGNATURE_AGE_MS,
  type SignatureProblem,
} from './call-signature.ts';
import { readHookBody } from './hook-body.ts';
import type { HookCalls } from './hook-calls.ts';

const USE_NOTED_EVERY_MS = 60_000;

/**
 * The time for which calls are remembered. If the caller's clock is fast, its call is valid for longer than its age
 * limit.
 */
const RECEIPT_KEPT_MS = 2 * MAX_SIGNATURE_AGE_MS;

const acceptedSchema = z
  .object({
    accepted: z.literal(true),
    runId: z.string().nullable().openapi({
      description:
        'The run that covers the change; null for a repeated call, or a call about another CRM account or an erased contact.',
    }),
  })
  .openapi('AcceptedHook');

const hookRoute = createRoute({
  method: 'post',
  path: '/hooks/{integration}/{token}',
  tags: ['Webhooks'],
  summary: 'Report that something has changed',
  description:
    'The address is the key: `donor-sync hooks create` creates it. Contact IDs in the body of HubSpot, a Flow or an Outbound Message are hints: at most 100 contacts are read by ID. Any other body starts a run over all changes. Many calls in a short time are combined into one run.',
  security: [],
  middleware: [limitBody(MAX_HOOK_BODY_BYTES)] as const,
  request: {
    params: z.object({ integration: z.string(), token: z.string() }),
    query: z.object({
      contact: contactSchema.optional().openapi({
        description:
          'The CRM ID of the changed contact. If omitted, the contacts in the body, or all changed contacts.',
      }),
    }),
  },
  responses: {
    200: {
      description: 'The acknowledgement of a Salesforce Outbound Message, in SOAP.',
      content: { 'text/xml': { schema: z.string() } },
    },
    202: { description: 'A run will process the change.', ...json(acceptedSchema) },
    401: failure('The signature is missing, wrong or too old.'),
    ...problems.notFound,
    ...problems.invalid,
    ...problems.body,
    429: failure('Too many wrong addresses were called; Retry-After tells when to retry.'),
  },
});

export function hookRoutes(
  deps: HttpDeps,
  attempts: Attempts,
  getAddress: ClientAddress,
  calls: Pick<HookCalls, 'note'>,
) {
  const { store, sealer } = deps.application;
  const { clock, runner, log } = deps;
  const warned = new Set<string>();

  /** Warns only once per address and process, because calls arrive all day. */
  function warnOfOldSignature({ integrationId: integration, tokenHash }: HookRecord): void {
    if (warned.has(tokenHash)) return;
    warned.add(tokenHash);
    log.warn(
      { integration },
      'a webhook call is signed in the first version, which the next version of donor-sync refuses: sign as described in docs/guides/webhooks.md (X-Donor-Sync-Signature: v2=…)',
    );
  }

  async function findHook(
    c: Context<HttpEnv>,
    integrationId: string,
    token: string,
  ): Promise<HookRecord> {
    const hook = await findHookByClient(store.reader, integrationId);
    const isRight = isSameText(hook?.tokenHash ?? '', hashToken(token));
    if (hook && isRight && deps.application.integrations.has(integrationId)) return hook;
    // A CRM sends all its customers' calls from a few IP addresses. If one customer's webhook address is outdated, its
    // calls arrive again and again. Calls to an outdated address must not block the valid webhook addresses.
    const address = getAddress(c);
    attempts.requireAllowed(address);
    attempts.noteFailure(address);
    throw new HttpError(
      404,
      'hook_unknown',
      'This webhook address does not exist, or no longer exists.',
    );
  }

  /**
   * Verifies a call's signature and returns its receipt. Returns null if the call may be repeated. Throws an HttpError
   * (401) for an invalid signature.
   */
  async function verifyCall(c: Context<HttpEnv>, hook: HookRecord): Promise<string | null> {
    const { signature: kind, secret } = hook;
    if (kind === null || secret === null) return null;
    const call = await readSignedCall(c, deps.address.urlAt(getHostname(c)));
    const key = sealer.open(secret, hookSecretSealContext(hook.integrationId));
    const problem = findSignatureProblem(kind, key, call, clock.now());
    if (problem !== null) {
      const { integrationId } = hook;
      await calls.note({ integrationId, answer: problem, contacts: 0, runId: null });
      throw new HttpError(401, problem, PROBLEM_TEXTS[problem]);
    }
    if (isSignedTheOldWay(kind, call)) warnOfOldSignature(hook);
    const signature = getSignature(kind, call);
    if (signature === null) return null;
    return store.fingerprint('hook_receipt', `${hook.integrationId}\n${signature}`);
  }

  /**
   * Requests a run for a contact. Returns null for an erased contact. The CRM still sends this contact's ID, so
   * donor-sync does not even store the ID.
   */
  async function requestOne(
    integrationId: string,
    contact: string,
    by: Actor,
  ): Promise<string | null> {
    if (await isErased(integrationId, contact)) return null;
    const one = { integrationId, contact, trigger: 'webhook', full: false, by } as const;
    return (await runner.request(one)).runId;
  }

  async function isErased(integrationId: string, contact: string): Promise<boolean> {
    const { application } = deps;
    const integration = application.integrations.get(integrationId);
    if (integration === undefined) return false;
    const crmId = await application.contactId(integration, contact);
    const erased = await listBlockedContacts(store.reader, integrationId);
    return erased.has(store.fingerprint('forgotten', crmId));
  }

  return createRouter().openapi(hookRoute, async (c) => {
    const { integration: integrationId, token } = c.req.valid('param');
    const { contact } = c.req.valid('query');
    const hook = await findHook(c, integrationId, token);
    const receipt = await verifyCall(c, hook);
    if (receipt !== null && (await isCallReceived(store.reader, receipt))) {
      await calls.note({ integrationId, answer: 'repeated', contacts: 0, runId: null });
      return c.json({ accepted: true as const, runId: null }, 202);
    }
    // Only a signed and dated call can start an erasure. Other calls only make a run read contacts.
    const provenBy = receipt === null ? null : hook.signature;
    const crmKind = deps.application.integrations.get(integrationId)?.crm.kind ?? null;
    const body = readHookBody(new Uint8Array(await c.req.arrayBuffer()), provenBy, crmKind);
    const by: Actor = { kind: 'webhook', name: null, from: getAddress(c) };
    const { contacts, isComplete, acknowledgement } = body;
    const deleted = contact === undefined ? body.deleted : [];
    const runId =
      contact === undefined
        ? await runner.call({ integrationId, by, contacts, isComplete, deleted })
        : await requestOne(integrationId, contact, by);
    // Records the call after success. The CRM repeats a failed call with the same signature, and this repetition must
    // be accepted.
    if (receipt !== null) await recordReceivedCall(store.connection, receipt, RECEIPT_KEPT_MS);
    const answer = toAnswer(runId, deleted.length > 0);
    const named = contact === undefined ? contacts.length : 1;
    await calls.note({ integrationId, answer, contacts: named, runId });
    const isNoted = hook.lastUsedAt !== null && clock.now() - hook.lastUsedAt < USE_NOTED_EVERY_MS;
    if (!isNoted) await recordHookUse(store.connection, integrationId);
    if (acknowledgement !== null) {
      return c.body(acknowledgement.body, 200, { 'Content-Type': acknowledgement.contentType });
    }
    return c.json({ accepted: true as const, runId }, 202);
  });
}

function toAnswer(runId: string | null, hasDeletions: boolean): string {
  if (runId !== null) return 'accepted';
  return hasDeletions ? 'erasure' : 'other_account';
}

/** The reasons why the signature of a call was refused, by the error code. */
export const PROBLEM_TEXTS: Readonly<Record<SignatureProblem, string>> = {
  signature_missing: 'Calls to this address must be signed, but this call is not.',
  signature_invalid: 'The signature was not made with the secret of this address.',
  signature_too_old: 'The call was signed more than five minutes ago; sign it again.',
};

/**
 * Returns the parts of a call that the signature covers. `publicUrl` is the address that callers know, whatever host
 * name the request has.
 */
export async function readSignedCall(c: Context<HttpEnv>, publicUrl: string): Promise<SignedCall> {
  return {
    method: c.req.method,
    url: publicAddress(publicUrl, getTarget(c)),
    body: new Uint8Array(await c.req.arrayBuffer()),
    header: (name) => c.req.header(name),
  };
}

/** Returns the request's target unchanged, because decoding could change it. */
function getTarget(c: Context<HttpEnv>): string {
  return c.env?.incoming?.url ?? c.req.url.replace(/^[a-z]+:\/\/[^/]*/i, '');
}
