/**
 * Guards against paying for many changed contacts by mistake. If many contacts change together, the cause is usually an
 * address tool, a merge of columns or a CRM migration, and not many new facts. If the share of changed contacts is too
 * large, no credits are spent on them until a user has decided. The decision is made after all contacts have been read.
 * Until then, changed contacts wait. New contacts are submitted as usual.
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
 * Changes within this time are counted together across all runs. Many small runs are therefore treated like one large
 * run.
 */
export const CHANGE_WINDOW_MS = 7 * DAY_MS;

/** The number of an integration's changed contacts, and the number of all its contacts. */
export interface IdentityChanges {
  /** Contacts that were chosen because their identity changed and that are not submitted yet. */
  due: number;
  /**
   * The number of contacts that were submitted for that reason within the window, excluding contacts that a user
   * approved.
   */
  submitted: number;
  /** Contacts held for a decision. */
  held: number;
  /**
   * Contacts that were ever submitted to the service and still exist. Refused contacts are included, because their
   * changes count too.
   */
  known: number;
}

/** True if so many contacts have changed that a user has to decide first. A pure function. */
export function isMassChange(
  { due, submitted, held, known }: IdentityChanges,
  { share, atLeast }: Guards['massChange'],
): boolean {
  const changed = due + submitted + held;
  return changed >= atLeast && changed > share * known;
}

/**
 * If too many contacts are due because of a changed identity, holds all of them. They share one batch, and contacts
 * that change later join it while it is open.
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

/** True if this many changed contacts would be held. Changes nothing. */
export async function wouldBeMassChange(
  { store, clock }: Pick<SyncDeps, 'store' | 'clock'>,
  { integration: { id, guards } }: Pick<Run, 'integration'>,
  due: number,
): Promise<boolean> {
  const changes = await countChanges(store.reader, id, clock.now() - CHANGE_WINDOW_MS, 0);
  return changes !== null && isMassChange({ ...changes, due }, guards.massChange);
}
