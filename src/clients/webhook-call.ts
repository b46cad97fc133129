/** Converts webhook calls into requests for runs. A run reads the named contacts or all changed contacts. */

import type { Application } from '../application.ts';
import type { Actor } from '../core/actor.ts';
import type { Integration } from '../core/integration-settings.ts';
import {
  type ErasureRequest,
  recordErasureRequests,
} from '../decisions/statements/erasure-requests.ts';
import { planReread } from '../jobs/statements/rereads.ts';
import { listBlockedContacts } from '../privacy/statements/blocks.ts';
import { hasTracesOfContact } from '../privacy/statements/known-contacts.ts';
import { MAX_HINTS, requestContacts, requestRun } from '../sync/statements/run-requests.ts';
import { recordIgnored } from './statements/hooks.ts';
import { findIntegrationState, listIntegrationsOfSameAccount } from './statements/integrations.ts';

export interface CalledContact {
  /** The contact's CRM ID, in any form. */
  id: string;
  account: string | null;
}

export interface WebhookCall {
  integrationId: string;
  contacts: readonly CalledContact[];
  /** False if the call names no contacts, or only some of the changed contacts. */
  isComplete: boolean;
  /** Contacts that the CRM has deleted for privacy reasons. Only a verified caller may name deleted contacts. */
  deleted?: readonly CalledContact[];
  /** The caller, for the audit. */
  by?: Actor;
}

type CallDeps = {
  application: Pick<
    Application,
    'store' | 'select' | 'contactId' | 'rereadAfterMs' | 'findRunning'
  > & { settings: Pick<Application['settings'], 'twoPeople'> };
  newRunId: () => string;
};

/**
 * Handles a call. A call only tells donor-sync which contacts to read, and the usual spending rules apply to the run.
 * If the integration covers only some of the CRM's contacts, contacts are not read by ID, because only the CRM can
 * apply the filter.
 */
export async function takeCall(
  { application, newRunId }: CallDeps,
  { integrationId, contacts: named, isComplete, deleted = [], by = WEBHOOK }: WebhookCall,
): Promise<string | null> {
  const store = application.store.actingAs(by);
  const [integration] = application.select([integrationId]);
  if (!integration) return null;
  await recordDeletions({ application, newRunId }, integration, deleted, by);
  const isDeleted = ({ id, account }: CalledContact) =>
    deleted.some((one) => one.id === id && one.account === account);
  // A stored request must not contain an erased contact.
  const contacts = named.filter((one) => !isDeleted(one));
  if (named.length > 0 && contacts.length === 0 && isComplete) return null;
  const own = await filterOwnContacts(application, integrationId, contacts);
  const ignored = contacts.length - own.length;
  if (ignored > 0) await recordIgnored(store.connection, integrationId, ignored);
  if (isComplete && own.length === 0) return null;
  const { ids, hasOthers } = await buildHints(application, integration, own);
  const asked =
    ids.length > 0
      ? await store.act((trx) => requestContacts(trx, integrationId, ids, newRunId))
      : null;
  const isOpen = !isComplete || hasOthers;
  const all = isOpen
    ? await store.act((trx) => requestRun(trx, wholeRun(integrationId, newRunId())))
    : null;
  const isLate = isOpen || asked?.isWhole === true;
  if (isLate && (await application.rereadAfterMs(integration)).length > 0) {
    await planReread(store.connection, integrationId);
  }
  return asked?.runId ?? all;
}

/** Records due erasures on disk before the response. If this fails, the caller repeats its call. */
async function recordDeletions(
  { application, newRunId }: CallDeps,
  integration: Integration,
  deleted: readonly CalledContact[],
  by: Actor,
): Promise<void> {
  if (deleted.length === 0) return;
  const store = application.store.actingAs(by);
  const account = await listIntegrationsOfSameAccount(store.reader, integration.id);
  const isAtWork = async (id: string) => (await application.findRunning(id)) !== null;
  const isRunning = (await Promise.all(account.map(isAtWork))).includes(true);
  const isAutomatic = application.settings.twoPeople?.forgetByCrm !== true;
  const requests = new Map<string, ErasureRequest>();
  const own = await filterOwnContacts(application, integration.id, deleted);
  const ignored = deleted.length - own.length;
  if (ignored > 0) await recordIgnored(store.connection, integration.id, ignored);
  for (const { id } of own) {
    const crmId = await application.contactId(integration, id).catch(() => null);
    if (crmId === null) continue;
    // A run may be processing this contact before the database contains it. For any other unknown contact, there is
    // nothing to erase.
    const traces = account.map((each) => hasTracesOfContact(store.reader, each, [crmId]));
    if (isRunning || (await Promise.all(traces)).includes(true)) {
      requests.set(crmId, { crmId, source: 'crm_event', isAutomatic });
    }
  }
  await store.act((trx) =>
    recordErasureRequests(trx, integration.id, [...requests.values()], { newId: newRunId }),
  );
}

const WEBHOOK: Actor = { kind: 'webhook', name: null, from: null };

function wholeRun(integrationId: string, runId: string) {
  return { integrationId, contact: null, trigger: 'webhook', full: false, runId } as const;
}

/** Returns the contacts of the integration's own account. In other accounts, the same IDs mean different people. */
async function filterOwnContacts(
  { store }: Pick<Application, 'store'>,
  integrationId: string,
  contacts: readonly CalledContact[],
): Promise<CalledContact[]> {
  const { crmAccount } = await findIntegrationState(store.reader, integrationId);
  if (crmAccount === null) return [...contacts];
  return contacts.filter(
    ({ account }) => account === null || store.fingerprint('crm_account', account) === crmAccount,
  );
}

/** Returns the canonical IDs of the contacts, and whether further contacts must be read. */
async function buildHints(
  application: Pick<Application, 'contactId' | 'store'>,
  integration: Integration,
  contacts: readonly CalledContact[],
): Promise<{ ids: string[]; hasOthers: boolean }> {
  if (integration.contacts.filter !== null) return { ids: [], hasOthers: contacts.length > 0 };
  const ids = new Set<string>();
  let hasOthers = false;
  for (const { id } of contacts) {
    try {
      ids.add(await application.contactId(integration, id));
    } catch {
      hasOthers = true;
    }
  }
  if (ids.size > MAX_HINTS) return { ids: [], hasOthers: true };
  // CRMs still name erased contacts, so donor-sync does not store their IDs.
  const erased = await listBlockedContacts(application.store.reader, integration.id);
  const isErased = (id: string) => erased.has(application.store.fingerprint('forgotten', id));
  return { ids: [...ids].filter((id) => !isErased(id)), hasOthers };
}
