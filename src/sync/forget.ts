/** Erases one person from our store and, if asked, what we wrote of them from the CRM. */
import { RetriableError } from '../core/errors.ts';
import type { SyncDeps } from '../run/context.ts';
import { valuePrint } from '../run/values.ts';
import type { Lease } from '../store/leases.ts';
import { parseOwned } from '../store/owned-values.ts';

type ForgetDeps = Pick<SyncDeps, 'store' | 'connector'>;

/** What forgetting a person did. */
export interface ForgetReport {
  integration: string;
  crmId: string;
  /** False if the store knew nothing of them; they are kept away from now on all the same. */
  wasKnown: boolean;
  /** Fields that were cleared in the CRM; null if that was not asked for. */
  cleared: string[] | null;
  /** Fields that hold something else than what we wrote, and were left alone. */
  editedSince: string[];
}

/**
 * First the CRM, then the store: once the store has forgotten, nobody knows any more what in the
 * CRM was ours. Throws, with nothing forgotten, if the CRM refuses.
 */
export async function forgetContact(
  deps: ForgetDeps,
  lease: Lease,
  crmId: string,
  { alsoInCrm }: { alsoInCrm: boolean },
): Promise<ForgetReport> {
  const { integrationId } = lease;
  const erased = alsoInCrm ? await clearInCrm(deps, lease, crmId) : null;
  const wasKnown = await deps.store.forget.erase(integrationId, crmId);
  await deps.store.forget.emptyLog();
  return {
    integration: integrationId,
    crmId,
    wasKnown,
    cleared: erased?.cleared ?? null,
    editedSince: erased?.editedSince ?? [],
  };
}

async function clearInCrm(
  deps: ForgetDeps,
  lease: Lease,
  crmId: string,
): Promise<{ cleared: string[]; editedSince: string[] }> {
  const { store, connector } = deps;
  const row = (await store.contacts.find(lease.integrationId, [crmId])).get(crmId);
  const owned = Object.entries(row ? parseOwned(row.owned_values) : {});
  const names = owned.map(([field]) => field);
  const [lookup] = await connector.readByIds([crmId], names);
  if (lookup?.state !== 'found') return { cleared: [], editedSince: [] };
  const cleared: string[] = [];
  const editedSince: string[] = [];
  for (const [field, print] of owned) {
    const present = lookup.values[field] ?? null;
    if (present === null) continue;
    const isOurs = valuePrint(deps, crmId, field, present) === print;
    (isOurs ? cleared : editedSince).push(field);
  }
  if (cleared.length === 0) return { cleared, editedSince };
  const values = Object.fromEntries(cleared.map((field) => [field, null]));
  for await (const result of connector.write([{ id: crmId, values }])) {
    if (result.status === 'refused') {
      throw new RetriableError(
        `The CRM refused to clear the fields of ${crmId} (${result.code}: ${result.message}). Nothing was forgotten; mend that and try again.`,
        { code: 'crm_refused' },
      );
    }
  }
  await connector.finish();
  return { cleared, editedSince };
}
