/** Records actions that need a second user's confirmation. An action starts only after that user has confirmed it. */

import { createHash } from 'node:crypto';
import { collect } from '../../core/collect.ts';
import { DECIDED, type DecisionWord } from '../../core/questions/decisions.ts';
import { getMostCredits } from '../../core/questions/question-kinds.ts';
import type { Account, SecondPersonRules } from '../../core/second-person.ts';
import type { Sealer } from '../../database/encryption/sealed.ts';
import type { Reader } from '../../database/reader.ts';
import { listWrites } from '../../fields/statements/deliveries.ts';
import { type ForgetPersonDeps, integrationsToForget } from '../../privacy/forget/targets.ts';
import type { Store } from '../../store.ts';
import {
  type ApprovalDecision,
  type ApprovalRecord,
  type NewApproval,
  recordApproval,
  recordWork,
  requestText,
  type WorkRequest,
} from '../statements/approvals.ts';
import {
  listQuestionsOfBatch,
  listQuestionsOfReason,
  type QuestionBatch,
} from '../statements/batches.ts';
import { ERASURE_KIND } from '../statements/erasure-requests.ts';
import { findQuestion, type Question } from '../statements/questions.ts';
import { clientsOfApproval, roleFor } from '../views/approval.ts';
import { type Requester, requireSomeoneElse, withoutAccount } from './second-user.ts';

export interface AskDeps {
  application: Pick<ForgetPersonDeps['application'], 'integrations'> & {
    store: Store;
    settings: { twoPeople?: SecondPersonRules };
    sealer: Pick<Sealer, 'open'>;
  };
}

/** The requested action and its integration. A request to erase a contact also contains the contact's ID. */
export interface Asked {
  request: WorkRequest;
  integrationId: string;
  crmId?: string;
}

/**
 * Records the request for a second user, or returns null if no second user is needed. Throws a ConfigurationError if
 * the requester has no account.
 */
export async function askSecondPerson(
  { application }: AskDeps,
  { account, actor }: Requester,
  asked: Asked,
): Promise<ApprovalRecord | null> {
  const waiting = await findWaiting(application, asked);
  if (waiting === null) return null;
  if (account === null) throw withoutAccount();
  await requireConfirmable(application, account, asked, waiting);
  const { decisions: _, erasures: __, ...known } = waiting.subject;
  const { approval } = await application.store.actingAs(actor).act((trx) =>
    recordApproval(trx, {
      ...known,
      request: asked.request,
      crmId: asked.crmId ?? null,
      by: { actor, account },
    }),
  );
  return approval;
}

/**
 * Returns a warning if another user must confirm the action. Returns an empty string if the action needs no
 * confirmation. Throws a ConfigurationError (conflict) if nobody could confirm the action.
 */
export async function warnOfSecondUser(
  { application }: AskDeps,
  account: Account | null,
  asked: Asked,
): Promise<string> {
  const waiting = await findWaiting(application, asked);
  if (waiting === null) return '';
  if (account !== null) await requireConfirmable(application, account, asked, waiting);
  return ' Another user has to confirm it before anything is done.';
}

/** An action and the setting that requires a second user. */
interface Waiting {
  rule: keyof SecondPersonRules;
  subject: Subject;
}

/** Returns the action with its setting, or null if one user is enough for the action. */
async function findWaiting(
  application: AskDeps['application'],
  asked: Asked,
): Promise<Waiting | null> {
  const { twoPeople } = application.settings;
  if (twoPeople === undefined || !isWatched(twoPeople, asked.request)) return null;
  const subject = await readSubject(application, asked);
  const rule = findRule(twoPeople, asked.request, subject);
  return rule && { rule, subject };
}

/** The rules that refuse a request if nobody could confirm it. A person's erasure request must not wait in vain. */
const REFUSED_WITHOUT_SECOND: readonly (keyof SecondPersonRules)[] = ['forget', 'forgetByCrm'];

async function requireConfirmable(
  { store: { reader }, sealer }: AskDeps['application'],
  account: Account,
  { request }: Pick<Asked, 'request'>,
  { rule, subject: { integrations } }: Waiting,
): Promise<void> {
  if (!REFUSED_WITHOUT_SECOND.includes(rule)) return;
  const needed = {
    role: roleFor({ request }),
    integrations: clientsOfApproval({ request, integrations }),
    setting: `twoPeople.${rule}`,
  };
  await requireSomeoneElse({ reader, sealer, clock: reader.clock }, account, needed);
}

/**
 * Requests work that the service carries out, even after a restart. Work that needs no second user starts immediately.
 * Throws a ConfigurationError if the caller has no account.
 */
export async function askForWork(
  deps: AskDeps,
  requester: Requester,
  asked: Asked,
): Promise<ApprovalRecord> {
  const waiting = await askSecondPerson(deps, requester, asked);
  if (waiting !== null) return waiting;
  const { account, actor } = requester;
  if (account === null) throw withoutAccount();
  const { application } = deps;
  const { decisions: _, erasures: __, ...known } = await readSubject(application, asked);
  const work = {
    ...known,
    request: asked.request,
    crmId: asked.crmId ?? null,
    by: { actor, account },
  };
  const { approval } = await application.store.actingAs(actor).act((trx) => recordWork(trx, work));
  return approval;
}

/** True if a rule applies to this kind of work. If no rule applies, the caller does not have to read the subject. */
function isWatched(rules: SecondPersonRules, { what }: WorkRequest): boolean {
  if (what === 'forget') return rules.forget || rules.forgetEverywhere;
  if (what === 'undo') return rules.undo !== null;
  return rules.forgetByCrm || rules.approvals !== null;
}

/** Returns the rule that requires a second user, or null if no rule does. */
function findRule(
  rules: SecondPersonRules,
  request: WorkRequest,
  { contacts, erasures }: Pick<Subject, 'contacts' | 'erasures'>,
): keyof SecondPersonRules | null {
  if (request.what === 'forget') {
    if (rules.forget) return 'forget';
    return request.everywhere && rules.forgetEverywhere ? 'forgetEverywhere' : null;
  }
  if (request.what === 'undo') return contacts > (rules.undo ?? contacts) ? 'undo' : null;
  if (rules.forgetByCrm && erasures > 0) return 'forgetByCrm';
  return contacts > (rules.approvals ?? contacts) ? 'approvals' : null;
}

/** The contacts, clients and credits that a request affects at this moment. */
interface Subject extends Pick<NewApproval, 'integrations' | 'contacts' | 'credits' | 'digest'> {
  /** The decisions to apply to the questions that exist now. Null if the request does not answer questions. */
  decisions: ApprovalDecision[] | null;
  /** The number of contacts that the decision erases because the CRM requested it. */
  erasures: number;
}

/** Reads the subject of a request. Two equal digests mean that the subject has not changed. */
export async function readSubject(
  application: AskDeps['application'],
  { request, integrationId, crmId = '' }: Asked,
): Promise<Subject> {
  const { store } = application;
  const hash = createHash('sha256').update(`${requestText(request)}\n${integrationId}\n${crmId}`);
  const getDigest = () => store.fingerprint('approval', hash.digest('hex'));
  if (request.what === 'forget') {
    const main = application.integrations.get(integrationId);
    const { everywhere } = request;
    const ids = main
      ? await integrationsToForget({ application }, { integration: main, crmId, everywhere })
      : [integrationId];
    for (const id of ids.toSorted()) hash.update(`\n${id}`);
    const others = ids.filter((id) => id !== integrationId);
    const integrations = [integrationId, ...others];
    const subject = { contacts: 1, credits: 0, digest: getDigest(), decisions: null };
    return { integrations, ...subject, erasures: 0 };
  }
  if (request.what === 'undo') {
    const writes = await listWrites(store.reader, request.run);
    for (const id of writes.map((write) => write.id).sort()) hash.update(`\n${id}`);
    const contacts = new Set(writes.map((write) => write.crmId)).size;
    const integrations = [integrationId];
    const subject = { contacts, credits: 0, digest: getDigest(), decisions: null };
    return { integrations, ...subject, erasures: 0 };
  }
  const held: Held[] = [];
  const decisions: ApprovalDecision[] = [];
  for (const decision of request.decisions) {
    const some = await heldBy(store.reader, decision);
    for (const { id, contacts } of some) hash.update(`\n${id} ${contacts}`);
    held.push(...some);
    const openedUntil = some.reduce((latest, { openedAt }) => Math.max(latest, openedAt), 0);
    decisions.push({ ...decision, openedUntil });
  }
  return {
    integrations: [...new Set([integrationId, ...decisions.map((one) => one.integrationId)])],
    contacts: held.reduce((sum, { contacts }) => sum + contacts, 0),
    credits: held.reduce((sum, { credits }) => sum + credits, 0),
    digest: getDigest(),
    decisions,
    erasures: held.filter(({ isErasure }) => isErasure).length,
  };
}

/** A question that is still open. */
interface Held {
  id: string;
  openedAt: number;
  /** The number of contacts, and the number of credits for approving the question. */
  contacts: number;
  credits: number;
  /** True if the CRM has requested the contact's erasure. */
  isErasure: boolean;
}

/** Returns the open questions in a stable order. */
async function heldBy(
  reader: Reader,
  { about, subject, integrationId, openedUntil, decision }: ApprovalDecision,
): Promise<Held[]> {
  if (about === 'contact' || about === 'network') {
    const question = await findQuestion(reader, subject);
    return question?.about === about && question.decision === null ? [toHeld(question)] : [];
  }
  const found =
    about === 'batch'
      ? await listQuestionsOfBatch(reader, { id: subject, integrationId })
      : await collect(listQuestionsOfReason(reader, integrationId, subject, openedUntil ?? 0));
  return found.map(toHeld);

  function toHeld(question: Question): Held {
    const { id, openedAt, kind, detail } = question;
    if (question.about === 'network') {
      // The detail starts with the number of joining or leaving members.
      const contacts = Number.parseInt(detail ?? '', 10) || 1;
      const credits = kind === 'network_deleted' ? contacts : 0;
      return { id, openedAt, contacts, credits, isErasure: false };
    }
    const credits = getMostCredits(question.kind, decision);
    const isErasure = kind === ERASURE_KIND;
    return { id, openedAt, contacts: 1, credits, isErasure };
  }
}

export function toApprovalRequest(
  word: DecisionWord,
  questions: readonly Question[],
): WorkRequest | null {
  return buildRequest(
    word,
    questions.map(({ about, id: subject, integrationId }) => ({ about, subject, integrationId })),
  );
}

/** Returns the decision about a batch as a request. */
export function approvalOfBatch(
  word: DecisionWord,
  { id: subject, integrationId }: Pick<QuestionBatch, 'id' | 'integrationId'>,
): WorkRequest | null {
  return buildRequest(word, [{ about: 'batch', subject, integrationId }]);
}

/**
 * Returns the decision about a reason as a request. The request covers questions that were opened up to this time
 * (epoch ms).
 */
export function approvalOfReason(
  word: DecisionWord,
  reason: Pick<ApprovalDecision, 'subject' | 'integrationId' | 'openedUntil'>,
): WorkRequest | null {
  return buildRequest(word, [{ about: 'reason', ...reason }]);
}

function buildRequest(
  word: DecisionWord,
  decided: readonly (Omit<ApprovalDecision, 'decision' | 'openedUntil'> &
    Partial<Pick<ApprovalDecision, 'openedUntil'>>)[],
): WorkRequest | null {
  if (word === 'reject') return null;
  const decision = DECIDED[word];
  return {
    what: 'decide',
    decisions: decided.map((one) => ({ openedUntil: null, ...one, decision })),
  };
}
