/**
 * Users' actions in the product itself: deciding about holds, erasing contacts, undoing runs, and syncing single
 * contacts.
 */

import type { Application } from '../../../src/application.ts';
import type { Integration } from '../../../src/core/integration-settings.ts';
import { silentLog } from '../../../src/core/log.ts';
import { newId } from '../../../src/core/new-id.ts';
import { DECIDED, type DecisionWord } from '../../../src/core/questions/decisions.ts';
import { decideBatch, decideQuestion } from '../../../src/decisions/decide.ts';
import type { Question } from '../../../src/decisions/statements/questions.ts';
import { decisionsFor, listCountedQuestions } from '../../../src/decisions/views/question.ts';
import { undoRun } from '../../../src/fields/undo.ts';
import { forgetPerson } from '../../../src/privacy/forget/forget.ts';
import { openCrm } from '../../../src/sync/control/crm-account.ts';
import { withLease } from '../../../src/sync/control/with-lease.ts';
import { listRunRecords } from '../../../src/sync/statements/runs.ts';
import type { SimulatedCrm } from '../crm/crm.ts';
import { type Record_, versionOf } from '../crm/record.ts';
import type { Answers } from '../judges/answers.ts';
import type { Life } from '../processes/process.ts';
import type { Random } from '../random.ts';
import type { Desk } from '../swarm/swarm.ts';

/** A user's request to the product. */
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
  answers: Answers;
  say(who: string, what: string): void;
  /** Called when a user decides about the changes of many contacts. */
  onChangesDecided(crm: SimulatedCrm): void;
}

/** Returns the requests that a user makes in one session. */
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

/** Returns an ID in a different form, because people and programs type IDs in any form. */
function typedForm(id: string, random: Random): string {
  return random.pick([
    id,
    id,
    id.toUpperCase(),
    ` ${id} `,
    `${id.slice(0, 2).toUpperCase()}${id.slice(2)}`,
  ]);
}

/** Carries out a request. Returns false if the request has to be repeated. */
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
  const open = await listCountedQuestions(store.reader, integration.id);
  for (const hold of open) {
    if (random.chance(0.3)) continue;
    const word = random.one(decisionsFor(hold));
    if (word === undefined) continue;
    const record = hold.about === 'contact' ? crm.records.get(hold.crmId) : undefined;
    work.say(`process ${work.life.name}`, `decides: ${word} (${hold.kind}, ${record?.id ?? ''})`);
    // The user has given the answer, whether or not the commit's response arrives. The answer is therefore recorded
    // before it is stored.
    const batch = hold.about === 'contact' ? hold.batch : null;
    const saying = { crm, word, kind: hold.kind, ...work };
    if (record !== undefined) noteSaid(saying, record);
    if (hold.kind === 'identity_mass_change') work.onChangesDecided(crm);
    const isWhole = batch != null && word !== 'resubmit' && random.chance(0.5);
    for (const each of open) {
      if (each.about !== 'contact' || batch == null) continue;
      const changed = crm.records.get(each.crmId);
      const isMeant = each === hold || (isWhole && each.batch === batch);
      if (changed !== undefined && isMeant) noteChangeSaid(saying, changed);
    }
    work.answers.give({
      ...{ what: 'decide', decision: DECIDED[word], questions: new Set([hold.id]) },
      batches: new Set(isWhole ? [batch] : []),
    });
    if (isWhole) {
      const together = open.filter((each) => each.about === 'contact' && each.batch === batch);
      const until = Math.max(...together.map(({ openedAt }) => openedAt));
      const kind = 'identity_mass_change';
      await decideBatch(store.act, { id: batch, integrationId: integration.id, kind, until }, word);
    } else if (await decideQuestion(store, hold, word)) {
      if (record === undefined || hold.kind !== 'forgotten_person') continue;
      if (word === 'reject') record.confirmedErasedAt ??= work.now();
      // An earlier confirmation is no longer valid.
      else record.isConfirmedErased = false;
    }
  }
  return true;
}

/** A user's answer to a question about a contact. The checks of the contact use the answer. */
export interface Saying {
  crm: SimulatedCrm;
  word: DecisionWord;
  kind: Question['kind'];
  now(): number;
}

export function noteSaid(saying: Saying, record: Record_): void {
  noteAbout(saying, record);
  // A user may answer about a row that has a new ID in the list. No run has read the new ID yet.
  const next = saying.crm.heirOf(record.id);
  const isNext = next !== null && next !== record && next.formerRows.includes(record);
  if (isNext && saying.kind !== 'forgotten_person') noteAbout(saying, next);
}

function noteAbout({ word, kind, now }: Saying, record: Record_): void {
  if (word === 'reject') record.isRejected = true;
  if (word === 'resubmit') record.resubmittedAt = now();
  const isAboutPerson = kind === 'new_person_unknown';
  const keepsFormer = kind === 'values_of_two_people' || kind === 'donor_mass_change';
  if (word === 'approve' && !isAboutPerson && !keepsFormer) record.isApproved = true;
  if (isAboutPerson && word === 'approve') record.isSamePerson = true;
  if (keepsFormer && word === 'reject') record.isSamePerson = true;
  if (word === 'approve' && kind === 'forgotten_person') record.distinguishedAt = now();
  if (word === 'reject' && kind === 'forgotten_person') {
    record.isConfirmedErased = true;
    record.wasCalledErased = true;
  }
  // If it cannot be proved that nothing was charged, the details may not have been paid for.
  if (word === 'reject' && kind === 'lost_answer') record.rejectedLoss = versionOf(record.details);
}

/** Records a user's answer about a contact whose details changed together with the details of many contacts. */
export function noteChangeSaid({ word, now }: Saying, changed: Record_): void {
  if (word === 'reject') {
    changed.isRejected = true;
    for (const { version } of changed.readAs) changed.rejectedChanges.add(version);
  } else changed.resubmittedAt = now();
}

async function undo({
  application,
  integration,
  life,
  random,
  say,
  answers,
}: DeskWork): Promise<true> {
  const runs = await listRunRecords(application.store.reader, {
    integrationId: integration.id,
    limit: 5,
  });
  const run = random.one(runs);
  if (run === undefined) return true;
  say(`process ${life.name}`, `takes back what a run wrote into ${integration.id}`);
  answers.give({ what: 'undo', run: run.id });
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
  work: DeskWork,
  { record, typed, alsoInCrm }: Extract<Errand, { kind: 'forget' }>,
): Promise<boolean> {
  const { application, integration, life } = work;
  return eraseContact(work, { record, alsoInCrm }, async () => {
    const crmId = await application.contactId(integration, typed);
    work.say(
      `process ${life.name}`,
      `forgets contact ${record.id}${alsoInCrm ? ', in the CRM as well' : ''}`,
    );
    const { clock } = life;
    const receipt = await forgetPerson(
      { application, clock, log: silentLog, newId: () => newId(clock.now()) },
      { integration, crmId, alsoInCrm, everywhere: false, blockUnknown: false },
    );
    return receipt.complete;
  });
}

/**
 * Erases a contact, and records everything that the judge has to know about it. Returns false if it has to be requested
 * again.
 */
export async function eraseContact(
  { now, say }: Pick<DeskWork, 'now' | 'say'>,
  { record, alsoInCrm }: { record: Record_; alsoInCrm: boolean },
  erase: () => Promise<boolean>,
): Promise<boolean> {
  const beganAt = now();
  // donor-sync cannot clear a record that it cannot see. The receipt says so.
  const wasOutOfReach = record.gone !== null || record.isVanished;
  const { mayBeForgotten } = record;
  // The process can be killed after everything except the report is done.
  record.mayBeForgotten ||= !alsoInCrm;
  record.erasureBegunAt ??= beganAt;
  if (!(await erase())) return false;
  say(`contact ${record.id}`, 'is forgotten');
  // A deleted record's values cannot be cleared, even if the record is restored before the erasure has ended. Values of
  // a contact that was erased before are not known as ours.
  const wasAway = wasOutOfReach || record.gone !== null || (record.leftAt ?? 0) >= beganAt;
  record.isErasedInCrm ||= alsoInCrm && !wasAway && record.forgottenAt === null && !mayBeForgotten;
  record.forgottenAt = now();
  return true;
}
