/** Requests to a CRM while a user waits for the response. */

import type { Application } from '../application.ts';
import type { Integration } from '../core/integration-settings.ts';
import type { PersonDetails } from '../core/person.ts';
import { acceptMappingByPerson } from '../credits/statements/mappings.ts';
import { contactName } from '../decisions/contact-name.ts';
import type { SyncDeps } from '../sync/control/context.ts';
import { openCrm } from '../sync/control/crm-account.ts';
import { lookUp } from '../sync/control/look-up.ts';
import { fingerprintMapping } from '../sync/control/mapping.ts';
import { samplePersons } from '../sync/sample-persons.ts';

export interface LiveDeps {
  application: Pick<Application, 'open' | 'store'>;
  /** Aborted when the user has waited long enough. */
  signal: AbortSignal;
}

/** Returns a few people as they would be sent to the service now. They are not stored. */
export function showPersons(deps: LiveDeps, integration: Integration): Promise<PersonDetails[]> {
  return withCrm(deps, integration, (crm) => samplePersons(crm, integration.id));
}

/**
 * Records that a user accepts the match rate of the current mapping, whatever the rate is. Finding that mapping takes a
 * request to the CRM, because the CRM's data model is part of it. Until the mapping changes, no run stops for a low
 * rate, and a run that has stopped for it continues when it is started again.
 */
export async function acceptMatchRate(deps: LiveDeps, integration: Integration): Promise<void> {
  const mapping = await withCrm(deps, integration, async (crm) =>
    fingerprintMapping(crm, integration),
  );
  await deps.application.store.act((trx) => acceptMappingByPerson(trx, integration.id, mapping));
}

/** Returns the current names of these contacts in the CRM, by ID, without contacts that no longer exist. */
export async function readNames(
  deps: LiveDeps,
  integration: Integration,
  crmIds: readonly string[],
): Promise<Map<string, string>> {
  if (crmIds.length === 0) return new Map();
  const found = await withCrm(deps, integration, (crm) => lookUp(crm.connector, crmIds));
  return new Map(
    found.flatMap((lookup) => {
      const name = contactName(lookup);
      return name === null ? [] : [[lookup.id, name] as const];
    }),
  );
}

/** Reads the CRM's present data about a contact: the name, and the introduction as a run has written it. */
export async function readIntroduction(
  { application, signal }: LiveDeps,
  integration: Integration,
  crmId: string,
): Promise<{ name: string | null; sentence: string | null }> {
  const open = await application.open(integration, signal);
  try {
    const field = open.mappings.find(({ from }) => from === 'warmPath.sentence')?.to;
    const crm = await openCrm(open.deps, null);
    const [found] = await lookUp(crm.connector, [crmId], field === undefined ? [] : [field]);
    const value = found?.state === 'found' && field !== undefined ? found.values[field] : null;
    const sentence = typeof value === 'string' && value !== '' ? value : null;
    return { name: contactName(found), sentence };
  } finally {
    await open.close();
  }
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
