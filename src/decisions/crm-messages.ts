import type { Application } from '../application.ts';
import { isConfigurationError } from '../core/errors.ts';
import {
  type ForeignTextRecord,
  listForeignTexts,
  WHOLE_RUN,
} from '../database/encryption/foreign-texts.ts';
import { foreignTextSealContext } from '../database/encryption/seal-contexts.ts';

/** A decrypted message from a CRM, about a contact or a whole run. */
export interface CrmMessage {
  /** The contact's ID in the CRM, or null for a message about the whole run. */
  contact: string | null;
  /** The message, or null if its key is no longer available. */
  text: string | null;
}

/**
 * Returns a run's stored messages. They may quote names and amounts, so show them only in a terminal or on a decider's
 * page, and never in a log, document or notification.
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
