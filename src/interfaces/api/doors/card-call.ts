/** Verifies a call from a CRM's card: its signature, app, account and user. */
import type { Context } from 'hono';
import type { CardCaller } from '../../../../connectors/doors.ts';
import type { DOORS } from '../../../../connectors/index.ts';
import type { SignatureVersion } from '../../../../connectors/webhooks.ts';
import { isCallReceived, recordReceivedCall } from '../../../clients/statements/hooks.ts';
import { listIntegrationsOfAccount } from '../../../clients/statements/integrations.ts';
import type { Integration } from '../../../core/integration-settings.ts';
import { type DoorApp, findDoorApp } from '../../../settings/door-app.ts';
import type { HttpDeps, HttpEnv } from '../request/context.ts';
import { bodyUnreadable, HttpError } from '../request/errors.ts';
import { checkSignature, MAX_SIGNATURE_AGE_MS } from '../webhooks/call-signature.ts';
import { PROBLEM_TEXTS, readSignedCall } from '../webhooks/hooks-api.ts';

type Door = (typeof DOORS)[number];

/**
 * The time for which answered calls are remembered. If the caller's clock is fast, its call is valid for longer than
 * its age limit.
 */
const RECEIPT_KEPT_MS = 2 * MAX_SIGNATURE_AGE_MS;

export interface CardCall {
  caller: CardCaller;
  body: unknown;
  /** The fingerprint of the call's signature. */
  receipt: string;
}

/** Returns the app for the door's CRM. Throws an HttpError (404) if the settings contain no app. */
export function requireApp({ application }: HttpDeps, { kind, name }: Door): DoorApp {
  const app = findDoorApp(application.settings, kind);
  if (app !== null) return app;
  throw new HttpError(
    404,
    'door_missing',
    `This installation has no app for ${name}. Nothing was done. An operator has to add it to the settings.`,
  );
}

/**
 * Verifies a call from a card. The signature covers the public address, so a proxy cannot change it. Throws an
 * HttpError (401) if the call is not from the card.
 */
export async function verifyCard(
  deps: HttpDeps,
  c: Context<HttpEnv>,
  door: Door,
): Promise<CardCall> {
  const { clientSecret, appId } = requireApp(deps, door);
  const { signature, readCaller } = door.door.card;
  await verifySignature(deps, c, signature, clientSecret);
  const query: Record<string, string> = {};
  for (const [name, values] of Object.entries(c.req.queries())) {
    const [value = '', ...others] = values;
    // A card could add a parameter with the same name before the CRM adds its own parameter.
    if (others.length > 0) throw refused(`The parameter "${name}" came twice.`);
    query[name] = value;
  }
  const caller = readCaller(query);
  if (caller === null) throw refused('It does not say which account and user it is from.');
  if (caller.app !== appId) throw refused('It is from another app.');
  const { store } = deps.application;
  const signed = c.req.header(signature.header) ?? '';
  return { caller, body: await readJson(c), receipt: store.fingerprint('hook_receipt', signed) };
}

export async function verifySignature(
  { address, clock }: HttpDeps,
  c: Context<HttpEnv>,
  version: SignatureVersion,
  secret: string,
): Promise<void> {
  const call = await readSignedCall(c, address.url());
  const problem = checkSignature(version, secret, call, clock.now());
  if (problem !== null) throw new HttpError(401, problem, PROBLEM_TEXTS[problem]);
}

/** Refuses (401) a call that donor-sync has already answered. `rememberCall` stores answered calls. */
export async function refuseReplayed(
  { application: { store } }: HttpDeps,
  receipt: string,
): Promise<void> {
  if (!(await isCallReceived(store.reader, receipt))) return;
  throw new HttpError(
    401,
    'door_call_repeated',
    'This call was answered before, and came again later. Nothing was shown. Reload the record in the CRM.',
  );
}

export function rememberCall({ application: { store } }: HttpDeps, receipt: string): Promise<void> {
  return recordReceivedCall(store.connection, receipt, RECEIPT_KEPT_MS);
}

/** Returns the clients of the CRM account. Throws an HttpError (403) if there are none. */
export async function findPinned(
  { application: { store, integrations } }: HttpDeps,
  kind: string,
  account: string,
): Promise<Integration[]> {
  const ids = await listIntegrationsOfAccount(
    store.reader,
    store.fingerprint('crm_account', account),
  );
  const pinned = ids.flatMap((id) => {
    const client = integrations.get(id);
    return client?.crm.kind === kind ? [client] : [];
  });
  if (pinned.length > 0) return pinned;
  throw new HttpError(
    403,
    'door_account_unknown',
    'No client has synced with this CRM account yet, so donor-sync knows none of its contacts. Nothing was done. Run a first sync of the client that is connected to this account.',
  );
}

export async function readJson(c: Context<HttpEnv>): Promise<unknown> {
  try {
    return JSON.parse(await c.req.text());
  } catch {
    throw bodyUnreadable('JSON');
  }
}

export function refused(why: string): HttpError {
  return new HttpError(401, 'door_call_refused', `The call was refused. ${why} Nothing was done.`);
}
