/** Forecasts, for a preview, the contacts that a run after a restore will hold for a decision. */
import { findRestoreToSort } from '../../backup/restores.ts';
import { findBought } from '../../contacts/many-at-once/paid-since-backup.ts';
import type { SharingContact } from '../../credits/statements/paid-jobs.ts';
import { findRecalled } from '../../credits/statements/recalled-payments.ts';
import type { Run, SyncDeps } from '../control/context.ts';
import { findMaybePaid, isExplained } from './since-backup.ts';

/** Finds contacts that a run would hold for a decision because they may already be paid for. */
export interface RestoreForecast {
  findWaiting(contacts: readonly SharingContact[]): Promise<ReadonlySet<string>>;
}

/** Creates the forecast for the next run. Changes nothing. */
export async function forecastRestore(
  deps: Pick<SyncDeps, 'store' | 'clock' | 'partner' | 'log'>,
  run: Pick<Run, 'integration' | 'partnerKey'>,
): Promise<RestoreForecast> {
  const { reader, fingerprint } = deps.store;
  const { id } = run.integration;
  const restore = await findRestoreToSort(reader, id);
  const isKnown = restore === null || (await isExplained(deps, run, restore));
  return {
    async findWaiting(contacts) {
      const waiting = await findMaybePaid(deps, run, contacts);
      if (isKnown) return waiting;
      const ids = contacts.map(({ crmId }) => crmId);
      const recalled = await findRecalled(reader, fingerprint, id, ids);
      const bought = await findBought(reader, id, ids);
      const unknown = ids.filter(
        (crmId) => !recalled.has(crmId) && (bought.get(crmId) ?? 0) < restore.heldAt,
      );
      return new Set([...waiting, ...unknown]);
    },
  };
}
