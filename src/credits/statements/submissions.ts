/** Submissions that are open; how one begins and ends: `intents.ts`, `answers.ts`, `lost-answers.ts`. */

import { findOpenSubmissions, type SubmissionRow } from '../../contacts/open-submissions.ts';
import { type FromRow, fromRows, maybeFromRow } from '../../database/from-row.ts';
import type { Reader } from '../../database/reader.ts';

export type SubmissionRecord = FromRow<SubmissionRow>;

/** The submissions of a key that are open. */
export function listOpenSubmissions(
  reader: Reader,
  partnerKey: string,
): Promise<SubmissionRecord[]> {
  return findOpenSubmissions(reader, partnerKey).then(fromRows);
}

/** The first of them. */
export function findOpenSubmission(
  reader: Reader,
  partnerKey: string,
): Promise<SubmissionRecord | undefined> {
  return findOpenSubmissions(reader, partnerKey).then(([first]) => maybeFromRow(first));
}
