/** Reads the introductions that runs have written to the CRM. An introduction says how a member knows a contact. */

import { isDonorSyncError } from '../../core/errors.ts';
import type { FieldMapping } from '../../core/field-map.ts';
import type { SyncDeps } from '../../sync/control/context.ts';
import { lookUp } from '../../sync/control/look-up.ts';
import type { Introduction } from './introductions.ts';

/**
 * Returns the sentence of each contact that has one. Returns no sentences if the field map does not contain them or if
 * their field cannot be read.
 */
export async function readSentences(
  { connector }: Pick<SyncDeps, 'connector'>,
  mappings: readonly FieldMapping[],
  crmIds: readonly string[],
): Promise<Map<string, string>> {
  const field = mappings.find(({ from }) => from === 'warmPath.sentence')?.to;
  if (field === undefined || crmIds.length === 0) return new Map();
  try {
    const sentences = new Map<string, string>();
    for (const lookup of await lookUp(connector, crmIds, [field])) {
      const value = lookup.state === 'found' ? lookup.values[field] : null;
      if (typeof value === 'string' && value !== '') sentences.set(lookup.id, value);
    }
    return sentences;
  } catch (error) {
    if (!isDonorSyncError(error)) throw error;
    return new Map();
  }
}

/**
 * True if the sentence names the current best introducer. The sentence in the CRM may be about an older path, whose
 * member may no longer want to be named.
 */
export function isOfPath(
  sentence: string | null,
  best: Pick<Introduction, 'name'> | undefined,
): boolean {
  const name = best?.name ?? null;
  // The CRM may not contain a middle name.
  const words = name?.split(/\s+/) ?? [];
  return sentence !== null && words.length > 0 && words.every((word) => sentence.includes(word));
}
