/** Changes between two sessions, while no process works: lists with new IDs, and replaced service keys. */
import type { Integration } from '../../../src/core/integration-settings.ts';
import type { SimulatedCrm } from '../crm/crm.ts';
import { loseOwner, type Record_, versionOf } from '../crm/record.ts';
import type { Random } from '../random.ts';
import type { Night } from './world.ts';

/** Finds a contact that a run has recorded as gone. */
const SEEN_GONE = "select crm_id from contacts where crm_id = ? and state = 'removed'";

export interface Between {
  change(): void;
}

export function createBetween(night: Night): Between {
  const { swarm, crms, settings, oracle, service, humans, timeline, random, reached, say, store } =
    night;
  const { between } = swarm;
  const lists = random.split('lists');
  const keys = random.split('keys');
  /** The keys that each client had before. */
  const former = new Map<string, string[]>();
  return {
    change() {
      if (swarm.isList) for (const crm of crms.values()) changeList(crm);
      if (between.newKey > 0) changeKeys();
    },
  };

  function changeList(crm: SimulatedCrm): void {
    if (!lists.chance(between.newIds)) return;
    const rows = crm.living().filter(({ isVanished }) => !isVanished);
    const share = lists.chance(between.inPart) ? 0.5 + lists.next() / 2 : 1;
    const keepsValues = lists.chance(between.keepsValues);
    const isBack = lists.chance(between.backIds);
    const renumbered = rows.filter(() => share === 1 || lists.chance(share));
    if (renumbered.length === 0) return;
    say(`the list of ${crm.name}`, `comes with ${renumbered.length} other IDs`);
    reached.add(renumbered.length === rows.length ? 'new IDs: of all' : 'new IDs: of a part');
    for (const record of renumbered) renumber(crm, record, { isBack, keepsValues });
  }

  function renumber(
    crm: SimulatedCrm,
    record: Record_,
    { isBack, keepsValues }: { isBack: boolean; keepsValues: boolean },
  ): void {
    noteRenumbered(record, keepsValues);
    const wasSeenGone = ({ id }: Record_) => store.rows(SEEN_GONE, id).length > 0;
    const back = isBack ? crm.numberBack(record, keepsValues, wasSeenGone) : null;
    if (back !== null) reached.add('new IDs: back to the former ones');
    const next = back ?? crm.renumber(record, keepsValues);
    say(`contact ${record.id}`, `is ${next.id} from now on`);
    if (lists.chance(between.moves)) {
      reached.add('new IDs: of a contact that moved');
      say(`contact ${next.id}`, 'has moved as well');
      crm.change(next, (each) => {
        each.details = { ...each.details, address: humans.address() };
      });
    }
    // The product recognises a row that has returned, and the values that the row had.
    if (back === null && !isSamePerson(record, next)) loseOwner(next);
  }

  /** The details of the last payment are the only proof that the new row is the former contact. */
  function isSamePerson(record: Record_, next: Record_): boolean {
    const rows = [record, ...record.formerRows];
    const last = oracle.payments.findLast((each) => rows.includes(each.record));
    return record.former.length === 0 && last?.version === versionOf(next.details);
  }

  function noteRenumbered(record: Record_, keepsValues: boolean): void {
    const last = oracle.paymentsOf(record).at(-1);
    const { optedOutAt, erasureBegunAt, formerRows } = record;
    if (keepsValues && record.values.size > 0) reached.add('new IDs: with our values');
    if (optedOutAt !== null) reached.add('new IDs: of a contact that opted out');
    if (erasureBegunAt !== null) reached.add('new IDs: of an erased contact');
    if (formerRows.length > 0) reached.add('new IDs: for the second time');
    if (last === undefined) return;
    reached.add('new IDs: of a paid contact');
    if (!last.isAnswered) reached.add('new IDs: after a lost response');
    if (last.job.paidAt > record.deliveredAt)
      reached.add('new IDs: before the profile was written');
    if (last.job.goneAt < timeline.now()) reached.add('new IDs: after the job was gone');
    if (night.heldSince !== null) reached.add('new IDs: after a restore');
  }

  function changeKeys(): void {
    const { integrations } = settings;
    const areShared = swarm.sharedKey && integrations.length > 1;
    // A user who replaces a common key of two clients may forget to change one client.
    if (areShared && keys.chance(0.5)) {
      const [first] = integrations;
      if (first === undefined || !keys.chance(between.newKey)) return;
      const key = anotherKey(first, keys);
      reached.add('new key: of two integrations');
      for (const integration of integrations) replace(integration, key);
      return;
    }
    for (const integration of integrations) {
      if (!keys.chance(between.newKey)) continue;
      if (areShared) reached.add('new key: of one of two integrations with the same key');
      replace(integration, anotherKey(integration, keys));
    }
  }

  function anotherKey({ id, partner: { apiKey } }: Integration, { chance, one }: Random): string {
    const earlier = (former.get(id) ?? []).filter((key) => key !== apiKey);
    const back = chance(between.formerKey) ? one(earlier) : undefined;
    return back ?? service.issueKey(chance(between.sameTeam) ? apiKey : null);
  }

  function replace(integration: Integration, key: string): void {
    const { id, partner } = integration;
    const before = partner.apiKey;
    if (before === key) return;
    const isSeen = service.teamOf(before) === service.teamOf(key);
    const isBack = former.get(id)?.includes(key) === true;
    former.set(id, [...(former.get(id) ?? []), before]);
    const team = isSeen ? 'the same team' : 'another team';
    reached.add(`new key: of ${team}${isBack ? ', which was used before' : ''}`);
    noteReplaced(id, isSeen);
    // Changes the key in the settings file.
    partner.apiKey = key;
    say(`the service key of ${id}`, `is ${key} from now on, of ${team}`);
  }

  function noteReplaced(id: string, isSeen: boolean): void {
    const own = oracle.payments.filter(({ crm }) => crm.name === id);
    const team = isSeen ? 'the same team' : 'another team';
    if (own.some(({ isAnswered }) => !isAnswered)) {
      reached.add(`new key: of ${team} after a lost response`);
    }
    const isWaiting = own.some(
      ({ job, record }) =>
        job.fate === 'completed' && job.goneAt > timeline.now() && job.paidAt > record.deliveredAt,
    );
    if (isWaiting) reached.add(`new key: of ${team} before a profile was written`);
  }
}
