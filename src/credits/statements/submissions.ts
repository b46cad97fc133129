/**
 * Finds open submissions. `intents.ts`, `answers.ts` and `lost-answers.ts` record the start and the end of submissions.
 */

import {
  findOpenSubmissions,
  OPEN_STATES,
  type SubmissionRow,
} from '../../contacts/open-submissions.ts';
import { type FromRow, fromRows, maybeFromRow } from '../../database/from-row.ts';
import type { Reader } from '../../database/reader.ts';
import { inFilledBatches } from '../../database/rows.ts';

export type SubmissionRecord = FromRow<SubmissionRow>;

export function listOpenSubmissions(
  reader: Reader,
  partnerKey: string,
): Promise<SubmissionRecord[]> {
  return findOpenSubmissions(reader, partnerKey).then(fromRows);
}

/** Returns the first open submission of a key. */
export function findOpenSubmission(
  reader: Reader,
  partnerKey: string,
): Promise<SubmissionRecord | undefined> {
  return findOpenSubmissions(reader, partnerKey).then(([first]) => maybeFromRow(first));
}

/** Returns open submissions of service keys that the integration no longer uses. */
export async function listOpenOfFormerKeys(
  reader: Reader,
  integrationId: string,
  partnerKey: string,
): Promise<SubmissionRecord[]> {
  const rows = await reader
    .selectFrom('submissions')
    .selectAll()
    .where('integration_id', '=', integrationId)
    .where('partner_key', '<>', partnerKey)
    .where('state', 'in', OPEN_STATES)
    .orderBy('id')
    .execute();
  return fromRows(rows);
}

export async function findUnknownSubmissions(
  reader: Reader,
  ids: readonly string[],
): Promise<Set<string>> {
  const unknown = new Set(ids);
  for (const batch of inFilledBatches(ids)) {
    const rows = await reader
      .selectFrom('submissions')
      .select('id')
      .where('id', 'in', batch)
      .execute();
    for (const { id } of rows) unknown.delete(id);
  }
  return unknown;
}
