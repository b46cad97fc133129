import type { Application } from '../application.ts';
import { isConfigurationError } from '../core/errors.ts';
import {
  type ForeignTextRecord,
  listForeignTexts,
  WHOLE_RUN,
} from '../database/encryption/foreign-texts.ts';
import { foreignTextSealContext } from '../database/encryption/seal-contexts.ts';

/** What a CRM said of a contact or of a whole run, opened for a person who decides. */
export interface CrmMessage {
  /** The contact's id in the CRM; null for what is about the whole run. */
  contact: string | null;
  /** Null if the key that sealed it is not here any more. */
  text: string | null;
}

/**
 * The texts that are kept of a run. They may quote names and figures: they are for a terminal or a
 * page of a user who decides, and for no log, document or message.
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
