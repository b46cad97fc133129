import type { z } from 'zod';
import type { Actor } from '../../core/actor.ts';
import type { Clock } from '../../core/clock.ts';
import { ConfigurationError } from '../../core/errors.ts';
import type { WriteFile } from '../../core/write-file.ts';
import type { TimedReader } from '../../database/reader.ts';
import {
  approvalChanged,
  approvalGone,
  requireSecondUser,
} from '../../decisions/second-person/second-user.ts';
import {
  type ApprovalRecord,
  confirmWithin,
  recordConfirmation,
} from '../../decisions/statements/approvals.ts';
import type { Accepted, RequestedRun } from '../../jobs/request-run.ts';
import type { AuditCheckView } from '../../privacy/audit/checker.ts';
import type { AuditPlace } from '../../privacy/audit/read-audit.ts';
import { noteEntries } from '../../privacy/audit/record.ts';
import { authorise, authoriseAgain } from './authorise.ts';
import type { Caller } from './caller.ts';
import { findClient } from './clients.ts';
import {
  type Acting,
  type ActingWorld,
  type Changing,
  findStream,
  type InputSchema,
  type Operation,
  type OperationApplication,
  type OperationOf,
  type Question,
  type Reading,
  type SecondUserMatter,
  type World,
} from './operation.ts';
import {
  type AskedOperation,
  isSameRequest,
  keepOutcome,
  NO_CLIENT,
  RequestWaits,
  readRequest,
  recordToCarryOut,
  recordWaiting,
  requireConfirmable,
  toCarrier,
} from './requests.ts';

/** The dependencies that interfaces pass to all operations. */
export interface OperationDeps {
  application: OperationApplication;
  clock: Clock;
  /** The server's address, as in `World`. */
  publicUrl: string;
  /** True if the settings contain no address, as in `World`. Defaults to false. */
  hasOwnUrl?: boolean;
  /** Returns a signal that is aborted when the process ends. Callers add their own time limit to the signal. */
  signal: () => AbortSignal;
  /** Starts work that operations have left to the service. Undefined if no service listens. */
  carryOn?: (() => void) | undefined;
  /** Requests a run, and notifies the process that starts runs. */
  requestRun(requested: RequestedRun): Promise<Accepted>;
  /** Checks alerts. Only the process that watches alerts knows which alerts were sent. */
  checkAlerts(signal: AbortSignal): Promise<void>;
  /** Writes a file, as in `ActingWorld`. */
  writeFile?: WriteFile;
  /** Checks the audit, as in `World`. */
  checkAudit(known: AuditPlace | null): Promise<AuditCheckView>;
  findOperation(name: string): Promise<Operation | undefined>;
}

/** A confirmation question, with a digest that proves that nothing has changed since the preview. */
export interface Preview extends Question {
  /** The digest, which is valid for this caller and input until `until`. */
  digest: string;
  /** The expiry time of the digest, in epoch milliseconds. */
  until: number;
}

/** The user's consent: a preview's digest, or a function that asks and throws if the user refuses. */
export type Consent = string | ((question: Question) => Promise<void>);

/** The time within which a user can confirm a preview. */
const PREVIEW_MS = 10 * 60_000;

/**
 * Performs an operation with parsed input. A change runs in one transaction, which checks the rights, finds the
 * subject, makes the changes and adds the audit entry. With a digest, the question must be unchanged. Throws a
 * ConfigurationError and changes nothing: `forbidden` without the right, `unknown` without the subject, `conflict` for
 * an outdated preview. Throws RequestWaits if another user must confirm first.
 */
export async function perform<Input extends InputSchema, Result extends z.ZodType>(
  deps: OperationDeps,
  caller: Caller,
  operation: OperationOf<Input, Result>,
  input: z.output<Input>,
  consent?: Consent,
): Promise<z.output<Result>> {
  authorise(operation, caller);
  const store = deps.application.store.actingAs(caller.actor);
  if (operation.effect === 'reads') {
    return operation.run(await toReading(deps, caller, operation, input), input);
  }
  if (operation.effect === 'acts') {
    const world = await requireAgreed(deps, caller, operation, input, consent);
    const matter = await findMatter(world, operation, input);
    if (matter !== null) {
      const asked = toAsked(world, operation, input);
      throw new RequestWaits(await store.act((trx) => recordWaiting(trx, asked, matter)));
    }
    return operation.run(world, input);
  }
  const outcome = await store.act(async (trx) => {
    await authoriseAgain(operation, caller, trx);
    const world = { ...toWorld(deps, caller, trx), trx };
    if (consent !== undefined) {
      const asked = { deps, caller, operation, input };
      await requireConsent(asked, await operation.question?.(world, input), consent);
    }
    const matter = await findMatter(world, operation, input);
    if (matter !== null) {
      return { waiting: await recordWaiting(trx, toAsked(world, operation, input), matter) };
    }
    return { result: await operation.run(world, input) };
  });
  if ('waiting' in outcome) throw new RequestWaits(outcome.waiting);
  return outcome.result;
}

/** Performs an operation whose result is a file in several parts. */
export async function performStream<Input extends InputSchema, Result extends z.ZodType>(
  deps: OperationDeps,
  caller: Caller,
  operation: OperationOf<Input, Result>,
  input: z.output<Input>,
): Promise<{ file: string; parts: AsyncIterable<string> }> {
  authorise(operation, caller);
  const stream = findStream(operation);
  if (operation.effect !== 'reads' || stream === undefined) {
    throw new Error(`${operation.name} does not write a file while it reads.`);
  }
  const world = await toReading(deps, caller, operation, input);
  return { file: stream.file, parts: stream.parts(world, input) };
}

/** Records in the audit what the caller reads, before the operation reads it. */
async function toReading<Input extends InputSchema, Result extends z.ZodType>(
  deps: OperationDeps,
  caller: Caller,
  operation: Reading<Input, Result>,
  input: z.output<Input>,
): Promise<World> {
  const store = deps.application.store.actingAs(caller.actor);
  const world = toWorld(deps, caller, store.reader);
  const entries = operation.records?.(world, input) ?? [];
  if (entries.length > 0) await noteEntries(store.act, entries);
  return world;
}

/**
 * Records an operation that takes minutes, so that the service performs it. Throws the errors of `perform` before it
 * records anything.
 */
export async function performLater<Input extends InputSchema, Result extends z.ZodType>(
  deps: OperationDeps,
  caller: Caller,
  operation: Acting<Input, Result>,
  input: z.output<Input>,
  consent?: Consent,
): Promise<ApprovalRecord> {
  authorise(operation, caller);
  if (operation.reach === 'some') {
    requireClient(toWorld(deps, caller, deps.application.store.reader), input);
  }
  const world = await requireAgreed(deps, caller, operation, input, consent);
  const matter = await findMatter(world, operation, input);
  const asked = toAsked(world, operation, input);
  const approval = await world.store.act(async (trx) => {
    await authoriseAgain(operation, caller, trx);
    return matter === null ? recordToCarryOut(trx, asked) : recordWaiting(trx, asked, matter);
  });
  if (matter !== null) throw new RequestWaits(approval);
  world.carryOn();
  return approval;
}

/** Returns the request that another user must confirm, or null if one user is enough. */
async function findMatter<Input extends InputSchema, Result extends z.ZodType>(
  world: World,
  operation: Changing<Input, Result> | Acting<Input, Result>,
  input: z.output<Input>,
): Promise<SecondUserMatter | null> {
  const matter = (await operation.secondUser?.(world, input)) ?? null;
  if (matter !== null) {
    await requireConfirmable(world, toAsked(world, operation, input), matter);
  }
  return matter;
}

/** Throws a ConfigurationError (unknown) if the caller has no access to the client. */
function requireClient(
  world: Pick<World, 'clients' | 'application'>,
  { integration }: Record<string, unknown>,
): void {
  if (typeof integration === 'string') findClient(world, integration);
}

/** Returns a function with which the service carries out recorded requests. */
export function createOperationRunner(
  deps: Omit<OperationDeps, 'signal'>,
): (approval: ApprovalRecord, by: Actor, signal: AbortSignal) => Promise<void> {
  return async (approval, by, signal) => {
    const { request } = approval;
    if (request.what !== 'operation') return;
    const store = deps.application.store.actingAs(by);
    await keepOutcome(store, approval, {
      now: () => deps.clock.now(),
      async work() {
        const found = readRequest(await deps.findOperation(request.name), request);
        const caller = toCarrier(approval, found.operation, by);
        if (found.operation.effect !== 'acts') return null;
        const world = toActing({ ...deps, signal: () => signal }, caller, async () => {});
        return found.operation.run(world, found.input);
      },
    });
  };
}

/** Confirms a request as described in `ActingWorld.confirm`. */
async function confirmRequest(
  deps: OperationDeps,
  caller: Caller,
  approval: ApprovalRecord,
): Promise<void> {
  const { request } = approval;
  if (request.what !== 'operation' || approval.confirmedBy !== null) return;
  const { operation, input } = readRequest(await deps.findOperation(request.name), request);
  if (operation.effect === 'reads') return;
  const store = deps.application.store.actingAs(caller.actor);
  await requireSecondUser(store, approval, caller.account);
  if (operation.effect === 'acts') {
    const world = toActing(deps, caller, async () => {});
    await requireSame(world, operation, input, approval);
    if ((await recordConfirmation(store.act, approval, null)) === 'gone') throw approvalGone();
    return;
  }
  await store.act(async (trx) => {
    await authoriseAgain(operation, caller, trx);
    const world = { ...toWorld(deps, caller, trx), trx };
    await requireSame(world, operation, input, approval);
    if (!(await confirmWithin(trx, approval))) throw approvalGone();
    await operation.run(world, input);
  });
}

/** Throws a ConfigurationError (conflict) if the subject of the request has changed. */
async function requireSame(
  world: World,
  operation: Changing | Acting,
  input: Record<string, unknown>,
  approval: ApprovalRecord,
): Promise<void> {
  const matter = await operation.secondUser?.(world, input);
  // The settings may have changed, so that no second user is required any more.
  if (!matter) return;
  const clients = approval.integrations;
  const asked = { ...toAsked(world, operation, input), clients };
  if (isSameRequest(world, approval, asked, matter)) return;
  throw approvalChanged();
}

/** Checks that the caller has confirmed. Returns a world for work outside the database. */
async function requireAgreed<Input extends InputSchema, Result extends z.ZodType>(
  deps: OperationDeps,
  caller: Caller,
  operation: Acting<Input, Result>,
  input: z.output<Input>,
  consent: Consent | undefined,
): Promise<ActingWorld> {
  const asked = { deps, caller, operation, input };
  const world = toActing(deps, caller, (question) => requireConsent(asked, question, consent));
  if (consent !== undefined && operation.asksWithin !== true) {
    await requireConsent(asked, await operation.question?.(world, input), consent);
  }
  return world;
}

/**
 * Adds the clients to a request: the client in the input, or all clients of the caller. An operation on all clients
 * belongs to no single client, because it may erase a client with its data.
 */
function toAsked(
  { caller, clients }: Pick<World, 'caller' | 'clients'>,
  operation: AskedOperation['operation'],
  input: Record<string, unknown>,
): AskedOperation {
  if (operation.reach === 'all') return { caller, operation, input, clients: [NO_CLIENT] };
  const { integration } = input;
  const named = typeof integration === 'string' ? [integration] : [...clients.keys()];
  return { caller, operation, input, clients: named.length === 0 ? [NO_CLIENT] : named };
}

/** Returns the preview of an operation, or null if the operation has no question. */
export async function preview<Input extends InputSchema, Result extends z.ZodType>(
  deps: OperationDeps,
  caller: Caller,
  operation: OperationOf<Input, Result>,
  input: z.output<Input>,
): Promise<Preview | null> {
  authorise(operation, caller);
  if (operation.effect === 'reads') return null;
  const question = await findQuestion(deps, caller, operation, input);
  if (question === undefined) return null;
  await findMatter(toWorld(deps, caller, deps.application.store.reader), operation, input);
  const until = deps.clock.now() + PREVIEW_MS;
  return {
    ...question,
    until,
    digest: digestOf(deps, { caller, operation, input, question, until }),
  };
}

function findQuestion<Input extends InputSchema, Result extends z.ZodType>(
  deps: OperationDeps,
  caller: Caller,
  operation: Exclude<OperationOf<Input, Result>, { effect: 'reads' }>,
  input: z.output<Input>,
): Promise<Question> | undefined {
  if (operation.effect === 'changes') {
    return operation.question?.(toWorld(deps, caller, deps.application.store.reader), input);
  }
  const world = toActing(deps, caller, () => {
    throw new Error(`${operation.name} asks for consent in a preview.`);
  });
  return operation.question?.(world, input);
}

interface Asked {
  deps: OperationDeps;
  caller: Caller;
  operation: Pick<Operation, 'name'>;
  input: unknown;
}

/** Throws a ConfigurationError (conflict) if the question has changed since the preview. */
async function requireConsent(
  { deps, caller, operation, input }: Asked,
  question: Question | undefined,
  consent: Consent | undefined,
): Promise<void> {
  if (consent === undefined) throw new Error(`${operation.name} needs the consent of its caller.`);
  if (typeof consent !== 'string') {
    if (question !== undefined) await consent(question);
    return;
  }
  const until = Number.parseInt(consent, 36);
  const isSame =
    question !== undefined &&
    consent === digestOf(deps, { caller, operation, input, question, until });
  if (isSame && until >= deps.clock.now()) return;
  throw new ConfigurationError(
    'You agreed to the action more than ten minutes ago, or it has changed since then. Nothing was changed. Request the preview again.',
    { code: 'preview_outdated', refusal: 'conflict' },
  );
}

interface Previewed {
  caller: Caller;
  operation: Pick<Operation, 'name'>;
  input: unknown;
  question: Question;
  until: number;
}

/** Returns a digest: an expiry time and a fingerprint. Creating the fingerprint requires the database key. */
function digestOf(
  { application: { store } }: Pick<OperationDeps, 'application'>,
  { caller, operation, input, question, until }: Previewed,
): string {
  const { kind, account } = caller;
  const text = JSON.stringify([operation.name, kind, account?.id ?? null, input, question, until]);
  return `${until.toString(36)}.${store.fingerprint('preview', text)}`;
}

function toActing(deps: OperationDeps, caller: Caller, agree: ActingWorld['agree']): ActingWorld {
  const store = deps.application.store.actingAs(caller.actor);
  const signal = deps.signal();
  return {
    ...toWorld(deps, caller, store.reader),
    clock: deps.clock,
    store,
    signal,
    carryOn: deps.carryOn ?? (() => {}),
    checkAlerts: () => deps.checkAlerts(signal),
    requestRun: (requested) => deps.requestRun({ ...requested, by: caller.actor }),
    agree,
    confirm: (approval) => confirmRequest(deps, caller, approval),
    carryOut: createOperationRunner(deps),
    writeFile: deps.writeFile ?? noFiles,
    async describeResult(name, result) {
      const operation = await deps.findOperation(name);
      return operation === undefined ? [] : [operation.say(result)].flat();
    },
  };
}

function noFiles(name: string): never {
  throw new Error(`This interface cannot write the file ${name}.`);
}

function toWorld(deps: OperationDeps, caller: Caller, reader: TimedReader): World {
  const { application, clock, publicUrl, hasOwnUrl = false, checkAudit } = deps;
  const { sealer, integrations, store } = application;
  const { fingerprint } = store;
  const { clients: reach } = caller;
  const clients =
    reach === null ? integrations : new Map([...integrations].filter(([id]) => reach.has(id)));
  const own = { reader, caller, clients };
  const address = { publicUrl, hasOwnUrl };
  return { ...own, ...address, application, clock, sealer, fingerprint, checkAudit };
}
