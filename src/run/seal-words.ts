import type { ForeignText } from '../core/foreign-text.ts';
import type { SealedWords } from '../store/foreign-texts.ts';
import type { SyncDeps } from './context.ts';

/** What a CRM said about a contact (or, as the empty string, a run), as it is kept: sealed. */
export function sealWords(
  { sealer, newId }: Pick<SyncDeps, 'sealer' | 'newId'>,
  crmId: string,
  words: ForeignText | null | undefined,
): SealedWords | null {
  return words ? { id: newId(), crmId, sealed: sealer.seal(words.reveal()) } : null;
}
