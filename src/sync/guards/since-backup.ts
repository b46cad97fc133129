/**
 * Handles a database that was restored from a backup. The database lacks the purchases since the backup, but the
 * spending journal contains them. Contacts in the journal get their profile from the paid job. If any other contact may
 * have been paid for, a user has to decide about it.
 */
import {
  endRecall,
  endRestore,
  findRestoreToSort,
  hasMembersToRecall,
  type RestoreToSort,
} from '../../backup/restores.ts';
import { listDueContactIds, listToReconsider } from '../../contacts/contacts.ts';
import { PRIORITY } from '../../contacts/life/line-events.ts';
import {
  countAwayAsPaid,
  findAsked,
  findBought,
  holdMaybePaid,
  holdUnseen,
  listHeldAndChanged,
} from '../../contacts/many-at-once/paid-since-backup.ts';
import { isConfigurationError } from '../../core/errors.ts';
import {
  countRunningJobs,
  type Progress,
  recordJobProgress,
} from '../../credits/statements/jobs.ts';
import { expectBalance } from '../../credits/statements/journal/recall.ts';
import {
  findOldJobs,
  findShares,
  type SharingContact,
} from '../../credits/statements/paid-jobs.ts';
import {
  endRecalled,
  findRecalled,
  findRecalledPersons,
  type MaybePaid,
  recordLostPersons,
  recordMaybePaid,
} from '../../credits/statements/recalled-payments.ts';
import { detailsOf } from '../../identity/identity-text.ts';
import type { Run, SyncDeps } from '../control/context.ts';
import { askedBefore, decideAgain } from '../plan.ts';
import type { Prepared } from '../prepare-persons.ts';
import { sharingRules } from '../sharing.ts';
import { holdOfFormerKeys } from './former-keys.ts';

/** The number of due contacts that one transaction handles. */
const PORTION = 500;

type GuardDeps = Pick<SyncDeps, 'store' | 'partner' | 'clock' | 'log' | 'newId'>;
type GuardRun = Pick<Run, 'integration' | 'partnerKey'>;

/**
 * True if the journal contains all spending with the key since the backup. The journal must contain a balance from
 * before the backup and entries from after it, and both together must result in the current balance. If someone added
 * credits, or if other tools spent credits, the balance differs. donor-sync then does not know which other entries are
 * missing.
 */
export async function isExplained(
  { store, partner, log }: Pick<SyncDeps, 'store' | 'partner' | 'log'>,
  { partnerKey }: Pick<GuardRun, 'partnerKey'>,
  { isJournaled, madeAt }: RestoreToSort,
): Promise<boolean> {
  if (!isJournaled || madeAt === null) return false;
  try {
    // Other clients with the same key may spend credits at the same time. The second reading includes the charges of
    // other clients.
    const before = expectBalance((await store.spendingJournal.read()).lines, partnerKey, madeAt);
    const { enhancements: balance } = await partner.readCredits();
    const after = expectBalance((await store.spendingJournal.read()).lines, partnerKey, madeAt);
    if (before === null || after === null) return false;
    return balance >= after && balance <= before;
  } catch (error) {
    if (!isConfigurationError(error)) throw error;
    log.warn({ error: error.message }, 'the spending journal cannot be read');
    return false;
  }
}

/** Decides once per run whether the journal explains all spending since the backup. */
export interface SinceBackup {
  /** True while the run must not submit any contact, because it still has to read and check contacts. */
  mustWait(): Promise<boolean>;
  /**
   * Holds the due contacts that the journal does not explain, so that a user decides about them. Called after the run
   * has read all contacts.
   */
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
      const { heldAt } = judged.restore;
      if (!judged.isKnown) {
        const held = await holdUnexplained(deps, run, heldAt);
        await noteHeld(deps, run, heldAt);
        const facts = { run: run.id, held };
        log.warn(facts, 'what was paid for since the backup is not known: a user decides');
        run.control.notify();
      }
      run.sortedRestore = { heldAt, isExplained: judged.isKnown };
      found = Promise.resolve(null);
    },
  };

  async function judge() {
    const restore = await findRestoreToSort(store.reader, run.integration.id);
    // The run spends no credits until a user has agreed. However, `--adopt` may still adopt contacts.
    if (restore === null || !restore.isAgreed) return null;
    return { restore, isKnown: await isExplained(deps, run, restore) };
  }
}

/**
 * Records the result of a poll. After a restore, a job from before the backup may be gone because an earlier run has
 * already delivered it. The service keeps results for only a few days. Therefore, a user decides about the contact, and
 * the next run does not pay again. A user also decides about jobs of a different key, and about the `unwritten` jobs
 * (tracking IDs), whose profiles were read but not written in time.
 */
export async function recordProgress(
  { store, newId, log }: Pick<SyncDeps, 'store' | 'newId' | 'log'>,
  run: Pick<Run, 'id' | 'integration' | 'lease' | 'partnerKey'>,
  progress: Progress,
  unwritten: ReadonlySet<string> = new Set(),
): Promise<void> {
  const restore = await findRestoreToSort(store.reader, run.integration.id);
  const isVanished = new Set(progress.vanished);
  let ofFormerKeys = 0;
  await store.checkpoint(run.lease, async (trx) => {
    const lost = await recordJobProgress(trx, run.id, progress);
    const vanished = lost.filter(({ trackingId }) => isVanished.has(trackingId));
    ofFormerKeys = await holdOfFormerKeys(trx, { newId }, run, vanished);
    const gone = vanished.filter(({ trackingId }) => unwritten.has(trackingId));
    await holdUnseen(trx, { runId: run.id, newId }, 'result_gone', gone);
    if (restore === null) return;
    const before = lost.filter(({ submittedAt }) => submittedAt < restore.heldAt);
    await recordLostPersons(trx, run.integration.id, before);
    const crmIds = before.map(({ crmId }) => crmId);
    await holdMaybePaid(trx, { runId: run.id, newId }, crmIds);
    await countAwayAsPaid(trx, { runId: run.id, newId }, null, before);
  });
  if (ofFormerKeys === 0) return;
  const facts = { run: run.id, jobs: ofFormerKeys };
  log.warn(facts, 'the service key was replaced, and the present key cannot see these jobs');
}

/**
 * Ends the restore in two steps. The first step ends when a run has checked all contacts. The second step ends when a
 * run has compared all networks with their groups. A run has not checked all contacts if it stopped spending earlier or
 * if a user agreed later. A run for single contacts leaves all other contacts to the next complete run. The restore
 * does not end while a job from before it is running, because the service may have lost the job's result.
 */
export async function endSorting(deps: GuardDeps, run: Run): Promise<void> {
  const { store } = deps;
  if (run.only !== null) return;
  await endContacts(deps, run);
  if (!run.mirroredAll || !(await hasMembersToRecall(store.reader, run.integration.id))) return;
  await store.checkpoint(run.lease, endRecall);
}

async function endContacts(deps: GuardDeps, run: Run): Promise<void> {
  const { store } = deps;
  const { sortedRestore: sorted } = run;
  if (sorted === undefined || !run.control.isDone('submit')) return;
  const { heldAt } = sorted;
  const { oldestFreshAt: oldest } = await countRunningJobs(store.reader, run.integration.id, null);
  if (oldest !== null && oldest < heldAt) return;
  if (!sorted.isExplained) await noteDelivered(deps, run, heldAt);
  await store.checkpoint(run.lease, (trx) => endRestore(trx, heldAt));
}

/**
 * Records the contacts that need another credit although the run has checked all due contacts. Their jobs were running
 * when the backup was made, and they have changed since. They may have been paid for with their present details. Once
 * they are due, a user decides about them.
 */
async function noteDelivered(
  { store, clock }: GuardDeps,
  { lease, integration, groupMembers }: Run,
  heldAt: number,
): Promise<void> {
  const rules = { refresh: integration.refresh, now: clock.now(), groupMembers };
  let found: MaybePaid[] = [];
  const record = () => store.checkpoint(lease, (trx) => recordMaybePaid(trx, found, heldAt));
  for await (const contact of listToReconsider(store.reader, integration.id, askedBefore(rules))) {
    const isFromBefore = contact.state === 'settled' && (contact.askedAt ?? 0) < heldAt;
    if (isFromBefore && decideAgain(contact, rules).kind === 'choose') found.push(contact);
    if (found.length < PORTION) continue;
    await record();
    found = [];
  }
  if (found.length > 0) await record();
}

/**
 * Holds the contacts that the journal does not explain. Contacts in the journal remain due, and the run checks them
 * later.
 */
async function holdUnexplained(deps: GuardDeps, run: Run, heldAt: number): Promise<number> {
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
    const bought = await findBought(store.reader, id, ids);
    const unknown = ids.filter((crmId) => !known.has(crmId) && (bought.get(crmId) ?? 0) < heldAt);
    const moved = await store.checkpoint(run.lease, (trx) =>
      holdMaybePaid(trx, { runId: run.id, newId }, unknown),
    );
    return moved.length;
  }
}

/**
 * Records the contacts that wait for another decision and have changed since the backup. They may have been paid for with
 * their present details. Once they are due, a user decides about them.
 */
async function noteHeld({ store }: GuardDeps, run: Run, heldAt: number): Promise<void> {
  for await (const contacts of listHeldAndChanged(store.reader, run.integration.id, heldAt)) {
    await store.checkpoint(run.lease, (trx) => recordMaybePaid(trx, contacts, heldAt));
  }
}

/**
 * Returns the contacts that may be paid for but cannot share a job. The payment may belong to the contact's ID, or to
 * another contact of the same person. The job can no longer be read, was for different details, or was lost by the
 * service after the backup. If a contact waits for a user's decision, contacts with the same details are also returned.
 * An outdated profile is bought again.
 */
export async function findMaybePaid(
  deps: Pick<SyncDeps, 'store' | 'clock'>,
  run: Pick<Run, 'integration'>,
  contacts: readonly SharingContact[],
): Promise<ReadonlySet<string>> {
  const { reader, fingerprint } = deps.store;
  const { id, refresh } = run.integration;
  const crmIds = contacts.map(({ crmId }) => crmId);
  const people = contacts.flatMap(({ person }) => person ?? []);
  const rules = sharingRules(deps, run);
  const recalled = await findRecalled(reader, fingerprint, id, crmIds);
  const persons = await findRecalledPersons(reader, people);
  const restore = await findRestoreToSort(reader, id);
  const old =
    restore === null ? new Map<string, number>() : await findOldJobs(reader, people, rules.since);
  const asked = await findAsked(
    reader,
    id,
    contacts.map(({ identity }) => identity),
  );
  if (recalled.size + persons.size + old.size + asked.size === 0) return new Set();
  const shares = await findShares(reader, fingerprint, id, contacts, rules);
  const oldBefore = askedBefore({ refresh, now: deps.clock.now() });
  const bought = await findBought(reader, id, crmIds);
  const found = contacts.filter(({ crmId, person, identity }) => {
    if (shares.has(crmId)) return false;
    const own = recalled.get(crmId)?.paidAt ?? 0;
    const others = [persons, old].map((paid) => paid.get(person ?? '') ?? 0);
    const alike = (asked.get(detailsOf(identity) ?? '') ?? []).filter(
      (other) => other.crmId !== crmId,
    );
    const paidAt = Math.max(own, ...others, ...alike.map(({ askedAt }) => askedAt));
    return paidAt > 0 && paidAt >= oldBefore && (bought.get(crmId) ?? 0) < paidAt;
  });
  return new Set(found.map(({ crmId }) => crmId));
}

/** Holds the contacts that may have been paid for. Resolves with the contacts that are not held. */
export async function holdUnreadable(
  deps: GuardDeps,
  run: Run,
  prepared: readonly Prepared[],
): Promise<readonly Prepared[]> {
  const { store, newId } = deps;
  const { id } = run.integration;
  const jobs = prepared.map(({ job }) => job);
  const unreadable = await findMaybePaid(deps, run, jobs);
  if (unreadable.size === 0) return prepared;
  const held = await store.checkpoint(run.lease, async (trx) => {
    const moved = await holdMaybePaid(trx, { runId: run.id, newId }, [...unreadable]);
    const fingerprints = moved.map((crmId) => trx.fingerprint('forgotten', crmId));
    await endRecalled(trx, id, fingerprints);
    return moved;
  });
  const isHeld = new Set(held);
  return prepared.filter(({ job }) => !isHeld.has(job.crmId));
}
