import type { ForeignText } from '../../core/foreign-text.ts';
import type { SealedWords } from '../../database/encryption/foreign-texts.ts';
import { foreignTextSealContext } from '../../database/encryption/seal-contexts.ts';
import type { Run, SyncDeps } from './context.ts';

/**
 * Encrypts a CRM's message about a contact, for storage in the contact's row. For a message about the whole run, use
 * `WHOLE_RUN` in place of the contact.
 */
export function sealWords(
  { sealer, newId }: Pick<SyncDeps, 'sealer' | 'newId'>,
  run: Pick<Run, 'id' | 'integration'>,
  crmId: string,
  words: ForeignText | null | undefined,
): SealedWords | null {
  if (!words) return null;
  const id = newId();
  const place = foreignTextSealContext({
    id,
    integrationId: run.integration.id,
    runId: run.id,
    crmId,
  });
  return { id, crmId, sealed: sealer.seal(words.reveal(), place) };
}
