/**
 * Many contacts that change at once are rarely many new facts: an address tool, a merge of columns,
 * a CRM migration. Above a share of the known contacts, no credit is spent on changed identities
 * before a user has decided. The decision is made once reading has ended. Until then purchases for
 * changed identities wait, and new contacts continue.
 */
import {
  countChanges,
  countDueChanges,
  holdChanges,
} from '../../contacts/many-at-once/mass-changes.ts';
import type { Guards } from '../../core/integration-settings.ts';
import type { Run, SyncDeps } from '../control/context.ts';

const DAY_MS = 86_400_000;

/** Changes of all runs within this time are counted together, so many small runs count as one large run. */
export const CHANGE_WINDOW_MS = 7 * DAY_MS;

/** The number of an integration's contacts that changed, and of all its known contacts. */
export interface IdentityChanges {
  /** Contacts that were chosen because their identity changed, and that are not submitted yet. */
  due: number;
  /** Contacts submitted for that reason within the window, without contacts that a user approved. */
  submitted: number;
  /** Contacts held for a decision. */
  held: number;
  /**
   * Contacts that were submitted to the service, including refused contacts, because their changes count too. Contacts
   * that are gone are left out.
   */
  known: number;
}

/** Pure: returns true if so many changes need a user's decision first. */
export function isMassChange(
  { due, submitted, held, known }: IdentityChanges,
  { share, atLeast }: Guards['massChange'],
): boolean {
  const changed = due + submitted + held;
  return changed >= atLeast && changed > share * known;
}

/**
 * If too many contacts are due for a changed identity, holds all of them. They share a batch. Later contacts
 * join the open batch.
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

/** Returns true if this many contacts due for a changed identity would be held. Changes nothing. */
export async function wouldBeMassChange(
  { store, clock }: Pick<SyncDeps, 'store' | 'clock'>,
  { integration: { id, guards } }: Pick<Run, 'integration'>,
  due: number,
): Promise<boolean> {
  const changes = await countChanges(store.reader, id, clock.now() - CHANGE_WINDOW_MS, 0);
  return changes !== null && isMassChange({ ...changes, due }, guards.massChange);
}
