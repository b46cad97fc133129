/** Sends requests to a CRM while a user waits for the response. */

import type { Application } from '../application.ts';
import type { Integration } from '../core/integration-settings.ts';
import type { PersonDetails } from '../core/person.ts';
import { acceptMappingByPerson } from '../credits/statements/mappings.ts';
import type { SyncDeps } from '../sync/control/context.ts';
import { openCrm } from '../sync/control/crm-account.ts';
import { fingerprintMapping } from '../sync/control/mapping.ts';
import { samplePersons } from '../sync/sample-persons.ts';

export interface LiveDeps {
  application: Pick<Application, 'open' | 'store'>;
  /** The signal that is aborted when the user has waited long enough. */
  signal: AbortSignal;
}

/** Returns a few people as donor-sync would send them to the service now. The values are not stored. */
export function showPersons(deps: LiveDeps, integration: Integration): Promise<PersonDetails[]> {
  return withCrm(deps, integration, (crm) => samplePersons(crm, integration.id));
}

/**
 * Accepts the match rate of the current mapping. The mapping depends on the CRM's data model, so this sends a request
 * to the CRM. Until the mapping changes, no run stops because of a low match rate. A stopped run continues with the
 * next run.
 */
export async function acceptMatchRate(deps: LiveDeps, integration: Integration): Promise<void> {
  const mapping = await withCrm(deps, integration, async (crm) =>
    fingerprintMapping(crm, integration),
  );
  await deps.application.store.act((trx) => acceptMappingByPerson(trx, integration.id, mapping));
}

export async function withCrm<Result>(
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
