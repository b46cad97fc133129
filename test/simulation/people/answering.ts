/** Users who answer questions on pages, where they can withdraw an answer, and users who need a second user. */

import { z } from 'zod';
import type { Application } from '../../../src/application.ts';
import { isDonorSyncError } from '../../../src/core/errors.ts';
import type { Integration } from '../../../src/core/integration-settings.ts';
import { silentLog } from '../../../src/core/log.ts';
import { DECIDED, type DecisionWord } from '../../../src/core/questions/decisions.ts';
import {
  type Asked,
  approvalOfBatch,
  approvalOfReason,
  askSecondPerson,
  toApprovalRequest,
} from '../../../src/decisions/second-person/ask.ts';
import {
  carryOut,
  confirmApproval,
  refuseApproval,
} from '../../../src/decisions/second-person/confirm.ts';
import type { ApprovalRecord } from '../../../src/decisions/statements/approvals.ts';
import type { Question } from '../../../src/decisions/statements/questions.ts';
import {
  applyDueAnswers,
  giveAnswer,
  withdrawAnswer,
} from '../../../src/decisions/statements/withdrawable-answers.ts';
import { listApprovals } from '../../../src/decisions/views/approval.ts';
import { decisionsFor, listCountedQuestions } from '../../../src/decisions/views/question.ts';
import { addAccessToken } from '../../../src/people/statements/access.ts';
import { listRunRecords } from '../../../src/sync/statements/runs.ts';
import type { SimulatedCrm } from '../crm/crm.ts';
import type { Record_ } from '../crm/record.ts';
import type { Answers, Subject, User, Waiting } from '../judges/answers.ts';
import type { Life } from '../processes/process.ts';
import type { Random } from '../random.ts';
import { eraseContact, noteChangeSaid, noteSaid } from './desk.ts';

export interface AnsweringDeps {
  random: Random;
  answers: Answers;
  /** All users who can submit and confirm requests. Accounts are added during the simulation. */
  users: User[];
  now(): number;
  say(who: string, what: string): void;
  onChangesDecided(crm: SimulatedCrm): void;
  /** Called for an erasure that was confirmed but not completely carried out. */
  onErasureLeft(work: AnswerWork, record: Record_, alsoInCrm: boolean): void;
}

export interface AnswerWork {
  application: Application;
  integration: Integration;
  crm: SimulatedCrm;
  life: Life;
}

export const ANSWER_ERRANDS = [
  ...(['answer', 'ask', 'ask', 'confirm', 'confirm', 'refuse', 'let count', 'account'] as const),
] as const;

/** The maximum number of accounts. */
const MOST_USERS = 8;

const NAMES = ['cal', 'dee', ' Ada', 'BEN'] as const;

/** Returns the users of the machine, who always exist. */
export function firstUsers(): User[] {
  return ['ada', 'ben'].map((name) => ({ kind: 'command', id: name, name, madeAt: null }));
}

/** Performs one user action on the product's questions or on users' answers. */
export async function doAnswer(
  deps: AnsweringDeps,
  work: AnswerWork,
  errand: (typeof ANSWER_ERRANDS)[number],
): Promise<void> {
  const { store } = work.application;
  switch (errand) {
    case 'answer':
      return answerOnPage(deps, work);
    case 'ask':
      return ask(deps, work);
    case 'confirm':
      return confirm(deps, work);
    case 'refuse':
      return refuse(deps, work);
    case 'let count':
      await applyDueAnswers(store);
      return;
    case 'account':
      return createAccount(deps, work);
  }
}

/**
 * Answers a question on a page. The answer takes effect after ten seconds or when a run starts, unless the user
 * withdraws it.
 */
async function answerOnPage(deps: AnsweringDeps, work: AnswerWork): Promise<void> {
  const { random, answers } = deps;
  const { integration, life } = work;
  const { store } = work.application;
  const hold = random.one(await listPlain(work));
  const word = random.one(hold === undefined ? [] : decisionsFor(hold));
  if (hold === undefined || word === undefined) return;
  const batch = batchOf(hold);
  const isWhole = batch !== null && word !== 'resubmit' && random.chance(0.5);
  const subject: Subject = {
    what: 'decide',
    decision: DECIDED[word],
    questions: new Set(isWhole ? [] : [hold.id]),
    batches: new Set(isWhole ? [batch] : []),
  };
  const answer = answers.give(subject);
  await say(deps, work, word, subject, 'answers on a page');
  const id = await store.act((trx) =>
    giveAnswer(trx, {
      ...{ integrationId: integration.id, decision: DECIDED[word], openedUntil: null },
      ...(isWhole
        ? ({ about: 'batch', subject: batch } as const)
        : ({ about: hold.about, subject: hold.id } as const)),
    }),
  );
  if (id === null) return answers.end(answer, 'not taken');
  const how = random.next();
  if (how < 0.4) {
    await life.clock.sleep(random.int(0, 12_000));
    if (!(await withdrawAnswer(store.connection, id))) return;
    answers.end(answer, 'withdrawn');
    deps.say(`process ${life.name}`, 'withdraws it');
  } else if (how < 0.7) {
    await life.clock.sleep(10_000);
    await applyDueAnswers(store);
  }
}

async function ask(deps: AnsweringDeps, work: AnswerWork): Promise<void> {
  const { random, answers, users } = deps;
  const { application, integration, life } = work;
  const by = random.one(users);
  const made = await makeRequest(deps, work);
  if (by === undefined || made === null) return;
  const { asked, subject } = made;
  const answer = answers.ask(subject, by, toText(asked));
  deps.say(`process ${life.name}`, `${by.name} asks for a second person (${asked.request.what})`);
  const approval = await askSecondPerson({ application }, requesterOf(by), asked);
  if (approval === null) return answers.end(answer, 'not taken');
  // An answer about a reason covers all questions that were open when the product checked.
  for (const hold of await listPlain({ application, integration })) {
    if (made.reason !== hold.kind || batchOf(hold) !== null) continue;
    if (subject.what === 'decide') made.questions.add(hold.id);
  }
  answers.heard(answer);
}

interface Made {
  asked: Asked;
  subject: Subject;
  questions: Set<string>;
  reason: string | null;
}

/** Creates a request that may need a second user. Returns null if no request is possible. */
async function makeRequest({ random, now }: AnsweringDeps, work: AnswerWork): Promise<Made | null> {
  const { integration, crm } = work;
  const { store } = work.application;
  const integrationId = integration.id;
  const what = random.pick(['several', 'several', 'batch', 'reason', 'reason', 'undo', 'forget']);
  const nothing = { questions: new Set<string>(), reason: null };
  if (what === 'undo') {
    const run = random.one(await listRunRecords(store.reader, { integrationId, limit: 5 }));
    if (run === undefined) return null;
    const request = { what, run: run.id } as const;
    return { ...nothing, asked: { request, integrationId }, subject: request };
  }
  if (what === 'forget') {
    const record = random.one([...crm.records.values()].filter(mayBeAskedAbout));
    if (record === undefined) return null;
    const request = {
      what,
      alsoInCrm: random.chance(0.7),
      blockUnknown: false,
      everywhere: true,
    } as const;
    const subject = { what, contact: record.id } as const;
    return { ...nothing, asked: { request, integrationId, crmId: record.id }, subject };
  }
  const open = await listPlain(work);
  const one = random.one(open);
  if (one === undefined) return null;
  const word = random.one(decisionsFor(one).filter((each) => each !== 'reject'));
  if (word === undefined) return null;
  const decision = DECIDED[word];
  const batch = batchOf(one);
  if (what === 'batch' && batch !== null && word !== 'resubmit') {
    const request = approvalOfBatch(word, { id: batch, integrationId });
    if (request === null) return null;
    const subject: Subject = {
      what: 'decide',
      decision,
      questions: new Set(),
      batches: new Set([batch]),
    };
    return { ...nothing, asked: { request, integrationId }, subject };
  }
  const isOfReason = what === 'reason' && one.about === 'contact' && batch === null;
  const chosen = open.filter((hold) =>
    isOfReason
      ? hold.kind === one.kind && batchOf(hold) === null
      : decisionsFor(hold).includes(word) && random.chance(0.7),
  );
  const request = isOfReason
    ? approvalOfReason(word, {
        ...{ subject: one.kind, integrationId },
        openedUntil: Math.floor(now()),
      })
    : toApprovalRequest(word, chosen);
  if (request === null || chosen.length === 0) return null;
  const questions = new Set(chosen.map(({ id }) => id));
  const subject: Subject = { what: 'decide', decision, questions, batches: new Set() };
  const reason = isOfReason ? one.kind : null;
  return { questions, reason, asked: { request, integrationId }, subject };
}

async function confirm(deps: AnsweringDeps, work: AnswerWork): Promise<void> {
  const { random, answers, users } = deps;
  const { application, life } = work;
  const approvals = await listOwn(work);
  const approval = random.one(approvals);
  const by = random.one(users);
  if (approval === undefined || by === undefined) return;
  if (approval.confirmedBy === null) {
    const confirmation = answers.confirm(toWaiting(approval), by);
    deps.say(
      `process ${life.name}`,
      `${by.name} confirms what ${approval.by.account.name} asked for`,
    );
    if (confirmation.why === null) await sayAll(deps, work, approval);
    try {
      await confirmApproval({ application }, approval, requesterOf(by));
    } catch (error) {
      if (!isDonorSyncError(error) || !error.code.startsWith('approval_')) throw error;
      return confirmation.refused(error.code);
    }
    confirmation.done();
  }
  await carry(deps, work, approval);
}

/** Returns the requests that wait for a second user or have been confirmed. */
async function listOwn({ application, integration }: AnswerWork): Promise<ApprovalRecord[]> {
  const approvals = await listApprovals(application.store);
  return approvals.filter(({ integrationId }) => integrationId === integration.id);
}

/** Carries out all confirmed requests, as a service does automatically. */
export async function carryOutAll(deps: AnsweringDeps, work: AnswerWork): Promise<void> {
  for (const approval of await listOwn(work)) {
    if (approval.confirmedBy === null) continue;
    await carry(deps, work, approval).catch(ignoreUnknown);
  }
}

function ignoreUnknown(error: unknown): void {
  if (!isDonorSyncError(error) || error.code !== 'contact_unknown') throw error;
}

/** Carries out a request that is not a decision about questions. Any process can do this. */
async function carry(
  deps: AnsweringDeps,
  work: AnswerWork,
  approval: ApprovalRecord,
): Promise<void> {
  const { application, crm, life } = work;
  const { id, request, crmId, integrationId } = approval;
  if (request.what === 'decide' || request.what === 'operation') return;
  if (integrationId !== work.integration.id) return;
  life.isAtDesk = true;
  const { clock, stopping } = life;
  const carried = () => carryOut({ application, clock, log: silentLog }, { id }, stopping.signal);
  if (request.what === 'undo') {
    deps.answers.judge();
    await carried();
    return;
  }
  const record = crm.records.get(crmId ?? '');
  if (record === undefined) return;
  const { alsoInCrm } = request;
  // The request is repeated later, until the product reports that the erasure is complete.
  deps.onErasureLeft(work, record, alsoInCrm);
  await eraseContact(deps, { record, alsoInCrm }, async () => {
    const { forget } = await carried();
    return forget?.complete === true;
  });
}

async function refuse({ random, users, say }: AnsweringDeps, work: AnswerWork): Promise<void> {
  const { application, life } = work;
  const approval = random.one(await listOwn(work));
  const by = random.one(users);
  if (approval === undefined || by === undefined || approval.confirmedBy !== null) return;
  say(`process ${life.name}`, `${by.name} refuses what ${approval.by.account.name} asked for`);
  await refuseApproval({ application }, approval, requesterOf(by)).catch(ignoreGone);
}

function ignoreGone(error: unknown): void {
  if (!isDonorSyncError(error) || error.code !== 'approval_gone') throw error;
}

async function createAccount({ random, users, now }: AnsweringDeps, { application }: AnswerWork) {
  if (users.length >= MOST_USERS) return;
  const name = random.pick(NAMES);
  const madeAt = now();
  // The account may exist even if the response was lost when the database failed.
  const id = `token-${users.length}-${madeAt}`;
  await application.store.act((trx) =>
    addAccessToken(trx, { id, name, role: 'admin', hash: `hash of ${id}` }),
  );
  users.push({ kind: 'token', id, name, madeAt });
}

/**
 * Returns the questions, except questions about erased people. Questions about erased people have a separate judge,
 * which lets an answer take effect immediately.
 */
async function listPlain({
  application: { store },
  integration,
}: Pick<AnswerWork, 'application' | 'integration'>): Promise<Question[]> {
  const open = await listCountedQuestions(store.reader, integration.id);
  return open.filter(({ kind }) => kind !== 'forgotten_person');
}

function batchOf(hold: Question): string | null {
  return hold.about === 'contact' ? hold.batch : null;
}

function mayBeAskedAbout({ forgottenAt, gone }: Record_): boolean {
  return forgottenAt === null && gone === null;
}

function requesterOf({ kind, id, name }: User) {
  return { account: { kind, id, name }, actor: { kind: 'command', name, from: null } } as const;
}

const requestSchema = z.record(z.string(), z.unknown());

function toText({
  request,
  integrationId,
  crmId = null,
}: Omit<Asked, 'crmId'> & { crmId?: string | null }) {
  return JSON.stringify([requestSchema.parse(request), integrationId, crmId], sortKeys);
}

function sortKeys(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

function toWaiting(approval: ApprovalRecord): Waiting {
  const { request, integrationId, crmId, by } = approval;
  if (request.what === 'operation') throw new Error('the users of the simulation ask for none');
  const text = toText({ request, integrationId, crmId });
  return { text, askedBy: by.account.id, what: request.what };
}

/**
 * Tells the judges about the answers before they are recorded. The users have given them, whether or not the commit's
 * response arrives.
 */
async function sayAll(deps: AnsweringDeps, work: AnswerWork, { request }: ApprovalRecord) {
  if (request.what !== 'decide') return;
  for (const { about, subject, decision, integrationId } of request.decisions) {
    if (integrationId !== work.integration.id) continue;
    const word = decision === 'approved' ? 'approve' : 'resubmit';
    const open = await listPlain(work);
    const isMeant = ({ kind }: Question) => about === 'reason' && kind === subject;
    const questions =
      about === 'batch' ? [] : [subject, ...open.filter(isMeant).map(({ id }) => id)];
    const batches = about === 'batch' ? [subject] : [];
    const meant: Subject = {
      what: 'decide',
      decision,
      questions: new Set(questions),
      batches: new Set(batches),
    };
    await say(deps, work, word, meant, 'agrees to');
  }
}

async function say(
  { now, onChangesDecided, ...deps }: AnsweringDeps,
  work: AnswerWork,
  word: DecisionWord,
  { questions, batches }: Extract<Subject, { what: 'decide' }>,
  how: string,
): Promise<void> {
  const { crm, life } = work;
  for (const hold of await listPlain(work)) {
    if (!questions.has(hold.id) && !batches.has(batchOf(hold) ?? '')) continue;
    deps.say(`process ${life.name}`, `${how}: ${word} (${hold.kind}, ${hold.id})`);
    if (hold.kind === 'identity_mass_change') onChangesDecided(crm);
    const record = hold.about === 'contact' ? crm.records.get(hold.crmId) : undefined;
    if (record === undefined) continue;
    const saying = { crm, word, kind: hold.kind, now };
    noteSaid(saying, record);
    if (batchOf(hold) !== null) noteChangeSaid(saying, record);
  }
}
