import type { Application } from '../application.ts';
import { isConfigurationError } from '../core/errors.ts';
import {
  type ForeignTextRecord,
  listForeignTexts,
  WHOLE_RUN,
} from '../database/encryption/foreign-texts.ts';
import { foreignTextSealContext } from '../database/encryption/seal-contexts.ts';

export interface CrmMessage {
  /** The ID of the contact, or null if the message is about the whole run. */
  contact: string | null;
  text: string | null;
}

/**
 * Returns the CRM messages that were stored during a run. CRM messages may quote names and amounts, so show them only
 * in a terminal or on a decider's page.
 */
export async function readCrmMessages(
  { store, sealer }: Pick<Application, 'store' | 'sealer'>,
  runId: string,
  limit?: number,
): Promise<CrmMessage[]> {
  const rows = await listForeignTexts(store.reader, runId, limit);
  return rows.map((row) => ({
    contact: row.crmId === WHOLE_RUN ? null : row.crmId,
    text: openText(sealer, row),
  }));
}

function openText(
  sealer: Pick<Application['sealer'], 'open'>,
  row: ForeignTextRecord,
): string | null {
  try {
    return sealer.open(row.sealed, foreignTextSealContext(row));
  } catch (error) {
    if (isConfigurationError(error)) return null;
    throw error;
  }
}
