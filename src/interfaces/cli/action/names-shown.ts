import type { Application } from '../../../application.ts';
import { noteEntries } from '../../../privacy/audit/record.ts';

/** What a command shows of people: how many of them, of which integration, contact or run. */
export interface NamesShown {
  /** The command, as it is typed. */
  command: string;
  names: number;
  integrationId?: string | null;
  crmId?: string;
  run?: string;
}

/**
 * Puts on record that a command shows names, before it does; who sees them, the store knows. Every command that prints a
 * name comes through here. Where there is none to show, there is nothing to put on record.
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
