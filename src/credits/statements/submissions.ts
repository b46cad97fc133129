/**
 * Open submissions; `intents.ts`, `answers.ts` and `lost-answers.ts` define how one starts and
 * ends.
 */

import { findOpenSubmissions, type SubmissionRow } from '../../contacts/open-submissions.ts';
import { type FromRow, fromRows, maybeFromRow } from '../../database/from-row.ts';
import type { Reader } from '../../database/reader.ts';

export type SubmissionRecord = FromRow<SubmissionRow>;

/** The open submissions of a key. */
export function listOpenSubmissions(
  reader: Reader,
  partnerKey: string,
): Promise<SubmissionRecord[]> {
  return findOpenSubmissions(reader, partnerKey).then(fromRows);
}

/** The first open submission of a key. */
export function findOpenSubmission(
  reader: Reader,
  partnerKey: string,
): Promise<SubmissionRecord | undefined> {
  return findOpenSubmissions(reader, partnerKey).then(([first]) => maybeFromRow(first));
}
