/**
 * Reads one page of the ranking, with names and sentences. donor-sync reads the names and composes the sentences when
 * someone opens the page.
 */
import type { RecordLookup } from '../../../connectors/contract.ts';
import { findContacts } from '../../contacts/contacts.ts';
import { CAPACITY_BANDS, type CapacityBandId } from '../../core/capacity.ts';
import { isDonorSyncError, messageOf } from '../../core/errors.ts';
import type { Integration } from '../../core/integration-settings.ts';
import { contactName } from '../../decisions/contact-name.ts';
import { findContactsByDonor } from '../../networks/statements/network-members.ts';
import type { RankedIntroduction } from '../../paths/rank-introductions.ts';
import { calledName } from '../../paths/sentence.ts';
import { openCrm } from '../../sync/control/crm-account.ts';
import { lookUp } from '../../sync/control/look-up.ts';
import { findOutside } from '../../sync/guards/filter.ts';
import { findKeptBack } from '../../sync/guards/kept-back.ts';
import {
  countIntroductions,
  describeIntroductions,
  type MemberRecords,
} from '../contact/introductions.ts';
import { isOfPath, readSentences } from '../contact/written-sentence.ts';
import type { ActingWorld } from '../kit/operation.ts';
import { getRanking } from './ranking.ts';

export interface IntroductionQuery {
  /** The name of a network, or undefined for all networks. */
  network?: string | undefined;
  /** The donor ID of a member, or undefined for all members. */
  member?: string | undefined;
  /** The smallest giving capacity, or undefined for all contacts. */
  capacity?: CapacityBandId | undefined;
  /** True for only the contacts on the user's own list. */
  mine: boolean;
  from: number;
  limit: number;
}

/** The maximum number of members in the filter. The filter lists the members with the most introductions. */
const MOST_MEMBERS = 40;

export async function readIntroductions(
  world: ActingWorld,
  client: Integration,
  listed: ReadonlySet<string>,
  query: IntroductionQuery,
) {
  const ranking = await getRanking(world, client.id);
  const chosen = choose(ranking, listed, query);
  const page = chosen.slice(query.from, query.from + query.limit);
  const memberIds = mostFrequent(ranking.map(({ introducerId }) => introducerId));
  const donors = [...new Set([...page.map(({ introducerId }) => introducerId), ...memberIds])];
  const contacts = await findContactsByDonor(world.reader, client.id, donors);
  const contactsOf = (donorId: string) => contacts.get(donorId) ?? [];
  const live = await readLive(world, client, {
    ids: page.map(({ crmId }) => crmId),
    others: donors.flatMap(contactsOf),
  });
  const introducers = await countIntroductions(
    world.reader,
    client.id,
    page.map(({ crmId }) => crmId),
  );
  const nameOf = (donorId: string) => {
    const known = { donorId, contacts: contactsOf(donorId), network: '', strength: null };
    return describeIntroductions([known], '', live)[0]?.name ?? null;
  };
  return {
    total: chosen.length,
    hidden: query.mine ? countHidden(ranking, listed, chosen.length) : 0,
    problem: live.problem,
    networks: [...new Set(ranking.map(({ network }) => network))].sort(),
    members: memberIds.map((donorId) => ({ donorId, name: nameOf(donorId) })),
    contacts: page.flatMap((each) => {
      const { crmId, introducerId, network, strength, band } = each;
      if (!live.shown.has(crmId)) return [];
      const lookup = live.lookups.get(crmId);
      const called = lookup?.state === 'found' ? calledName(lookup.contact) : crmId;
      const donorId = introducerId;
      const known = { donorId, contacts: contactsOf(donorId), network, strength };
      const [introduction] = describeIntroductions([known], called, live);
      const reason = live.sentences.get(crmId) ?? null;
      const capacity = band === null ? null : CAPACITY_BANDS[band];
      return {
        crmId,
        name: contactName(lookup),
        capacity: capacity?.id ?? null,
        capacityText: capacity?.name ?? 'Not known',
        strength: Math.round(strength * 100) / 100,
        network,
        member: {
          donorId,
          contact: introduction?.contact ?? null,
          name: introduction?.name ?? null,
        },
        sentence: introduction?.sentence ?? '',
        reason: isOfPath(reason, introduction) ? reason : null,
        others: Math.max(0, (introducers.get(crmId) ?? 1) - 1),
        isListed: listed.has(crmId),
      };
    }),
  };
}

/** Returns the introductions that match the query. A pure function. */
function choose(
  ranking: readonly RankedIntroduction[],
  listed: ReadonlySet<string>,
  { network, member, capacity, mine }: IntroductionQuery,
): readonly RankedIntroduction[] {
  const weakest = CAPACITY_BANDS.findIndex(({ id }) => id === capacity);
  return ranking.filter(
    (each) =>
      (network === undefined || each.network === network) &&
      (member === undefined || each.introducerId === member) &&
      (weakest === -1 || (each.band !== null && each.band <= weakest)) &&
      (!mine || listed.has(each.crmId)),
  );
}

/** Returns the number of contacts on the user's list that the other filters leave out. A pure function. */
function countHidden(
  ranking: readonly RankedIntroduction[],
  listed: ReadonlySet<string>,
  shown: number,
): number {
  return ranking.filter(({ crmId }) => listed.has(crmId)).length - shown;
}

/** Returns the donor IDs, most frequent first. A pure function. */
function mostFrequent(donorIds: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const id of donorIds) counts.set(id, (counts.get(id) ?? 0) + 1);
  return [...counts]
    .sort(([, one], [, other]) => other - one)
    .slice(0, MOST_MEMBERS)
    .map(([id]) => id);
}

interface LiveNames extends MemberRecords {
  /** The contacts that the page may show. */
  shown: ReadonlySet<string>;
  /** The sentences that runs have written to the CRM, by contact. */
  sentences: ReadonlyMap<string, string>;
  problem: string | null;
}

/**
 * Reads current data from the CRM, because marks and names may have changed since the ranking. If the CRM is
 * unavailable, the last run's marks apply, and names are missing.
 */
async function readLive(
  world: ActingWorld,
  client: Integration,
  { ids, others }: { ids: readonly string[]; others: readonly string[] },
): Promise<LiveNames> {
  const records = await findContacts(world.reader, client.id, [...ids, ...others]);
  const { lookups, outside, sentences, problem } = await readFromCrm(world, client, {
    ids,
    others,
  });
  const shown = ids.filter((id) => {
    const record = records.get(id);
    return record !== undefined && findKeptBack(record, lookups.get(id), outside.has(id)) === null;
  });
  return { records, lookups, outside, shown: new Set(shown), sentences, problem };
}

async function readFromCrm(
  { application, signal }: ActingWorld,
  client: Integration,
  { ids, others }: { ids: readonly string[]; others: readonly string[] },
): Promise<{
  lookups: ReadonlyMap<string, RecordLookup>;
  outside: ReadonlySet<string>;
  sentences: ReadonlyMap<string, string>;
  problem: string | null;
}> {
  const nothing = { lookups: new Map(), outside: new Set<string>(), sentences: new Map() };
  if (ids.length + others.length === 0) {
    return { ...nothing, problem: null };
  }
  try {
    const open = await application.open(client, signal);
    try {
      const crm = await openCrm(open.deps, null);
      const all = [...new Set([...ids, ...others])];
      const found = await lookUp(crm.connector, all);
      const outside = await findOutside(crm, { integration: client }, all);
      const sentences = await readSentences(crm, open.mappings, ids);
      return {
        lookups: new Map(found.map((each) => [each.id, each])),
        outside,
        sentences,
        problem: null,
      };
    } finally {
      await open.close();
    }
  } catch (error) {
    if (!isDonorSyncError(error) && !signal.aborted) throw error;
    return { ...nothing, problem: messageOf(error) };
  }
}
