/** What is asked of a CRM while a person waits for the answer. */
import type { Application } from '../application.ts';
import type { Integration } from '../core/integration.ts';
import type { PersonDetails } from '../core/person.ts';
import type { SyncDeps } from '../run/context.ts';
import { openCrm } from '../run/crm-account.ts';
import { mappingOf } from '../run/mapping.ts';
import { samplePersons } from '../sync/sample-persons.ts';

export interface LiveDeps {
  application: Pick<Application, 'open' | 'store'>;
  /** Aborted when the person has waited long enough. */
  signal: AbortSignal;
}

/** A few persons as they would be sent to the service now. They are kept nowhere. */
export function showPersons(deps: LiveDeps, integration: Integration): Promise<PersonDetails[]> {
  return withCrm(deps, integration, (crm) => samplePersons(crm, integration.id));
}

/**
 * Notes that a person accepts the match rate of the mapping that is in use now, whatever it is. The CRM
 * is asked which one that is: its data model is a part of it. Until the mapping changes, no run stops
 * for a low rate; one that has stopped for it goes on when it is started again.
 */
export async function acceptMatchRate(deps: LiveDeps, integration: Integration): Promise<void> {
  const mapping = await withCrm(deps, integration, async (crm) => mappingOf(crm, integration));
  await deps.application.store.mappings.acceptByPerson(integration.id, mapping);
}

async function withCrm<Result>(
  { application, signal }: LiveDeps,
  integration: Integration,
  work: (crm: SyncDeps) => Promise<Result>,
): Promise<Result> {
  const open = await application.open(integration, signal);
  try {
    return await work(await openCrm(open.deps, null));
  } finally {
    await open.close();
  }
}
