/**
 * Recognises new contacts that are missing contacts with a different ID. A list's IDs can change, for example if a
 * spreadsheet drops leading zeros or if the list comes from a different CRM. The new contacts get the profiles of the
 * missing contacts, and cost no credits.
 */
import {
  continueContacts,
  findContinuations,
  hasPaidContacts,
} from '../../contacts/many-at-once/new-ids.ts';
import { inBatches } from '../../database/rows.ts';
import type { Run, SyncDeps } from '../control/context.ts';

type NewIdsDeps = Pick<SyncDeps, 'store' | 'connector' | 'log'>;

export interface NewIds {
  /**
   * True while the run must not submit new contacts, because they may be missing contacts with a different ID. Only a
   * reading of the whole list shows changed IDs.
   */
  mustWait(): Promise<boolean>;
  /**
   * Passes each missing contact's profile on to the same person's new contact. Call this function after all contacts
   * have been read. Does nothing if called a second time.
   */
  follow(): Promise<void>;
}

export function createNewIds({ store, connector, log }: NewIdsDeps, run: Run): NewIds {
  const { id } = run.integration;
  let isPaid: Promise<boolean> | null = null;
  let isOver = false;
  // If a CRM reports removals, it never changes its IDs. Such a CRM also reports merges.
  const isList = !connector.capabilities.reportsRemovals && run.only === null;
  return {
    async mustWait() {
      if (!isList) return false;
      isPaid ??= hasPaidContacts(store.reader, id);
      return isPaid;
    },
    async follow() {
      if (isOver || !isList || run.readAll == null) return;
      const found = await findContinuations(store.reader, id);
      for (const batch of inBatches(found)) {
        await store.checkpoint(run.lease, (trx) => continueContacts(trx, run.id, batch));
      }
      isOver = true;
      if (found.length > 0) log.info({ run: run.id, contacts: found.length }, 'new ids');
    },
  };
}
