/**
 * Retries erasures that left values in the CRM, because the CRM was unavailable, hid a field or refused a change. Each
 * run retries these erasures. When the CRM contains no more values, the contact is erased from the store.
 */

import { listIntegrationsOfSameAccount } from '../../clients/statements/integrations.ts';
import type { Lease } from '../../database/leases.ts';
import { overwriteErased } from '../../database/sqlite/erased-bytes.ts';
import {
  type BegunErasure,
  eraseFromStore,
  listBegunErasures,
  noteErasureReceipt,
} from '../../privacy/statements/erasures.ts';
import type { Run, SyncDeps } from '../../sync/control/context.ts';
import type { Stages } from '../../sync/control/stage.ts';
import { clearMentions } from './clear-mentions.ts';
import { clearInCrm, type ForgottenContact, findParts } from './erase.ts';
import { NO_NAMES, namesOfPerson } from './erased-names.ts';
import { addCounts, type ErasureNote, isCleared, parseNote } from './erasure-note.ts';
import { findOwnFormerRows } from './former-rows.ts';
import { dropKeptTexts, findMentions } from './mentions.ts';

type RetryDeps = Pick<SyncDeps, 'store' | 'connector' | 'sealer' | 'otherForms' | 'log'>;
type RetryRun = Pick<Run, 'lease' | 'mappings'>;

async function retryErasures(deps: RetryDeps, run: RetryRun): Promise<void> {
  const { store, log } = deps;
  const { integrationId } = run.lease;
  const begun = await listBegunErasures(store, integrationId);
  let erased = 0;
  for (const erasure of begun) if (await retry(deps, run, erasure)) erased += 1;
  if (erased === 0) return;
  log.info({ integration: integrationId, erased }, 'erasures were finished');
  await overwriteErased(store.connection);
}

/**
 * Retries an erasure. Returns true when the contact is erased. A note without the CRM means that the erasure was
 * interrupted or that the CRM need not be cleared.
 */
async function retry(
  deps: RetryDeps,
  { lease, mappings }: RetryRun,
  { crmId, receipt, donors, names }: BegunErasure,
): Promise<boolean> {
  const begun = parseNote(receipt);
  if (begun === null || begun.crm === null) return false;
  const { store } = deps;
  let note = begun;
  const save = (changes: Partial<typeof note>) => {
    note = { ...note, ...changes };
    const receipt = JSON.stringify(note);
    return store.checkpoint(lease, (trx) => noteErasureReceipt(trx, crmId, receipt));
  };
  const formsOf = (id: string) => [id, ...(deps.otherForms?.(id) ?? [])];
  const account = await listIntegrationsOfSameAccount(store.reader, lease.integrationId);
  const former = await findOwnFormerRows(deps, account, formsOf(crmId));
  const forms = [crmId, ...former].flatMap(formsOf);
  const parts = await findParts(deps, lease.integrationId, account, forms);
  const contact = { crmId, forms, parts };
  const fields = { clearing: begun.clearing, mapped: mappings.map(({ to }) => to) };
  const { isSeenEmpty } = await clearInCrm(deps, account, contact, fields, save);
  const found = await findMentions(deps, lease.integrationId, {
    forms,
    donors: new Set(donors),
    names: namesOfPerson(store.fingerprint, names),
  });
  // Runs have replaced the text since the last attempt and kept it as a previous value.
  await save({ erased: { ...note.erased, texts: Math.max(note.erased.texts, found.texts) } });
  await dropKeptTexts(deps, lease, found);
  const mentions = await clearMentions(deps, lease, found.inCrm, NO_NAMES);
  await save({ mentions, unreached: null });
  if (!isCleared(note)) return false;
  await finishErasure(deps, lease, contact, note, isSeenEmpty);
  return true;
}

function finishErasure(
  { store }: Pick<RetryDeps, 'store'>,
  lease: Lease,
  { crmId, forms }: ForgottenContact,
  note: ErasureNote,
  isSeenEmpty: boolean,
) {
  return eraseFromStore(store, lease, crmId, {
    forms: forms.slice(1),
    mayBeLeft: !isSeenEmpty,
    buildReceipt: ({ introductions: _, ...rows }) =>
      JSON.stringify({ ...note, erased: addCounts(note.erased, rows) }),
  });
}

export const ERASURE_STAGES: Stages = { before: [], after: [retryErasures] };
