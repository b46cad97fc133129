/**
 * Reads a held contact's person from the CRM and the contact's profile from the service. The store has neither the
 * person nor the profile. Reading them costs nothing, and donor-sync does not store or log them.
 */

import type { RecordLookup } from '../../connectors/contract.ts';
import type { Application } from '../application.ts';
import { messageOf } from '../core/errors.ts';
import { inParallel } from '../core/parallel.ts';
import type { Profile } from '../core/profile.ts';
import { CONTACT_KINDS } from '../core/questions/question-kinds.ts';
import { findJobIds } from '../credits/statements/jobs.ts';
import { decryptProfile } from '../fields/kept-profile.ts';
import { findProfilesOfJobs } from '../fields/statements/kept-profiles.ts';
import type { JobResult, Match } from '../partner/results.ts';
import type { SyncDeps } from '../sync/control/context.ts';
import { openCrm } from '../sync/control/crm-account.ts';
import { lookUp } from '../sync/control/look-up.ts';
import { fetchResults } from '../sync/delivery/paid-profiles.ts';
import type { ContactQuestion } from './statements/questions.ts';

/** A contact with its current data in the CRM. */
export interface ShownContact {
  firstName: string | null;
  lastName: string | null;
  addresses: readonly string[];
  employers: readonly string[];
}

/** The identifying parts of a profile. Users do not see the wealth in a profile, and profiles have no address. */
export type ShownProfile = Pick<
  Profile,
  'name' | 'age' | 'isDeceased' | 'work' | 'education' | 'profileUrl'
>;

export interface HoldEvidence {
  /** The contact, or null if the CRM does not have the contact or cannot be reached. */
  contact: ShownContact | null;
  profile: ShownProfile | null;
  /** How the service found the person, or null if the service did not report this. */
  match: Match | null;
  /** `none`: the question has no profile. `gone`: the service no longer has the profile. */
  result: 'there' | 'gone' | 'none' | 'unknown';
  /** The reasons why data is missing. Each reason starts in lower case and has no full stop. */
  problems: string[];
}

export async function readHoldEvidence(
  application: Pick<Application, 'integrations' | 'open'>,
  holds: readonly ContactQuestion[],
  signal: AbortSignal,
): Promise<Map<string, HoldEvidence>> {
  const byIntegration = Map.groupBy(holds, (hold) => hold.integrationId);
  const found = await inParallel([...byIntegration], INTEGRATIONS_AT_ONCE, ([id, rows]) =>
    readEvidence(application, id, rows, signal).catch((error: unknown) =>
      rows.map((row): Found => [row.id, { ...NOTHING, problems: [messageOf(error)] }]),
    ),
  );
  return new Map(found.flat());
}

type Found = [holdId: string, evidence: HoldEvidence];

const NOTHING: HoldEvidence = {
  contact: null,
  profile: null,
  match: null,
  result: 'unknown',
  problems: [],
};

/**
 * The number of integrations that are read simultaneously. donor-sync may have to sign in to the CRM of each
 * integration.
 */
const INTEGRATIONS_AT_ONCE = 4;

async function readEvidence(
  application: Pick<Application, 'integrations' | 'open'>,
  integrationId: string,
  rows: readonly ContactQuestion[],
  signal: AbortSignal,
): Promise<Found[]> {
  const integration = application.integrations.get(integrationId);
  if (integration === undefined) {
    const problems = [`the integration "${integrationId}" is no longer in the settings`];
    return rows.map((row) => [row.id, { ...NOTHING, problems }]);
  }
  const open = await application.open(integration, signal);
  try {
    return await evidenceIn(await openCrm(open.deps, null), rows, signal);
  } finally {
    await open.close();
  }
}

/** Reads the CRM and the service. If one of the two fails, the result of the other is still used. */
async function evidenceIn(
  deps: SyncDeps,
  rows: readonly ContactQuestion[],
  signal: AbortSignal,
): Promise<Found[]> {
  const withProfile = rows.filter(({ kind }) => CONTACT_KINDS[kind].hasProfile);
  const trackingIds = withProfile.map((row) => row.trackingId);
  const jobIds = await findJobIds(deps.store.reader, trackingIds);
  const jobs = [...jobIds.values()].map((jobId) => ({ jobId }));
  const [found, results] = await Promise.allSettled([
    lookUp(deps.connector, [...new Set(rows.map((row) => row.crmId))]),
    fetchResults(deps, jobs, signal),
  ]);
  const kept = await keptProfiles(deps, rows, trackingIds);
  return rows.map((row): Found => {
    const ours = contactPart(found, row.crmId);
    const theirs = getProfile(row);
    const problems = [...ours.problems, ...theirs.problems];
    return [row.id, { ...NOTHING, ...ours, ...theirs, problems }];
  });

  function getProfile(row: ContactQuestion): Part {
    if (!CONTACT_KINDS[row.kind].hasProfile) return { result: 'none', problems: [] };
    if (hasOptedOut(found, row.crmId)) return { result: 'none', problems: [OPTED_OUT] };
    return profilePart(results, jobIds.get(row.trackingId) ?? '', kept.get(row.trackingId) ?? null);
  }
}

/** Reads kept profiles, because a decision can take longer than the service keeps its results. */
async function keptProfiles(
  deps: SyncDeps,
  rows: readonly ContactQuestion[],
  trackingIds: readonly string[],
): Promise<Map<string, Profile>> {
  const [first] = rows;
  if (first === undefined) return new Map();
  const kept = await findProfilesOfJobs(deps.store.reader, first.integrationId, trackingIds);
  return new Map([...kept].map(([id, record]) => [id, decryptProfile(deps, record)]));
}

/** True if the contact has opted out. Then no evidence is shown, and the next run closes the question. */
function hasOptedOut(found: PromiseSettledResult<RecordLookup[]>, crmId: string): boolean {
  if (found.status === 'rejected') return false;
  const lookup = found.value.find(({ id }) => id === crmId);
  return lookup?.state === 'found' && (lookup.contact.optedOut || lookup.contact.objects === true);
}

const MISSING =
  'the CRM cannot find the contact: it was permanently deleted, or donor-sync can no longer see it';

const OPTED_OUT = 'the contact has opted out: its profile is not shown';

type Part = Partial<HoldEvidence> & Pick<HoldEvidence, 'problems'>;

function contactPart(found: PromiseSettledResult<RecordLookup[]>, crmId: string): Part {
  if (found.status === 'rejected') return { problems: [messageOf(found.reason)] };
  const lookup = found.value.find(({ id }) => id === crmId);
  if (lookup?.state === 'missing') return { problems: [MISSING] };
  if (lookup?.state !== 'found') return { problems: ['the contact is no longer in the CRM'] };
  const { firstName, lastName, addresses, employers } = lookup.contact;
  return { contact: { firstName, lastName, addresses, employers }, problems: [] };
}

function profilePart(
  results: PromiseSettledResult<Map<string, JobResult>>,
  jobId: string,
  kept: Profile | null,
): Part {
  const isAnswered =
    results.status === 'fulfilled' && results.value.get(jobId)?.state === 'completed';
  if (kept !== null && !isAnswered) {
    return { profile: shownProfile(kept), result: 'there', problems: [] };
  }
  if (results.status === 'rejected') return { problems: [messageOf(results.reason)] };
  const result = results.value.get(jobId);
  if (result?.state === 'completed') {
    const profile = shownProfile(result.profile);
    return { profile, match: result.match ?? null, result: 'there', problems: [] };
  }
  if (result?.state === 'unreadable') return { problems: [result.problem] };
  return { result: 'gone', problems: ['the service no longer has the profile'] };
}

function shownProfile({
  name,
  age,
  isDeceased,
  work,
  education,
  profileUrl,
}: Profile): ShownProfile {
  return { name, age, isDeceased, work, education, profileUrl };
}
