/** Simulates the operator, who restores a backup, approves new spending, and erases a client. */
import { confirmRestore } from '../../../src/backup/restores.ts';
import type { Backup } from '../database/contents.ts';
import { fateOf } from '../faults/fates.ts';
import { checkLeft, leave } from '../people/leaving.ts';
import { putBack } from '../people/restoring.ts';
import { NO_FAULTS, type Swarm } from '../swarm/swarm.ts';
import { HOUR_MS } from '../timeline.ts';
import type { Processes } from './processes.ts';
import type { Syncing } from './syncing.ts';
import type { Night } from './world.ts';

export interface DatedBackup {
  rows: Backup;
  at: number;
}

export interface Operator {
  /** Restores a backup by copying only the rows. */
  restore(backup: DatedBackup): void;
  /** Restores a backup with the product's own command. The product spends nothing before a user agrees. */
  restoreWell(backup: DatedBackup): Promise<void>;
  /** Approves the spending, as a user does who has seen the preview of a sync. */
  agree(): Promise<void>;
  /** Erases the first client. Repeats an interrupted request. */
  leaveFirst(): Promise<void>;
}

/** Allows only kills at points where a process writes data. */
const LEAVING = (swarm: Swarm): Swarm => ({
  ...swarm,
  faults: { ...NO_FAULTS, kill: 0.7 },
  struckAt: ['begin', 'commit', 'committed', 'update integrations', 'delete from contacts done'],
});

export function createOperator(
  night: Night,
  { atWork, cutJournal, putJournalBack }: Processes,
  { syncOnce }: Syncing,
): Operator {
  const { swarm, timeline, store, oracle, hosts, settings, answers, violations, people } = night;
  const { fates, say, violate } = night;
  const toAgree = new Set<string>();
  return { restore, restoreWell, agree, leaveFirst };

  function restore(backup: DatedBackup): void {
    store.restore(backup.rows);
    oracle.onRestored(backup.at, false);
    answers.onRestored(backup.at, false);
    night.reached.add('event: an older backup is restored');
    say('an operator', `puts the backup of ${new Date(backup.at).toISOString()} back`);
  }

  async function restoreWell(backup: DatedBackup): Promise<void> {
    const { journal, since } = swarm.restored;
    if (journal === 'cut') cutJournal();
    if (journal === 'old') putJournalBack(backup.at);
    if (since !== 'nothing') people.spendSince(since);
    for (let tries = 0; tries < 3; tries += 1) {
      await store.mirror();
      // No other process is running, because the command locks the file.
      const isDone = await putBack({ store, backup, atWork });
      say('an operator', `puts back a backup: ${isDone ? 'it holds' : 'the old database stays'}`);
      if (!isDone) continue;
      oracle.onRestored(backup.at, true);
      answers.onRestored(backup.at, true);
      night.heldSince = timeline.now();
      night.reached.add('event: an older backup is restored');
      for (const { id } of settings.integrations) toAgree.add(id);
      noteRestored();
      if (swarm.restored.agreed === 'at once') await agree();
      return;
    }
  }

  /** Records the combination of circumstances. */
  function noteRestored(): void {
    const { journal, since, agreed } = swarm.restored;
    if (agreed === null) return;
    const hosts = swarm.hosts > 1 ? 'several hosts' : 'one host';
    for (const event of [
      `the journal is ${journal}`,
      `${since} since`,
      `agreed ${agreed}`,
      hosts,
    ]) {
      night.reached.add(`restore: ${event}`);
    }
  }

  async function agree(): Promise<void> {
    // The user has agreed, whether or not the commit's response arrives.
    night.heldSince = null;
    for (const id of toAgree) {
      for (let tries = 0; tries < 5 && toAgree.has(id); tries += 1) {
        const agreed = await atWork(({ store }) => store.act((trx) => confirmRestore(trx, id)));
        if (agreed !== null) toAgree.delete(id);
        else await timeline.pass(HOUR_MS);
      }
    }
  }

  async function leaveFirst(): Promise<void> {
    const [host] = hosts;
    const [integration] = settings.integrations;
    if (host === undefined || integration === undefined) return;
    const { id } = integration;
    say('an operator', `has integration ${id} erased`);
    let isGone = false;
    for (let tries = 0; tries < 5 && !isGone; tries += 1) {
      await timeline.pass(HOUR_MS);
      const fate = tries < 4 ? fateOf(LEAVING(swarm), fates) : undefined;
      const done = await atWork((application, life) => leave(application, life, id), fate);
      isGone = done ?? false;
    }
    if (!isGone) violate('no stuck state', `the integration ${id} cannot be erased`);
    await store.mirror();
    if (violations.length === 0) checkLeft(night, id, false);
    const paid = oracle.payments.length;
    await timeline.pass(HOUR_MS);
    await syncOnce(host, integration, true);
    await store.mirror();
    if (oracle.payments.length > paid) violate('forgotten', `${id} has left, and pays again`);
    if (violations.length === 0) checkLeft(night, id, true);
  }
}
