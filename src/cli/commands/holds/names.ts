import { contactName, nameText } from '../../../application/contact-name.ts';
import type { Application } from '../../../application.ts';
import { messageOf } from '../../../core/errors.ts';
import { inParallel } from '../../../core/parallel.ts';
import type { Profile } from '../../../core/profile.ts';
import type { JobResult } from '../../../partner/results.ts';
import type { SyncDeps } from '../../../run/context.ts';
import { openCrm } from '../../../run/crm-account.ts';
import { lookUp } from '../../../run/look-up.ts';
import type { HoldRecord } from '../../../store/holds/holds.ts';
import { fetchResults } from '../../../sync/deliver.ts';
import { withIntegration } from '../../action/product.ts';

/**
 * The names behind the holds that have a profile, by hold id: asked of the CRM and the service at
 * this moment, for nothing, since the store holds none. What cannot be had is said in `problem`.
 */
export async function findNames(
  application: Application,
  holds: readonly HoldRecord[],
): Promise<Map<string, HoldNames>> {
  const withProfile = holds.filter(({ kind }) => WITH_PROFILE.has(kind));
  const byIntegration = Map.groupBy(withProfile, (hold) => hold.integrationId);
  const named = await inParallel([...byIntegration], INTEGRATIONS_AT_ONCE, ([id, rows]) =>
    namesOf(application, id, rows).catch((error: unknown) =>
      rows.map(
        (row): Named => [row.id, { contact: null, profile: null, problem: messageOf(error) }],
      ),
    ),
  );
  return new Map(named.flat());
}

/** Each is a CRM to sign in to. */
const INTEGRATIONS_AT_ONCE = 4;

/** Kinds of holds behind which there is a profile. */
const WITH_PROFILE: ReadonlySet<HoldRecord['kind']> = new Set([
  'name_mismatch',
  'match_unsure',
  'profile_deceased',
]);

type Named = [string, HoldNames];

async function namesOf(
  application: Application,
  integrationId: string,
  rows: readonly HoldRecord[],
): Promise<Named[]> {
  const [integration] = application.select([integrationId]);
  if (!integration) return [];
  return withIntegration(application, integration, async (open) => {
    return namesIn(await openCrm(open.deps, null), rows);
  });
}

/** The CRM and the service are asked at the same time, each for all. */
async function namesIn(deps: SyncDeps, rows: readonly HoldRecord[]): Promise<Named[]> {
  const contactIds = [...new Set(rows.map((row) => row.crmId))];
  const jobIds = await deps.store.jobs.findJobIds(rows.map((row) => row.trackingId));
  const jobs = [...jobIds.values()].map((jobId) => ({ jobId }));
  const [found, results] = await Promise.all([
    lookUp(deps.connector, contactIds),
    fetchResults(deps, jobs),
  ]);
  const lookups = new Map(found.map((lookup) => [lookup.id, lookup]));
  return rows.map((row): Named => {
    const contact = contactName(lookups.get(row.crmId));
    const profile = profileName(results.get(jobIds.get(row.trackingId) ?? ''));
    const missing = [
      ...(contact === null ? ['the contact is no longer in the CRM'] : []),
      ...(profile === null ? ['the service no longer has the profile'] : []),
    ];
    return [row.id, { contact, profile, problem: missing.join('; ') || null }];
  });
}

function profileName(result: JobResult | undefined): string | null {
  if (result?.state !== 'completed') return null;
  const { first, middle, last }: Profile['name'] = result.profile.name;
  return nameText([first, middle, last]);
}

/** The names that differ, as CRM and service have them now. */
export interface HoldNames {
  contact: string | null;
  profile: string | null;
  /** Why a name is missing here. */
  problem: string | null;
}
