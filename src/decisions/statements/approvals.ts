/**
 * Stores requests that need a second user or that the service carries out. One transaction confirms a decision. Each
 * question then has a separate answer, which cannot be lost or applied twice. Actions outside the database start
 * immediately after the confirmation, and the request's row is deleted afterwards.
 */
import type { Selectable } from 'kysely';
import { z } from 'zod';
import { type Actor, PRODUCT } from '../../core/actor.ts';
import { isDonorSyncError } from '../../core/errors.ts';
import { newId } from '../../core/new-id.ts';
import { APPROVABLE } from '../../core/questions/decisions.ts';
import { ROLES } from '../../core/role.ts';
import type { Act, ActorTransaction } from '../../database/actor-transaction.ts';
import type { Fingerprint } from '../../database/encryption/fingerprint.ts';
import type { Sealer } from '../../database/encryption/sealed.ts';
import type { Reader, TimedConnection, TimedReader } from '../../database/reader.ts';
import type { Tables, Trx } from '../../database/tables/tables.ts';
import { auditSealer } from '../../privacy/audit/chain.ts';
import { type AuditDetails, auditRecorder, recordEntry } from '../../privacy/audit/record.ts';
import {
  type Answer,
  actorSchema,
  answerSealContext,
  insertAnswer,
} from './withdrawable-answers.ts';

type AnswerRow = Selectable<Tables['answers']>;

/** The time in which a user can confirm a request, and in which the service retries a confirmed action. */
export const APPROVAL_MS = 7 * 86_400_000;

/** The time in which a user can read the result of a request. */
const OUTCOME_MS = 86_400_000;

const decisionSchema = z.object({
  integrationId: z.string(),
  about: z.enum(['contact', 'network', 'batch', 'reason']),
  subject: z.string(),
  decision: z.enum(APPROVABLE),
  openedUntil: z.number().nullable(),
});

/** The actions that can wait for a second user. */
const requestSchema = z.discriminatedUnion('what', [
  z.object({ what: z.literal('decide'), decisions: z.array(decisionSchema) }),
  z.object({ what: z.literal('undo'), run: z.string() }),
  z.object({
    what: z.literal('forget'),
    alsoInCrm: z.boolean(),
    blockUnknown: z.boolean(),
    /**
     * True if the erasure applies to all CRM accounts. False if it applies only to clients of the contact's own CRM
     * account.
     */
    everywhere: z.boolean().default(true),
  }),
  z.object({
    what: z.literal('operation'),
    /** The operation's name. The operation is looked up when it is carried out. */
    name: z.string(),
    input: z.record(z.string(), z.unknown()),
    /** The role that the operation requires for confirming. */
    role: z.enum(ROLES),
    by: z.enum(['person', 'person+token']),
    /** A description of the action, without names. */
    text: z.string(),
  }),
]);

/** The operation's result or its permanent error. */
const outcomeSchema = z.object({
  endedAt: z.number(),
  result: z.unknown(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
});

const askedSchema = z.object({
  request: requestSchema,
  /**
   * All integrations that the request affects. The row of the request contains only the first of these integrations.
   */
  integrations: z.array(z.string()),
  contacts: z.number(),
  credits: z.number(),
  /** The digest of the request and of the contacts and clients that it affects. */
  digest: z.string(),
  by: z.object({
    actor: actorSchema,
    account: z.object({
      kind: z.enum(['person', 'token', 'command']),
      id: z.string(),
      name: z.string(),
    }),
  }),
  /**
   * The result of the operation, or null before the operation was carried out. All other requests are deleted when they
   * are carried out.
   */
  outcome: outcomeSchema.nullable().default(null),
});

export type ApprovalRequest = z.output<typeof requestSchema>;
export type ApprovalDecision = z.infer<typeof decisionSchema>;

export type OperationRequest = Extract<ApprovalRequest, { what: 'operation' }>;
/** The requests for work by the service. Operations define their requests in their own files. */
export type WorkRequest = Exclude<ApprovalRequest, OperationRequest>;
export type OperationOutcome = z.infer<typeof outcomeSchema>;

type Asked = z.infer<typeof askedSchema>;

/** Returns the request as a text. Equal requests have the same text. */
export function requestText(request: ApprovalRequest): string {
  return JSON.stringify(requestSchema.parse(request));
}

export interface NewApproval extends Omit<Asked, 'outcome'> {
  crmId: string | null;
}

export interface ApprovalRecord extends NewApproval {
  outcome: OperationOutcome | null;
  id: string;
  integrationId: string;
  askedAt: number;
  runsOutAt: number;
  /** The user who confirmed the request, or null while the request waits for confirmation. */
  confirmedBy: Actor | null;
}

/** The database, with the keys that decrypt and verify the requests in the database. */
export interface ApprovalSource {
  readonly reader: Reader;
  readonly fingerprint: Fingerprint;
}

/** The result of a confirmation. `gone` means that another user has already confirmed or refused the request. */
export type Confirmed = 'confirmed' | 'gone' | 'changed';

/**
 * Records a request for a second user. Does nothing if an equal request is already waiting. Deletes an equal request
 * that has expired.
 */
export function recordApproval(
  trx: ActorTransaction,
  approval: NewApproval,
): Promise<{ approval: ApprovalRecord; isNew: boolean }> {
  return recordRequest(trx, approval, 'second_person', 'approval.asked');
}

/**
 * Records a request that needs no confirmation, so the service carries it out immediately. Does nothing if an equal
 * request exists. Deletes an equal request that has expired.
 */
export function recordWork(
  trx: ActorTransaction,
  approval: NewApproval,
): Promise<{ approval: ApprovalRecord; isNew: boolean }> {
  return recordRequest(trx, approval, 'carrying_out', 'work.asked');
}

async function recordRequest(
  trx: ActorTransaction,
  approval: NewApproval,
  needs: 'second_person' | 'carrying_out',
  action: 'approval.asked' | 'work.asked',
): Promise<{ approval: ApprovalRecord; isNew: boolean }> {
  const { crmId, ...asked } = approval;
  const { digest } = asked;
  const { clock, fingerprint } = trx;
  const integrationId = asked.integrations[0] ?? '';
  const askedAt = clock.now();
  const id = newId(askedAt);
  const place = { id, integration_id: integrationId, crm_id: crmId };
  const sealer = auditSealer(fingerprint);
  const given = sealer.seal(JSON.stringify(asked), answerSealContext('given', place));
  const isInForce = needs === 'carrying_out';
  const equal = { integrationId, digest };
  const [before] = await selectEqual(trx, equal).execute();
  const expired = before && isOver(before, askedAt) ? await deleteExpired(trx, before) : undefined;
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('answers')
    .values({
      ...place,
      about: 'request',
      subject: digest,
      given,
      given_at: askedAt,
      needs,
      in_force_from: isInForce ? askedAt : null,
      confirmed_by: isInForce ? sealConfirmer(trx, place) : null,
      void_from: askedAt + APPROVAL_MS,
    })
    .onConflict((c) => c.columns(['integration_id', 'about', 'subject']).doNothing())
    .executeTakeFirst();
  const row = await selectEqual(trx, equal).executeTakeFirstOrThrow();
  const known = openRow(sealer, row);
  const isNew = Boolean(numInsertedOrUpdatedRows);
  if (expired) await auditRecorder({ clock, fingerprint, actor: PRODUCT })(trx, toExpiry(expired));
  if (isNew) await recordEntry(trx, toAuditEntry(action, known, {}));
  return { approval: known, isNew };
}

/** Returns the stored requests. Requests that were tampered with are skipped. */
export async function listStoredApprovals({
  reader,
  fingerprint,
}: ApprovalSource): Promise<ApprovalRecord[]> {
  const sealer = auditSealer(fingerprint);
  const rows = await selectRequests(reader).orderBy('given_at').execute();
  return rows.flatMap((row) => readable(sealer, row));
}

export async function findStoredApproval(
  { reader, fingerprint }: ApprovalSource,
  id: string,
): Promise<ApprovalRecord | undefined> {
  const rows = await selectRequests(reader).where('id', '=', id).execute();
  return rows.flatMap((row) => readable(auditSealer(fingerprint), row))[0];
}

/**
 * Confirms a request for the actor. `decisions` contains the decisions that apply from now on, or null for other
 * actions.
 */
export async function recordConfirmation(
  act: Act,
  approval: ApprovalRecord,
  decisions: readonly Answer[] | null,
): Promise<Confirmed> {
  try {
    return await act(async (trx) => {
      const isTaken = decisions === null ? await claim(trx, approval) : await take(trx, approval);
      if (!isTaken) return 'gone';
      for (const decision of decisions ?? []) {
        const id = await insertAnswer(trx, decision, trx.clock.now());
        if (id === null) throw new DecidedMeanwhile();
      }
      const asker = approval.by.account.name;
      await recordEntry(trx, toAuditEntry('approval.confirmed', approval, { asker }));
      return 'confirmed';
    });
  } catch (error) {
    if (error instanceof DecidedMeanwhile) return 'changed';
    throw error;
  }
}

/**
 * Deletes a request, even a confirmed request that cannot be carried out. Returns false if the request no longer
 * exists.
 */
export async function recordRefusal(
  trx: ActorTransaction,
  approval: ApprovalRecord,
): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('answers')
    .where('id', '=', approval.id)
    .where('needs', 'is not', null)
    .executeTakeFirst();
  if (numDeletedRows === 0n) return false;
  const asker = approval.by.account.name;
  await recordEntry(trx, toAuditEntry('approval.refused', approval, { asker }));
  return true;
}

/**
 * Confirms a request in the transaction that carries out the request. Returns false if another user has already
 * confirmed or refused the request.
 */
export async function confirmWithin(
  trx: ActorTransaction,
  approval: ApprovalRecord,
): Promise<boolean> {
  if (!(await take(trx, approval))) return false;
  const asker = approval.by.account.name;
  await recordEntry(trx, toAuditEntry('approval.confirmed', approval, { asker }));
  return true;
}

/**
 * Records the result of an operation. Users can read the result for a day, and can then request the same operation
 * again.
 */
export async function recordOutcome(
  { connection, fingerprint }: { connection: TimedConnection; fingerprint: Fingerprint },
  { id, integrationId, crmId, ...approval }: ApprovalRecord,
  outcome: OperationOutcome,
): Promise<void> {
  const asked = askedSchema.parse({ ...approval, outcome });
  const place = { id, integration_id: integrationId, crm_id: crmId };
  const sealer = auditSealer(fingerprint);
  await connection
    .updateTable('answers')
    .set({
      subject: id,
      given: sealer.seal(JSON.stringify(asked), answerSealContext('given', place)),
      void_from: outcome.endedAt + OUTCOME_MS,
    })
    .where('id', '=', id)
    .where('needs', 'is not', null)
    .execute();
}

export async function endApproval(
  connection: TimedConnection,
  { id }: Pick<ApprovalRecord, 'id'>,
): Promise<void> {
  await connection
    .deleteFrom('answers')
    .where('id', '=', id)
    .where('needs', 'is not', null)
    .execute();
}

export interface ApprovalStore extends ApprovalSource {
  readonly reader: TimedReader;
  actingAs(actor: Actor): { readonly act: Act };
}

/** Deletes expired requests. */
export async function expireApprovals(store: ApprovalStore): Promise<void> {
  const { reader } = store;
  const now = reader.clock.now();
  const rows = await selectRequests(reader).execute();
  for (const row of rows.filter((one) => isOver(one, now))) {
    await store.actingAs(PRODUCT).act(async (trx) => {
      const expired = await deleteExpired(trx, row);
      if (expired) await recordEntry(trx, toExpiry(expired));
    });
  }
}

function isOver({ void_from: at }: AnswerRow, now: number): boolean {
  // A request from the future was made before the clock was set back.
  return at !== null && (at <= now || at > now + APPROVAL_MS);
}

/** Deletes an expired request. Returns the request if the audit must record that it has expired. */
async function deleteExpired(
  trx: ActorTransaction,
  row: AnswerRow,
): Promise<ApprovalRecord | undefined> {
  const { numDeletedRows } = await trx
    .deleteFrom('answers')
    .where('id', '=', row.id)
    .where('void_from', '=', row.void_from)
    .executeTakeFirst();
  const [known] = readable(auditSealer(trx.fingerprint), row);
  return numDeletedRows > 0n && known?.outcome === null ? known : undefined;
}

function toExpiry(expired: ApprovalRecord) {
  return toAuditEntry('approval.ran_out', expired, { asker: expired.by.account.name });
}

function selectRequests(reader: Reader) {
  return reader.selectFrom('answers').selectAll().where('needs', 'is not', null);
}

/** Selects the recorded request with this digest. At most one request has this digest. */
function selectEqual(
  reader: Reader,
  { integrationId, digest }: { integrationId: string; digest: string },
) {
  return reader
    .selectFrom('answers')
    .selectAll()
    .where('integration_id', '=', integrationId)
    .where('about', '=', 'request')
    .where('subject', '=', digest);
}

/** Removes a request, because decisions about questions replace it. */
async function take(trx: ActorTransaction, { id }: ApprovalRecord): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('answers')
    .where('id', '=', id)
    .where('needs', '=', 'second_person')
    .where('in_force_from', 'is', null)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/**
 * Lets an answer take effect after the second user's confirmation. No other statement sets the time at which an answer
 * takes effect.
 */
async function claim(
  trx: ActorTransaction,
  { id, integrationId, crmId }: ApprovalRecord,
): Promise<boolean> {
  const now = trx.clock.now();
  const place = { id, integration_id: integrationId, crm_id: crmId };
  const { numUpdatedRows } = await trx
    .updateTable('answers')
    .set({
      in_force_from: now,
      confirmed_by: sealConfirmer(trx, place),
      void_from: now + APPROVAL_MS,
    })
    .where('id', '=', id)
    .where('needs', '=', 'second_person')
    .where('in_force_from', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Encrypts the user who acted: the second user, or the requester if no second user was needed. */
function sealConfirmer(
  { actor, fingerprint }: ActorTransaction,
  place: Parameters<typeof answerSealContext>[1],
): string {
  return auditSealer(fingerprint).seal(
    JSON.stringify(actor),
    answerSealContext('confirmed_by', place),
  );
}

function openRow(sealer: Sealer, row: AnswerRow): ApprovalRecord {
  const { id, integration_id: integrationId, crm_id: crmId } = row;
  const open = (sealed: string, column: 'given' | 'confirmed_by') =>
    JSON.parse(sealer.open(sealed, answerSealContext(column, row)));
  return {
    ...askedSchema.parse(open(row.given, 'given')),
    id,
    integrationId,
    crmId,
    askedAt: row.given_at,
    runsOutAt: row.void_from ?? row.given_at,
    confirmedBy:
      row.confirmed_by === null ? null : actorSchema.parse(open(row.confirmed_by, 'confirmed_by')),
  };
}

/** Returns the readable requests. Rows that another program wrote cannot be decrypted and are ignored. */
function readable(sealer: Sealer, row: AnswerRow): ApprovalRecord[] {
  try {
    return [openRow(sealer, row)];
  } catch (error) {
    if (isDonorSyncError(error)) return [];
    throw error;
  }
}

class DecidedMeanwhile extends Error {}

/**
 * Returns the audit entry of a request, without the contact. The audit must not contain more than the database. The
 * audit entry of `forget` names the contact.
 */
function toAuditEntry<
  Action extends `approval.${'asked' | 'confirmed' | 'refused' | 'ran_out'}` | 'work.asked',
>(action: Action, { id, integrationId, request, contacts }: ApprovalRecord, more: AuditDetails) {
  const named = request.what === 'operation' ? { operation: request.name } : {};
  const details = { approval: id, what: request.what, ...named, contacts, ...more };
  return { action, integrationId, details };
}

/**
 * Deletes all requests of a restored database. A user may have answered a request after the backup, so nobody may
 * confirm that request again.
 */
export async function dropRequests(trx: Trx): Promise<void> {
  await trx.deleteFrom('answers').where('needs', 'is not', null).execute();
}
