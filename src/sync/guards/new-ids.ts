/**
 * Recognises new contacts that are missing contacts with a different ID. A list can change its contacts' IDs, for
 * example if a spreadsheet drops leading zeros or if the list comes from a different CRM. The new contacts get the
 * profiles of the missing contacts, and cost no credit.
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
   * Returns true while contacts must not be submitted, because they could be missing contacts with a different ID. This
   * can be decided only after the whole list has been read.
   */
  mustWait(): Promise<boolean>;
  /**
   * Passes the missing contacts' profiles on to the same people's new contacts. Call it after all contacts have been
   * read. Does nothing if an earlier call has done this.
   */
  follow(): Promise<void>;
}

export function createNewIds({ store, connector, log }: NewIdsDeps, run: Run): NewIds {
  const { id } = run.integration;
  let isPaid: Promise<boolean> | null = null;
  let isOver = false;
  // A CRM that reports removals never changes its IDs. It also reports merges.
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
