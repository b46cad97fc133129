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
 * Records in the audit that a command shows names. The database contains the user who sees them. Every command that
 * prints names calls this function first. Records nothing if there are no names.
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
