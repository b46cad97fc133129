/** What people do at the product itself: decide holds, forget contacts, take runs back, sync single contacts. */

import type { Application } from '../../src/application.ts';
import type { Integration } from '../../src/core/integration.ts';
import { silentLog } from '../../src/core/log.ts';
import { newId } from '../../src/core/new-id.ts';
import { decideBatch, decideHold } from '../../src/decisions/decide-holds.ts';
import { decisionsFor, listOpenHolds } from '../../src/decisions/views/hold.ts';
import { undoRun } from '../../src/fields/undo.ts';
import { forgetPerson } from '../../src/privacy/forget/forget.ts';
import { openCrm } from '../../src/sync/control/crm-account.ts';
import { withLease } from '../../src/sync/control/with-lease.ts';
import { type Record_, type SimulatedCrm, versionOf } from './crm.ts';
import type { Life } from './process.ts';
import type { Random } from './random.ts';
import type { Desk } from './swarm.ts';

/** One thing that a person asks of the product. */
export type Errand =
  | { kind: 'decide' }
  | { kind: 'undo' }
  | { kind: 'only'; record: Record_; typed: string }
  | { kind: 'forget'; record: Record_; typed: string; alsoInCrm: boolean };

export interface DeskWork {
  application: Application;
  integration: Integration;
  life: Life;
  crm: SimulatedCrm;
  random: Random;
  now(): number;
  say(who: string, what: string): void;
  /** A person decides about the changes of many. */
  onChangesDecided(crm: SimulatedCrm): void;
}

/** What a person goes to the product for in one session. */
export function errandsOf(desk: Desk, crm: SimulatedCrm, random: Random): Errand[] {
  const records = [...crm.records.values()].filter(
    ({ gone, forgottenAt }) => forgottenAt === null && (gone === null || random.chance(0.3)),
  );
  const errands: Errand[] = [];
  const record = random.one(records);
  const typed = record === undefined ? '' : typedForm(record.id, random);
  const isInCrm = random.chance(0.7);
  if (random.chance(desk.decide)) errands.push({ kind: 'decide' });
  if (random.chance(desk.undo)) errands.push({ kind: 'undo' });
  if (record === undefined) return errands;
  if (random.chance(desk.only)) errands.push({ kind: 'only', record, typed });
  if (random.chance(desk.forget)) {
    errands.push({ kind: 'forget', record, typed, alsoInCrm: isInCrm });
  }
  return errands;
}

/** People and programs write ids as they like. */
function typedForm(id: string, random: Random): string {
  return random.pick([
    id,
    id,
    id.toUpperCase(),
    ` ${id} `,
    `${id.slice(0, 2).toUpperCase()}${id.slice(2)}`,
  ]);
}

/** False if it has to be asked for again. */
export async function runErrand(work: DeskWork, errand: Exclude<Errand, { kind: 'only' }>) {
  switch (errand.kind) {
    case 'decide':
      return decide(work);
    case 'undo':
      return undo(work);
    case 'forget':
      return forget(work, errand);
  }
}

async function decide({ application, integration, crm, random, ...work }: DeskWork): Promise<true> {
  const { store } = application;
  const open = await listOpenHolds(store, integration.id);
  for (const hold of open) {
    if (random.chance(0.3)) continue;
    const word = random.one(decisionsFor(hold));
    if (word === undefined) continue;
    const record = hold.about === 'contact' ? crm.records.get(hold.row.crmId) : undefined;
    work.say(
      `process ${work.life.name}`,
      `decides: ${word} (${hold.row.kind}, ${record?.id ?? ''})`,
    );
    // Before it is on record: whether a commit is heard of or not, the person has said it.
    if (record !== undefined && word === 'reject') record.isRejected = true;
    if (record !== undefined && word === 'resubmit') record.resubmittedAt = work.now();
    const isAboutPerson = hold.row.kind === 'new_person_unknown';
    const keepsFormer =
      hold.row.kind === 'values_of_two_people' || hold.row.kind === 'donor_mass_change';
    if (record !== undefined && word === 'approve' && !isAboutPerson && !keepsFormer) {
      record.isApproved = true;
    }
    if (record !== undefined && isAboutPerson && word === 'approve') record.isSamePerson = true;
    if (record !== undefined && keepsFormer && word === 'reject') record.isSamePerson = true;
    if (record !== undefined && word === 'approve' && hold.row.kind === 'forgotten_person') {
      record.distinguishedAt = work.now();
    }
    if (hold.row.kind === 'identity_mass_change') work.onChangesDecided(crm);
    if (record !== undefined && word === 'reject' && hold.row.kind === 'forgotten_person') {
      record.isConfirmedErased = true;
      record.wasCalledErased = true;
    }
    // Where it cannot be proved that nothing was charged, the details may not have been paid for after all.
    if (record !== undefined && word === 'reject' && hold.row.kind === 'lost_answer') {
      record.rejectedLoss = versionOf(record.details);
    }
    const batch = hold.about === 'contact' ? hold.row.batch : null;
    const isWhole = batch != null && word !== 'resubmit' && random.chance(0.5);
    for (const each of open) {
      if (each.about !== 'contact' || batch == null) continue;
      const changed = crm.records.get(each.row.crmId);
      const isMeant = each === hold || (isWhole && each.row.batch === batch);
      if (changed === undefined || !isMeant) continue;
      if (word === 'reject') {
        changed.isRejected = true;
        for (const { version } of changed.readAs) changed.rejectedChanges.add(version);
      } else changed.resubmittedAt = work.now();
    }
    if (isWhole) {
      await decideBatch(
        store,
        { id: batch, integrationId: integration.id, kind: 'identity_mass_change' },
        word,
      );
    } else if (await decideHold(store, hold, word)) {
      if (record === undefined || hold.row.kind !== 'forgotten_person') continue;
      if (word === 'reject') record.confirmedErasedAt ??= work.now();
      // A confirmation before it has not come to its end.
      else record.isConfirmedErased = false;
    }
  }
  return true;
}

async function undo({ application, integration, life, random, say }: DeskWork): Promise<true> {
  const runs = await application.store.runs.list({ integrationId: integration.id, limit: 5 });
  const run = random.one(runs);
  if (run === undefined) return true;
  say(`process ${life.name}`, `takes back what a run wrote into ${integration.id}`);
  const open = await application.open(integration, life.stopping.signal);
  try {
    await withLease(open.deps, integration.id, async (lease) =>
      undoRun(await openCrm(open.deps, lease), lease, run.id),
    );
  } finally {
    await open.close();
  }
  return true;
}

async function forget(
  { application, integration, life, now, say }: DeskWork,
  { record, typed, alsoInCrm }: Extract<Errand, { kind: 'forget' }>,
): Promise<boolean> {
  const beganAt = now();
  // A record that donor-sync cannot see cannot be cleared, and the receipt says so.
  const wasOutOfReach = record.gone !== null || record.isVanished;
  const { mayBeForgotten } = record;
  // Its process may be killed when all is done but the telling.
  record.mayBeForgotten ||= !alsoInCrm;
  record.erasureBegunAt ??= beganAt;
  const crmId = await application.contactId(integration, typed);
  say(
    `process ${life.name}`,
    `forgets contact ${record.id}${alsoInCrm ? ', in the CRM as well' : ''}`,
  );
  const { clock } = life;
  const receipt = await forgetPerson(
    { application, clock, log: silentLog, newId: () => newId(clock.now()) },
    { integration, crmId, alsoInCrm, everywhere: false, blockUnknown: false },
  );
  if (!receipt.complete) return false;
  say(`contact ${record.id}`, 'is forgotten');
  // What a deleted record holds cannot be cleared, also if it is put back before this has come to its end, and
  // who was forgotten before is not known as ours.
  const wasAway = wasOutOfReach || record.gone !== null || (record.leftAt ?? 0) >= beganAt;
  record.isErasedInCrm ||= alsoInCrm && !wasAway && record.forgottenAt === null && !mayBeForgotten;
  record.forgottenAt = now();
  return true;
}
