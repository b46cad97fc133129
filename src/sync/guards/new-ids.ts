/**
 * Recognises contacts that continue missing ones under a new ID. A list can change its contacts' IDs, for example if a
 * spreadsheet drops leading zeros or if the list comes from another CRM. The new contacts get the profiles of the
 * missing ones, and cost no credit.
 */
import {
  continueContacts,
  findContinuations,
  hasPaidContacts,
} from '../../contacts/many-at-once/new-ids.ts';
import { inBatches } from '../../database/rows.ts';
import type { Run, SyncDeps } from '../control/context.ts';

type NewIdsDeps = Pick<SyncDeps, 'store' | 'connector' | 'log'>;

/** Finds new contacts that continue missing ones. */
export interface NewIds {
  /**
   * Returns true while contacts must not be submitted because they may continue missing ones. This is known only once
   * the whole list is read.
   */
  mustWait(): Promise<boolean>;
  /** Gives new contacts the profiles of the missing ones that they continue. Called after all contacts are read. */
  follow(): Promise<void>;
}

export function createNewIds({ store, connector, log }: NewIdsDeps, run: Run): NewIds {
  const { id } = run.integration;
  let isPaid: Promise<boolean> | null = null;
  // A CRM that reports removals never changes its IDs. It also reports merges.
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
