/**
 * A few contacts of a batch as the CRM has them at this moment, for the person who decides. They are
 * asked for when they are shown, and are neither stored nor logged.
 */

import type { RecordLookup } from '../../connectors/contract.ts';
import type { Application } from '../application.ts';
import type { Contact } from '../core/contact.ts';
import { ConfigurationError } from '../core/errors.ts';
import type { ChangedPart } from '../identity/identity-text.ts';
import { contactName } from './contact-name.ts';
import {
  listQuestionsOfBatch,
  parseChangedParts,
  type QuestionBatch,
} from './statements/batches.ts';
import type { ContactQuestion } from './statements/questions.ts';

const MAX_EXAMPLES = 3;

/** One contact of a batch. */
export interface BatchExample {
  /** Its id in the CRM. */
  contact: string;
  /** Its name as it is now; null if it is not in the CRM any more. */
  name: string | null;
  /** What changed, as it is now. */
  now: { part: string; text: string }[];
}

/**
 * Up to three contacts of a batch. Throws a ConfigurationError where the CRM is another account than
 * that of the batch, whose ids would be other people there, and what the connector throws.
 */
export async function readBatchExamples(
  application: Pick<Application, 'store' | 'integrations' | 'open'>,
  batch: QuestionBatch,
  signal: AbortSignal,
): Promise<BatchExample[]> {
  const { store } = application;
  const integration = application.integrations.get(batch.integrationId);
  if (integration === undefined) throw withoutIntegration(batch);
  const holds = await listQuestionsOfBatch(store.reader, batch, MAX_EXAMPLES);
  const { deps, close } = await application.open(integration, signal);
  try {
    const connector = await deps.openConnector(null);
    const ids = holds.map((hold) => hold.crmId);
    const lookups = await connector.readByIds(ids, []);
    return holds.map((hold) =>
      toExample(
        hold,
        lookups.find(({ id }) => id === hold.crmId),
      ),
    );
  } finally {
    await close();
  }
}

function toExample(hold: ContactQuestion, lookup: RecordLookup | undefined): BatchExample {
  const contact = lookup?.state === 'found' ? lookup.contact : null;
  return {
    contact: hold.crmId,
    name: contactName(lookup),
    now: contact === null ? [] : partsNow(parseChangedParts(hold.detail), contact),
  };
}

function partsNow(
  changed: readonly ChangedPart[],
  { addresses, employers }: Contact,
): BatchExample['now'] {
  const isWanted = (part: ChangedPart) => changed.includes(part) || changed.includes('unknown');
  return [
    ...(isWanted('addresses') ? [{ part: 'Address', text: joinTexts(addresses) }] : []),
    ...(isWanted('employers') ? [{ part: 'Employer', text: joinTexts(employers) }] : []),
  ];
}

function joinTexts(values: readonly string[]): string {
  return values.filter(Boolean).join('; ') || '(none)';
}

function withoutIntegration({ integrationId }: QuestionBatch): ConfigurationError {
  return new ConfigurationError(
    `The integration "${integrationId}" is not in the settings any more, so its CRM cannot be asked.`,
    { code: 'integration_unknown', details: { id: integrationId } },
  );
}
