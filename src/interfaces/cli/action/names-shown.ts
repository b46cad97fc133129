import type { Application } from '../../../application.ts';
import { noteEntries } from '../../../privacy/audit/record.ts';

export interface NamesShown {
  command: string;
  names: number;
  integrationId?: string | null;
  crmId?: string;
  run?: string;
}

/**
 * Called before a command shows names. The store knows who sees them. Every command that prints a name calls this.
 * Records nothing if there are no names.
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
