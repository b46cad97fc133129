/**
 * Guards against paying for many changed contacts by mistake. If many contacts change together, the cause is usually an
 * address tool, a merge of columns or a CRM migration. If too many contacts have changed, donor-sync spends no credits
 * on them until a user has decided. The guard decides after the run has read all contacts. Until then, changed contacts
 * wait. New contacts are submitted as usual.
 */
import {
  countChanges,
  countDueChanges,
  holdChanges,
} from '../../contacts/many-at-once/mass-changes.ts';
import type { Guards } from '../../core/integration-settings.ts';
import type { Run, SyncDeps } from '../control/context.ts';

const DAY_MS = 86_400_000;

/**
 * Changes within this time are counted together, across all runs. Many small runs are therefore treated like one large
 * run.
 */
export const CHANGE_WINDOW_MS = 7 * DAY_MS;

/** The number of an integration's changed contacts, and the number of all its contacts. */
export interface IdentityChanges {
  /** The number of contacts that are due because their identity changed, and that are not submitted yet. */
  due: number;
  /**
   * The number of contacts that runs submitted because of a changed identity within the window. Excludes contacts that
   * a user approved.
   */
  submitted: number;
  /** The number of contacts that wait for a user's decision. */
  held: number;
  /**
   * The number of existing contacts that were ever submitted to the service. Includes refused contacts, because their
   * changes count too.
   */
  known: number;
}

/** True if a user has to decide first, because too many contacts have changed. A pure function. */
export function isMassChange(
  { due, submitted, held, known }: IdentityChanges,
  { share, atLeast }: Guards['massChange'],
): boolean {
  const changed = due + submitted + held;
  return changed >= atLeast && changed > share * known;
}

/**
 * If too many contacts are due because of a changed identity, holds all of them for a decision. The contacts form one
 * batch. While the batch is open, contacts that change later are added to it.
 */
export async function holdMassChange(
  { store, clock, log, newId }: Pick<SyncDeps, 'store' | 'clock' | 'log' | 'newId'>,
  run: Run,
): Promise<void> {
  const { id, guards } = run.integration;
  if ((await countDueChanges(store.reader, id)) === 0) return;
  const since = clock.now() - CHANGE_WINDOW_MS;
  const changes = await countChanges(store.reader, id, since, guards.massChange.atLeast);
  if (changes === null || !isMassChange(changes, guards.massChange)) return;
  const held = await holdChanges(store, run.lease, run.id, newId);
  log.warn({ run: run.id, ...changes, held }, 'many identities changed at once: a user decides');
  run.control.notify();
}

/** True if a run would hold this many changed contacts for a decision. Changes nothing. */
export async function wouldBeMassChange(
  { store, clock }: Pick<SyncDeps, 'store' | 'clock'>,
  { integration: { id, guards } }: Pick<Run, 'integration'>,
  due: number,
): Promise<boolean> {
  const changes = await countChanges(store.reader, id, clock.now() - CHANGE_WINDOW_MS, 0);
  return changes !== null && isMassChange({ ...changes, due }, guards.massChange);
}
