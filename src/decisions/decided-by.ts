import type { Actor } from '../core/actor.ts';
import { ConfigurationError, messageOf } from '../core/errors.ts';
import { formatTimestamp } from '../core/quantities.ts';
import { type AuditSource, listAuditEntries } from '../privacy/audit/read-audit.ts';
import type { AuditAction } from '../privacy/audit/record.ts';
import { actorText } from '../privacy/audit-view.ts';
import type { Question } from './statements/questions.ts';
import { type AnswerSubject, findGivenAnswer } from './statements/withdrawable-answers.ts';

/** The maximum time between a decision and its audit entry. The transaction of the audit entry may have to wait. */
const ENTRY_WITHIN_MS = 60_000;

/** The maximum number of audit entries that are searched. */
const MOST_READ = 2_000;

const NEXT = 'Nothing was changed. List the open decisions: donor-sync holds';

/**
 * Creates the error for a question that has already been decided. If the audit still has the entry, the error names the
 * user who decided first.
 */
export async function decidedAlready(
  source: AuditSource,
  question: Question,
): Promise<ConfigurationError> {
  const { id, decision, decidedAt } = question;
  const by = await findDecider(source, question);
  const when = decidedAt === null ? 'already' : `on ${formatTimestamp(decidedAt)}`;
  const who = by === null ? '' : ` by ${actorText(by)}`;
  const what =
    decision === 'superseded' ? 'was closed because the contact changed,' : `was ${decision}`;
  return holdDecided(`The decision ${id} ${what} ${when}${who}. ${NEXT}`, { hold: id });
}

/** Throws if another user has just answered and can still withdraw the answer. */
export async function refuseAnswered(
  source: AuditSource,
  subject: { about: AnswerSubject; id: string; integrationId: string },
): Promise<void> {
  const answer = await findGivenAnswer(source, subject);
  if (answer === null) return;
  const { by, decision } = answer;
  const { about, id } = subject;
  const what =
    about === 'reason' ? `The decision about all contacts with ${id}` : `The decision ${id}`;
  throw holdDecided(
    `${what} was ${decision} a moment ago by ${actorText(by)}. ${NEXT}. To withdraw that answer: donor-sync holds withdraw ${answer.id}`,
    { [about === 'batch' || about === 'reason' ? about : 'hold']: id, answer: answer.id },
  );
}

/** Describes the user who answered first. */
export async function describeFirst(
  source: AuditSource,
  question: Question,
): Promise<string | null> {
  if (question.decision !== null) return (await decidedAlready(source, question)).message;
  const { about, id, integrationId } = question;
  return refuseAnswered(source, { about, id, integrationId }).then(() => null, messageOf);
}

/**
 * Creates the error for a question that was decided or no longer exists. `message` names the deciding user or the
 * reason.
 */
export function holdDecided(
  message: string,
  details: Readonly<Record<string, string>> = {},
): ConfigurationError {
  return new ConfigurationError(message, { code: 'hold_decided', refusal: 'conflict', details });
}

/** Returns the user who decided the question, or null if nobody has decided or the audit entry is gone. */
async function findDecider(source: AuditSource, question: Question): Promise<Actor | null> {
  const { about, id, batch, integrationId, decidedAt } = question;
  if (decidedAt === null) return null;
  const list = (action: AuditAction) =>
    listAuditEntries(source, {
      action,
      integrationId,
      since: decidedAt,
      until: decidedAt + ENTRY_WITHIN_MS,
      limit: MOST_READ,
    });
  const own = await list(about === 'network' ? 'network.decided' : 'hold.decided');
  const found = own.find(({ details }) => details['hold'] === id);
  if (found !== undefined || batch === null) return found?.actor ?? null;
  const together = await list('batch.decided');
  return together.findLast(({ details }) => details['batch'] === batch)?.actor ?? null;
}

/** Creates the error for a batch that has already been decided. The error names the user who decided the batch. */
export async function batchDecidedAlready(
  source: AuditSource,
  { id, integrationId }: { id: string; integrationId: string },
): Promise<ConfigurationError> {
  const action = 'batch.decided';
  const entries = await listAuditEntries(source, { action, integrationId, limit: MOST_READ });
  const found = entries.find(({ details }) => details['batch'] === id);
  const who =
    found === undefined
      ? ''
      : `, ${found.details['decision']} on ${formatTimestamp(found.at)} by ${actorText(found.actor)}`;
  return new ConfigurationError(
    `All contacts of the batch "${id}" have already been decided${who}. ${NEXT}`,
    { code: 'batch_decided', refusal: 'conflict', details: { batch: id } },
  );
}
