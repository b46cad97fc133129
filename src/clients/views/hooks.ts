/** Describes an integration's webhook address and the results of its last calls. */
import { findWebhooks } from '../../../connectors/index.ts';
import { isoTime } from '../../core/clock.ts';
import type { Reader } from '../../database/reader.ts';
import {
  findHookByClient,
  type HookCallRecord,
  type HookRecord,
  listHookCalls,
} from '../statements/hooks.ts';

/** A webhook address, without its token. */
export interface HookView {
  integration: string;
  signature: HookRecord['signature'];
  createdAt: string;
  lastUsedAt: string | null;
  ignored: number;
}

export function describeHook({
  integrationId,
  signature,
  createdAt,
  lastUsedAt,
  ignoredCount,
}: HookRecord): HookView {
  return {
    integration: integrationId,
    signature,
    createdAt: isoTime(createdAt),
    lastUsedAt: lastUsedAt === null ? null : isoTime(lastUsedAt),
    ignored: ignoredCount,
  };
}

/** Consecutive calls that got the same response. */
export interface HookCallView {
  /** The times of the first and the last call (ISO 8601). */
  firstAt: string;
  lastAt: string;
  times: number;
  /** The result: `accepted`, `repeated`, `other_account`, or the code of a refusal. */
  answer: string;
  /** The result in words. */
  text: string;
  isGood: boolean;
  contacts: number;
  /** The ID of the run that carries out the calls. */
  run: string | null;
}

const ANSWERS: Readonly<Record<string, string>> = {
  accepted: 'accepted: a run processes it',
  repeated: 'already accepted: nothing to do',
  erasure: 'accepted: contacts that the CRM deleted for privacy are erased',
  other_account: 'ignored: it is about another CRM account, or about erased contacts',
  signature_missing: 'refused: it was not signed',
  signature_invalid: 'refused: it was signed with another secret',
  signature_too_old: 'refused: it was signed more than five minutes before',
};

function describeCall(call: HookCallRecord): HookCallView {
  const { at, lastAt, times, answer, contacts, runId } = call;
  return {
    firstAt: isoTime(at),
    lastAt: isoTime(lastAt),
    times,
    answer,
    text: ANSWERS[answer] ?? `refused: ${answer}`,
    isGood: !answer.startsWith('signature_'),
    contacts,
    run: runId,
  };
}

/** The stored data about a client's address. */
export interface WebhookView {
  /** The address, or null if the client has none. */
  webhook: HookView | null;
  /** The latest calls, newest first. */
  calls: HookCallView[];
}

export async function readWebhook(reader: Reader, integrationId: string): Promise<WebhookView> {
  const hook = await findHookByClient(reader, integrationId);
  const calls = await listHookCalls(reader, integrationId);
  return { webhook: hook ? describeHook(hook) : null, calls: calls.map(describeCall) };
}

export function describeSignature(signature: string | null): string {
  if (signature === null || signature === 'none') return 'not signed: the secret is in the address';
  if (signature === 'hmac') return 'signed with a secret from donor-sync';
  return findWebhooks(signature)?.signature?.label ?? `signed by ${signature}`;
}
