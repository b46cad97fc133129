/** The contacts that a run after a restore will hold, for the plan. */
import { findRestoreToSort } from '../../backup/restores.ts';
import { findBought } from '../../contacts/many-at-once/paid-since-backup.ts';
import { isReadable, type SharingContact } from '../../credits/statements/paid-jobs.ts';
import { findRecalled } from '../../credits/statements/recalled-payments.ts';
import type { Run, SyncDeps } from '../control/context.ts';
import { askedBefore } from '../plan.ts';
import { sharingRules } from '../sharing.ts';
import { isExplained } from './since-backup.ts';

/** Which contacts a run would hold because they may be paid for. */
export interface RestoreForecast {
  findWaiting(contacts: readonly SharingContact[]): Promise<ReadonlySet<string>>;
}

/** The same before a run. */
export async function forecastRestore(
  deps: Pick<SyncDeps, 'store' | 'clock' | 'partner' | 'log'>,
  run: Pick<Run, 'integration' | 'partnerKey'>,
): Promise<RestoreForecast> {
  const { store, clock } = deps;
  const { id, refresh } = run.integration;
  const restore = await findRestoreToSort(store.reader, id);
  const isKnown = restore === null || (await isExplained(deps, run, restore));
  return {
    async findWaiting(contacts) {
      const rules = sharingRules(deps, run);
      const oldBefore = askedBefore({ refresh, now: clock.now() });
      const ids = contacts.map(({ crmId }) => crmId);
      const recalled = await findRecalled(store.reader, store.fingerprint, id, ids);
      const bought = await findBought(store.reader, id, ids);
      const waiting = contacts.filter(({ crmId, identity }) => {
        const row = recalled.get(crmId);
        if (row === undefined) {
          return !isKnown && (bought.get(crmId) ?? 0) < (restore?.heldAt ?? 0);
        }
        return !isReadable(row, identity, rules) && row.paidAt >= oldBefore;
      });
      return new Set(waiting.map(({ crmId }) => crmId));
    },
  };
}
