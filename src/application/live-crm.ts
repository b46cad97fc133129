/** What is asked of a CRM while a person waits for the answer. */
import type { Application, OpenIntegration } from '../application.ts';
import type { Integration } from '../core/integration.ts';
import type { PersonDetails } from '../core/person.ts';
import { mappingOf } from '../run/mapping.ts';
import { requireSameAccount } from '../sync/crm-account.ts';
import { samplePersons } from '../sync/sample-persons.ts';

export interface LiveDeps {
  application: Pick<Application, 'open' | 'store'>;
  /** Aborted when the person has waited long enough. */
  signal: AbortSignal;
}

/** A few persons as they would be sent to the service now. They are kept nowhere. */
export function showPersons(deps: LiveDeps, integration: Integration): Promise<PersonDetails[]> {
  return withPrepared(deps, integration, (open) => samplePersons(open.deps, integration.id));
}

/**
 * Notes that a person accepts the match rate of the mapping that is in use now, whatever it is. The CRM
 * is asked which one that is: its data model is a part of it. Until the mapping changes, no run stops
 * for a low rate; one that has stopped for it goes on when it is started again.
 */
export async function acceptMatchRate(deps: LiveDeps, integration: Integration): Promise<void> {
  const mapping = await withPrepared(deps, integration, async (open) =>
    mappingOf(open.deps, integration),
  );
  await deps.application.store.mappings.acceptByPerson(integration.id, mapping);
}

async function withPrepared<Result>(
  { application, signal }: LiveDeps,
  integration: Integration,
  work: (open: OpenIntegration) => Promise<Result>,
): Promise<Result> {
  const open = await application.open(integration, signal);
  try {
    // Ids of another account would be other people.
    await requireSameAccount(application.store, integration, await open.connector.prepare());
    return await work(open);
  } finally {
    await open.close();
  }
}
