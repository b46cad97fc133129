/**
 * Reads all data about a contact for a user who may see names. Combines the database, the stored profile and the CRM,
 * which contains the names. Spends and writes nothing. While the CRM is unavailable, returns only a part of the data.
 */

import type { RecordLookup } from '../../../connectors/contract.ts';
import { findConnectorDefinition } from '../../../connectors/index.ts';
import { type ContactRecord, findContacts } from '../../contacts/contacts.ts';
import { countNamesakes } from '../../contacts/namesakes.ts';
import type { CrmField } from '../../core/crm-field.ts';
import { isConfigurationError, isDonorSyncError, messageOf } from '../../core/errors.ts';
import type { FieldMapping } from '../../core/field-map.ts';
import type { Integration } from '../../core/integration-settings.ts';
import { outcomeText } from '../../core/outcome.ts';
import { unknownContact } from '../../core/shared-errors.ts';
import { findRunOfSubmission } from '../../credits/statements/jobs.ts';
import { contactName } from '../../decisions/contact-name.ts';
import { listStoredApprovals } from '../../decisions/statements/approvals.ts';
import { reasonName } from '../../decisions/views/decision-queue.ts';
import { type ErasureNote, parseNote } from '../../fields/erasing/erasure-note.ts';
import { exclusionText, type RedeliveryExclusion } from '../../fields/redelivery-view.ts';
import type { KeptOfContact } from '../../fields/statements/kept-profiles.ts';
import type { Match } from '../../partner/results.ts';
import { calledName } from '../../paths/sentence.ts';
import { readAboutContact } from '../../privacy/statements/about.ts';
import { fingerprintContacts, isBlocking, listBlocks } from '../../privacy/statements/blocks.ts';
import { type ForgottenRecord, findErasures } from '../../privacy/statements/erasures.ts';
import type { SyncDeps } from '../../sync/control/context.ts';
import { openCrm } from '../../sync/control/crm-account.ts';
import { lookUp } from '../../sync/control/look-up.ts';
import { fetchResults } from '../../sync/delivery/paid-profiles.ts';
import { findOutside } from '../../sync/guards/filter.ts';
import { findKeptBack } from '../../sync/guards/kept-back.ts';
import {
  findKeptProfile,
  judgeKeptProfile,
  type KeptProfile,
  withoutCrm,
} from '../../sync/redelivery/show-kept.ts';
import type { ActingWorld } from '../kit/operation.ts';
import { listUndos, readHistory } from './history.ts';
import {
  describeIntroductions,
  findIntroductions,
  type KnownIntroduction,
  type MemberRecords,
} from './introductions.ts';
import { describeProfileValues } from './profile-values.ts';
import { toTime } from './to-time.ts';
import { isOfPath, readSentences } from './written-sentence.ts';

export type ContactView = Awaited<ReturnType<typeof readContact>>;

type Reading = Pick<
  ActingWorld,
  'application' | 'reader' | 'fingerprint' | 'sealer' | 'signal' | 'clock'
>;

/** The parts that the erasure of a contact needs. */
type Stored = Pick<Reading, 'reader' | 'fingerprint'>;

/**
 * True if the contact was erased, or a user has confirmed its erasure. Reads only the database and adds no audit entry.
 */
export async function isErasureConfirmed(
  world: Stored,
  client: Integration,
  crmId: string,
): Promise<boolean> {
  if ((await findErased(world, client, crmId)) !== null) return true;
  return isBeingErased(world, client, crmId);
}

/** Reads a contact. Throws a ConfigurationError (unknown) if neither the CRM nor the database contains the contact. */
export async function readContact(world: Reading, client: Integration, crmId: string) {
  const { reader, fingerprint, sealer } = world;
  const { id: integration } = client;
  const blank = { integration, crmId, ...NOTHING };
  const erased = await findErased(world, client, crmId);
  if (erased?.isDone) return { ...blank, state: 'erased' as const, ...erased.about };
  const isErasing = erased !== null || (await isBeingErased(world, client, crmId));
  if (isErasing) return { ...blank, state: 'erasing' as const };
  const contact = (await findContacts(reader, integration, [crmId])).get(crmId);
  const introductions = await findIntroductions(reader, integration, crmId);
  const memberIds = introductions.flatMap(({ contacts }) => contacts);
  const members = await findContacts(reader, integration, memberIds);
  const stored = await findKeptProfile({ reader, fingerprint, sealer }, integration, crmId);
  const live = await readLive(world, client, { crmId, introductions, members, stored });
  requireFound(client, crmId, contact, live);
  const { lookup, isOutside } = live;
  const name = isOutside ? null : contactName(lookup);
  if (contact === undefined) return { ...blank, state: 'new' as const, name };
  const about = await readAboutContact(reader, fingerprint, integration, [crmId]);
  const undos = await listUndos(reader, sealer, about.writes);
  const { holds } = about;
  const history = await readHistory(reader, integration, contact, { holds, undos });
  const open = about.holds.findLast(({ decision }) => decision === null);
  const known = {
    ...blank,
    name,
    history,
    state: contact.state === 'removed' ? ('gone' as const) : ('known' as const),
    problem: live.problem,
    mergedInto: contact.mergedInto,
    paidAt: toTime(contact.askedAt),
    outcome: describeOutcome(contact),
    decision:
      open === undefined
        ? null
        : { id: open.id, name: reasonName(open.kind) ?? open.kind, since: toTime(open.openedAt) },
  };
  const reason = findReason(contact, live);
  if (reason !== null) return { ...known, keptBack: { reason, text: exclusionText(reason) } };
  const { profile: kept } = live;
  const called = lookup?.state === 'found' ? calledName(lookup.contact) : 'this contact';
  const described = describeIntroductions(introductions, called, live.members);
  return {
    ...known,
    namesakes: await countNamesakes(reader, contact),
    networks: about.networks,
    introduces: about.introduces,
    sentence: isOfPath(live.sentence, described[0]) ? live.sentence : null,
    introductions: described,
    profile: kept.kind === 'shown' ? await describeProfile(kept) : null,
    match: live.match,
  };

  async function describeProfile({ profile, kept: { kept: record, job } }: Shown) {
    return {
      donorId: profile.donorId,
      isDeceased: profile.isDeceased,
      probability: profile.probability ?? null,
      paidAt: toTime(record.keptAt),
      run: await findRunOfSubmission(reader, integration, job.submissionId),
      values: describeProfileValues(profile, record.keptAt, { ...live, about, undos }),
    };
  }
}

type Shown = KeptProfile & { kind: 'shown' };

/** The result for a contact whose data a page may not show. */
const NOTHING = {
  state: 'known' as 'known' | 'new' | 'gone' | 'erasing' | 'erased',
  since: null as string | null,
  erasure: null as { cleared: number | null; edited: number; left: number } | null,
  name: null as string | null,
  problem: null as string | null,
  mergedInto: null as string | null,
  paidAt: null as string | null,
  outcome: null as ReturnType<typeof describeOutcome> | null,
  decision: null as { id: string; name: string; since: string | null } | null,
  keptBack: null as { reason: string; text: string } | null,
  profile: null as ShownProfile | null,
  match: null as Match | null,
  namesakes: 0,
  networks: [] as string[],
  introduces: 0,
  sentence: null as string | null,
  introductions: [] as ReturnType<typeof describeIntroductions>,
  history: [] as Awaited<ReturnType<typeof readHistory>>,
};

interface ShownProfile {
  donorId: string;
  isDeceased: boolean;
  probability: number | null;
  paidAt: string | null;
  run: string | null;
  values: ReturnType<typeof describeProfileValues>;
}

/**
 * Returns the erasure of the person, or null if the person was not erased in this CRM account. An erasure that cannot
 * end yet is not done.
 */
async function findErased(
  { reader, fingerprint }: Stored,
  { id, crm }: Integration,
  crmId: string,
): Promise<{ isDone: boolean; about: ReturnType<typeof describeErased> } | null> {
  const definition = await findConnectorDefinition(crm.kind);
  const forms = [crmId, ...(definition.otherForms?.(crmId) ?? [])];
  const fingerprints = fingerprintContacts(fingerprint, forms);
  const blocks = await listBlocks(reader, id, null);
  const block = blocks.find((each) => isBlocking(each) && fingerprints.includes(each.fingerprint));
  if (block === undefined) return null;
  const [record] = await findErasures({ reader, fingerprint }, [id], forms);
  return { isDone: block.state !== 'begun', about: describeErased(block.since, record) };
}

function describeErased(since: number, record: ForgottenRecord | undefined) {
  const note = parseNote(record?.receipt ?? null);
  return {
    since: toTime(record?.erasedAt ?? since),
    erasure: note === null ? null : countInCrm(note),
  };
}

/** Counts the fields of the contact's record. */
function countInCrm({ crm, written }: ErasureNote) {
  if (crm === null) return { cleared: null, edited: 0, left: written.length };
  const { cleared, editedSince, stillPresent, unreadable, hidden } = crm;
  const left = new Set([...stillPresent, ...unreadable, ...hidden]).size;
  return { cleared: cleared.length, edited: editedSince.length, left };
}

/**
 * True if a user has confirmed the erasure and it has not happened yet, for example because a run is in progress. From
 * the confirmation on, nothing about the contact is shown.
 */
async function isBeingErased(
  { reader, fingerprint }: Stored,
  { id }: Integration,
  crmId: string,
): Promise<boolean> {
  const approvals = await listStoredApprovals({ reader, fingerprint });
  return approvals.some(
    ({ request, confirmedBy, integrations, crmId: target }) =>
      request.what === 'forget' &&
      confirmedBy !== null &&
      target === crmId &&
      integrations.includes(id),
  );
}

/** The contact's current data in the CRM. Empty while the CRM is unavailable. */
interface Live {
  /** The contact's record, or undefined if the CRM could not be read. */
  lookup: RecordLookup | undefined;
  /** The reason why the CRM could not be read, in words. */
  problem: string | null;
  isOutside: boolean;
  members: MemberRecords;
  /** The introduction that a run has written to the CRM. */
  sentence: string | null;
  profile: KeptProfile;
  match: Match | null;
  mappings: readonly FieldMapping[];
  fields: readonly CrmField[];
}

interface Wanted {
  crmId: string;
  introductions: readonly KnownIntroduction[];
  members: ReadonlyMap<string, ContactRecord>;
  stored: KeptProfile;
}

async function readLive(world: Reading, client: Integration, wanted: Wanted): Promise<Live> {
  const nothing = {
    lookup: undefined,
    isOutside: false,
    members: { records: wanted.members, lookups: new Map(), outside: new Set<string>() },
    sentence: null,
    profile: withoutCrm(wanted.stored, client),
    match: null,
    mappings: [],
    fields: [],
  };
  try {
    const open = await world.application.open(client, world.signal);
    try {
      const deps = await openCrm(open.deps, null);
      return await readFromCrm(world, { deps, client, mappings: open.mappings }, wanted);
    } finally {
      await open.close();
    }
  } catch (error) {
    const problem = readProblem(error, world.signal);
    // During a short outage, a page can show the stored profile. Wrong settings may refer to another CRM account, so in
    // this case the page does not show it.
    const isPassing = !isConfigurationError(error);
    return { ...nothing, problem, ...(isPassing ? {} : { profile: keptBack(wanted.stored) }) };
  }
}

/** Describes a problem with the CRM. Throws all other errors again. */
function readProblem(error: unknown, signal: AbortSignal): string {
  if (!isDonorSyncError(error) && !signal.aborted) throw error;
  return messageOf(error);
}

/** Withholds a profile that donor-sync could not check. */
function keptBack(profile: KeptProfile): KeptProfile {
  return profile.kind === 'shown' ? { kind: 'kept_back', reason: 'profile_unopened' } : profile;
}

interface OpenedClient {
  deps: SyncDeps;
  client: Integration;
  mappings: readonly FieldMapping[];
}

/** Reads the contact's record first, because its marks can forbid showing the other data. */
async function readFromCrm(
  { clock, signal }: Reading,
  { deps, client, mappings }: OpenedClient,
  { crmId, introductions, members, stored }: Wanted,
): Promise<Live> {
  const others = introductions.flatMap(({ contacts }) => contacts);
  const ids = [...new Set([crmId, ...others])];
  const lookups = await lookUp(deps.connector, ids, []);
  const byId = new Map(lookups.map((lookup) => [lookup.id, lookup]));
  const allOutside: ReadonlySet<string> = new Set(others);
  const lookup = byId.get(crmId);
  const read = {
    lookup,
    problem: null,
    isOutside: false,
    // The page must not name a member before the filter has decided about the member's contacts.
    members: { records: members, lookups: byId, outside: allOutside },
    mappings,
    sentence: null,
    match: null,
    fields: [],
  };
  try {
    const outside = await findOutside(deps, { integration: client }, ids);
    const isOutside = outside.has(crmId);
    read.members = { ...read.members, outside };
    const isJudged = stored.kind === 'shown' && lookup?.state === 'found' && !isOutside;
    if (!isJudged) return { ...read, isOutside, profile: stored };
    const judged = await judgeKeptProfile(deps, { integration: client, mappings }, stored);
    const { profile } = judged;
    if (profile.kind !== 'shown') return { ...read, ...judged };
    const match = await findMatch(deps, profile.kept, { now: clock.now(), signal });
    const sentences = await readSentences(deps, mappings, [crmId]);
    return { ...read, ...judged, match, sentence: sentences.get(crmId) ?? null };
  } catch (error) {
    return { ...read, problem: readProblem(error, signal), profile: keptBack(stored) };
  }
}

/** The time for which the service keeps a job's results. Reading a result again is free. */
const RESULTS_KEPT_MS = 7 * 86_400_000;

/** Returns the service's reasons for choosing this person. Returns null if the service gives no reasons. */
async function findMatch(
  deps: SyncDeps,
  { job: { jobId, submittedAt } }: KeptOfContact,
  { now, signal }: { now: number; signal: AbortSignal },
): Promise<Match | null> {
  if (jobId === null || now - submittedAt > RESULTS_KEPT_MS) return null;
  try {
    const result = (await fetchResults(deps, [{ jobId }], signal)).get(jobId);
    return result?.state === 'completed' ? (result.match ?? null) : null;
  } catch (error) {
    if (!isDonorSyncError(error) && !signal.aborted) throw error;
    return null;
  }
}

function requireFound(
  { id }: Integration,
  crmId: string,
  contact: ContactRecord | undefined,
  { lookup, problem, isOutside }: Live,
): void {
  if (contact !== undefined) return;
  if (problem === null && lookup?.state === 'found' && !isOutside) return;
  const source = problem === null ? 'both' : 'database alone';
  throw unknownContact(id, crmId, { source, refusal: 'unknown' });
}

/** Returns the reason why a page may not show the contact's data, or null if it may. */
function findReason(
  contact: ContactRecord,
  { lookup, isOutside, profile }: Live,
): RedeliveryExclusion | null {
  const reason = findKeptBack(contact, lookup, isOutside);
  if (reason !== null) return reason;
  return profile.kind === 'kept_back' ? profile.reason : null;
}

function describeOutcome({ outcomeReason, outcomeDetail, outcomeAt, outcomeRun }: ContactRecord) {
  return {
    reason: outcomeReason,
    text: outcomeText(outcomeReason),
    detail: outcomeDetail,
    at: toTime(outcomeAt),
    run: outcomeRun,
  };
}
