/**
 * A database that was restored from a backup does not know what was paid for since. The spending
 * journal does: contacts in it get their profile from the job, without a credit. A user decides about
 * all others that may have been paid for.
 */
import { endRestore, findRestoreToSort, type RestoreToSort } from '../../backup/restores.ts';
import { listDueContactIds } from '../../contacts/contacts.ts';
import { PRIORITY } from '../../contacts/life/line-events.ts';
import { holdMaybePaid } from '../../contacts/many-at-once/paid-since-backup.ts';
import { findKeyBalance } from '../../credits/statements/balances.ts';
import { expectBalance } from '../../credits/statements/journal/recall.ts';
import { isReadable, type SharingContact } from '../../credits/statements/paid-jobs.ts';
import { dropRecalled, findRecalled } from '../../credits/statements/recalled-payments.ts';
import type { Run, SyncDeps } from '../control/context.ts';
import { askedBefore } from '../plan.ts';
import type { Prepared } from '../prepare-persons.ts';
import { sharingRules } from '../sharing.ts';

/** Number of due contacts that are sorted in one transaction. */
const PORTION = 500;

type GuardDeps = Pick<SyncDeps, 'store' | 'clock' | 'log' | 'newId'>;
type GuardRun = Pick<Run, 'integration' | 'partnerKey'>;

/**
 * True if the journal knows everything that was spent with the key since the backup: it has a balance
 * from before the backup and lines from after it, and the present balance is the one that it implies.
 * Credits that were added, or spent by other tools, change the balance; then it is not known what else
 * is missing.
 */
export async function isExplained(
  { store }: Pick<SyncDeps, 'store'>,
  { partnerKey }: Pick<GuardRun, 'partnerKey'>,
  { isJournaled, madeAt }: RestoreToSort,
  balance: number | null,
): Promise<boolean> {
  if (!isJournaled || madeAt === null || balance === null) return false;
  const { lines } = await store.spendingJournal.read();
  const expected = expectBalance(lines, partnerKey, madeAt);
  return expected !== null && balance >= expected.atLeast && balance <= expected.atMost;
}

/** Decides once in a run whether everything that was spent since the backup is known. */
export interface SinceBackup {
  /** True while contacts must not be submitted before all of them are read and sorted. */
  mustWait(): Promise<boolean>;
  /** Holds the due contacts that nothing explains; called once reading has ended. */
  sort(): Promise<void>;
}

export function createSinceBackup(deps: GuardDeps, run: Run): SinceBackup {
  const { store, log } = deps;
  let found: Promise<{ restore: RestoreToSort; isKnown: boolean } | null> | null = null;
  const look = () => {
    found ??= judge();
    return found;
  };
  return {
    mustWait: async () => (await look())?.isKnown === false,
    async sort() {
      const judged = await look();
      if (judged === null) return;
      if (!judged.isKnown) {
        const held = await holdUnexplained(deps, run);
        const facts = { run: run.id, held };
        log.warn(facts, 'what was paid for since the backup is not known: a user decides');
        run.control.notify();
      }
      // A run of single contacts leaves the others to the next complete run.
      if (run.only === null) await store.checkpoint(run.lease, endRestore);
      found = Promise.resolve(null);
    },
  };

  async function judge() {
    const { integration, partnerKey } = run;
    const restore = await findRestoreToSort(store.reader, integration.id);
    // Before a user has agreed, nothing is spent, and `--adopt` may still take contacts over.
    if (restore === null || !restore.isAgreed) return null;
    const { balance } = await findKeyBalance(store.reader, partnerKey);
    return { restore, isKnown: await isExplained(deps, run, restore, balance) };
  }
}

/** Which contacts a run would hold because they may be paid for. */
export interface RestoreForecast {
  findWaiting(contacts: readonly SharingContact[]): Promise<ReadonlySet<string>>;
}

/** The same before a run. */
export async function forecastRestore(
  deps: Pick<SyncDeps, 'store' | 'clock' | 'partner'>,
  run: GuardRun,
): Promise<RestoreForecast> {
  const { store, clock, partner } = deps;
  const { id, refresh } = run.integration;
  const restore = await findRestoreToSort(store.reader, id);
  const balance = restore === null ? null : (await partner.readCredits()).enhancements;
  const isKnown = restore === null || (await isExplained(deps, run, restore, balance));
  return {
    async findWaiting(contacts) {
      const rules = sharingRules(deps, run);
      const oldBefore = askedBefore({ refresh, now: clock.now() });
      const ids = contacts.map(({ crmId }) => crmId);
      const recalled = await findRecalled(store.reader, store.fingerprint, id, ids);
      const waiting = contacts.filter(({ crmId, identity }) => {
        const row = recalled.get(crmId);
        if (row === undefined) return !isKnown;
        return !isReadable(row, identity, rules) && row.paidAt >= oldBefore;
      });
      return new Set(waiting.map(({ crmId }) => crmId));
    },
  };
}

/** Contacts in the journal stay due: they are sorted when it is their turn. */
async function holdUnexplained(deps: GuardDeps, run: Run): Promise<number> {
  const { store, newId } = deps;
  const { id } = run.integration;
  const due = { maxPriority: PRIORITY.waitsForAccess, only: run.only };
  let held = 0;
  let portion: string[] = [];
  for await (const crmId of listDueContactIds(store.reader, id, due)) {
    portion.push(crmId);
    if (portion.length < PORTION) continue;
    held += await hold(portion);
    portion = [];
  }
  return held + (await hold(portion));

  async function hold(ids: readonly string[]): Promise<number> {
    const known = await findRecalled(store.reader, store.fingerprint, id, ids);
    const unknown = ids.filter((crmId) => !known.has(crmId));
    const moved = await store.checkpoint(run.lease, (trx) =>
      holdMaybePaid(trx, { runId: run.id, newId }, unknown),
    );
    return moved.length;
  }
}

/**
 * Holds contacts that were paid for since the backup, and whose profile cannot be read any more, or is
 * for other details. Resolves with the others. A profile that would be old by now is bought anew.
 */
export async function holdUnreadable(
  deps: GuardDeps,
  run: Run,
  prepared: readonly Prepared[],
): Promise<readonly Prepared[]> {
  const { store, newId } = deps;
  const { id } = run.integration;
  const crmIds = prepared.map(({ job }) => job.crmId);
  const recalled = await findRecalled(store.reader, store.fingerprint, id, crmIds);
  if (recalled.size === 0) return prepared;
  const rules = sharingRules(deps, run);
  const oldBefore = askedBefore({ refresh: run.integration.refresh, now: deps.clock.now() });
  const old: string[] = [];
  const unreadable: string[] = [];
  for (const { job } of prepared) {
    const row = recalled.get(job.crmId);
    if (row === undefined || isReadable(row, job.identity, rules)) continue;
    (row.paidAt < oldBefore ? old : unreadable).push(job.crmId);
  }
  if (old.length + unreadable.length === 0) return prepared;
  await store.checkpoint(run.lease, async (trx) => {
    await holdMaybePaid(trx, { runId: run.id, newId }, unreadable);
    const contacts = [...old, ...unreadable].map((crmId) => trx.fingerprint('forgotten', crmId));
    await dropRecalled(trx, id, contacts);
  });
  const isHeld = new Set(unreadable);
  return prepared.filter(({ job }) => !isHeld.has(job.crmId));
}
