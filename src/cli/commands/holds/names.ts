import { contactName, nameText } from '../../../application/contact-name.ts';
import type { Application } from '../../../application.ts';
import { messageOf } from '../../../core/errors.ts';
import type { Profile } from '../../../core/profile.ts';
import { type JobResult, MAX_JOBS_PER_RESULTS } from '../../../partner/results.ts';
import type { SyncDeps } from '../../../run/context.ts';
import { openCrm } from '../../../run/crm-account.ts';
import type { HoldRecord } from '../../../store/holds/holds.ts';
import { withIntegration } from '../../action/product.ts';

/**
 * The names behind the holds that have a profile, by hold id: asked of the CRM and the service at
 * this moment, for nothing, since the store holds none. What cannot be had is said in `problem`.
 */
export async function findNames(
  application: Application,
  holds: readonly HoldRecord[],
): Promise<Map<string, HoldNames>> {
  const found = new Map<string, HoldNames>();
  const withProfile = holds.filter(({ kind }) => WITH_PROFILE.has(kind));
  const byIntegration = Map.groupBy(withProfile, (hold) => hold.integrationId);
  for (const [id, rows] of byIntegration) {
    const names = await namesOf(application, id, rows).catch((error: unknown) =>
      rows.map(
        (row): Named => [row.id, { contact: null, profile: null, problem: messageOf(error) }],
      ),
    );
    for (const [hold, pair] of names) found.set(hold, pair);
  }
  return found;
}

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
    const deps = await openCrm(open.deps, null);
    const named: Named[] = [];
    const size = Math.min(deps.connector.capabilities.readBatch, MAX_JOBS_PER_RESULTS);
    for (let start = 0; start < rows.length; start += size) {
      named.push(...(await namesOfFew(deps, rows.slice(start, start + size))));
    }
    return named;
  });
}

async function namesOfFew(
  { store, connector, partner }: SyncDeps,
  rows: readonly HoldRecord[],
): Promise<Named[]> {
  const contactIds = [...new Set(rows.map((row) => row.crmId))];
  const lookups = new Map((await connector.readByIds(contactIds, [])).map((l) => [l.id, l]));
  const jobIds = await store.jobs.findJobIds(rows.map((row) => row.trackingId));
  const results = jobIds.size === 0 ? new Map() : await partner.readResults([...jobIds.values()]);
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
