/**
 * A list can give its contacts other IDs, for example when a spreadsheet drops leading zeros, or when it comes from
 * another CRM. The new contacts continue the missing ones: they get their profiles, and cost no credit.
 */
import {
  continueContacts,
  findContinuations,
  hasPaidContacts,
} from '../../contacts/many-at-once/new-ids.ts';
import { inBatches } from '../../database/rows.ts';
import type { Run, SyncDeps } from '../control/context.ts';

type NewIdsDeps = Pick<SyncDeps, 'store' | 'connector' | 'log'>;

/** Finds the new contacts of a run that continue missing ones. */
export interface NewIds {
  /** True while contacts must not be submitted before the whole list is read, because they may continue others. */
  mustWait(): Promise<boolean>;
  /** Gives the new contacts the profiles of the missing ones. Called once reading has ended. */
  follow(): Promise<void>;
}

export function createNewIds({ store, connector, log }: NewIdsDeps, run: Run): NewIds {
  const { id } = run.integration;
  let isPaid: Promise<boolean> | null = null;
  // A CRM that reports removals never changes its IDs, and it reports merges.
  const isList = !connector.capabilities.reportsRemovals && run.only === null;
  return {
    async mustWait() {
      if (!isList) return false;
      isPaid ??= hasPaidContacts(store.reader, id);
      return isPaid;
    },
    async follow() {
      if (!isList || run.readAll == null) return;
      const found = await findContinuations(store.reader, id);
      for (const batch of inBatches(found)) {
        await store.checkpoint(run.lease, (trx) => continueContacts(trx, run.id, batch));
      }
      if (found.length > 0) log.info({ run: run.id, contacts: found.length }, 'new ids');
    },
  };
}
