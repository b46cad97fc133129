import type { Application } from '../../../application.ts';
import { noteEntries } from '../../../privacy/audit/record.ts';

/** The names that a command shows: how many, and of which integration, contact or run. */
export interface NamesShown {
  /** The command as typed. */
  command: string;
  names: number;
  integrationId?: string | null;
  crmId?: string;
  run?: string;
}

/**
 * Records that a command is about to show names. The store knows who sees them. Every command that prints a name calls
 * this. If there are no names to show, nothing is recorded.
 */
export async function recordNamesShown(
  { store }: Pick<Application, 'store'>,
  { command, names, integrationId = null, crmId, run }: NamesShown,
): Promise<void> {
  if (names === 0) return;
  const details = { command, names, ...(run === undefined ? {} : { run }) };
  await noteEntries(store.act, [
    { action: 'names.shown', integrationId, crmId: crmId ?? null, details },
  ]);
}
