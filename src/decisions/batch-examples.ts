/**
 * Reads some of a batch's contacts from the CRM to show them to the deciding user. donor-sync does not store or log
 * these contacts.
 */

import type { RecordLookup } from '../../connectors/contract.ts';
import type { Application } from '../application.ts';
import type { ChangedPart } from '../core/changed-parts.ts';
import type { Contact } from '../core/contact.ts';
import type { ConfigurationError } from '../core/errors.ts';
import { parseChangedParts } from '../core/questions/identity-mass-change.ts';
import { unknownClient } from '../core/shared-errors.ts';
import { contactName } from './contact-name.ts';
import { listQuestionsOfBatch, type QuestionBatch } from './statements/batches.ts';
import type { ContactQuestion } from './statements/questions.ts';

const MAX_EXAMPLES = 3;

export interface BatchExample {
  contact: string;
  /** The contact's name, or null if the contact is no longer in the CRM. */
  name: string | null;
  /** The current values of the contact's changed details. */
  now: { part: string; text: string }[];
}

/**
 * Returns up to three contacts of a batch. Throws a ConfigurationError if the settings name another CRM account,
 * because its contact IDs belong to different people. Also throws the connector's errors.
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
  const next = 'It is no longer in the settings, so its CRM cannot be queried.';
  return unknownClient(integrationId, { next, refusal: 'invalid' });
}
