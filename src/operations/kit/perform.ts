/** Carries out an operation for a caller, under the same rules from wherever it is asked for. */
import type { z } from 'zod';
import type { Clock } from '../../core/clock.ts';
import { ConfigurationError } from '../../core/errors.ts';
import type { TimedReader } from '../../database/reader.ts';
import type { Accepted, RequestedRun } from '../../jobs/request-run.ts';
import { authorise, authoriseAgain } from './authorise.ts';
import type { Caller } from './caller.ts';
import type {
  ActingWorld,
  InputSchema,
  Operation,
  OperationApplication,
  OperationOf,
  Question,
  World,
} from './operation.ts';

/** What the interfaces give to all operations. */
export interface OperationDeps {
  application: OperationApplication;
  clock: Pick<Clock, 'now'>;
  publicUrl: string;
  /** Aborted when the process is asked to end; how long a caller waits is added to it. */
  signal: () => AbortSignal;
  /** See `ActingWorld`; left out where nothing listens. */
  carryOn?: (() => void) | undefined;
  /** Stores the request for a run, and notifies the process that starts runs. */
  requestRun(requested: RequestedRun): Promise<Accepted>;
  /** By the alerts of this process, if it watches them: only those know which channel has sent what. */
  checkAlerts(signal: AbortSignal): Promise<void>;
}

/** A question with what proves that it was answered while nothing had changed. */
export interface Preview extends Question {
  /** Valid for this caller and this input until `until`. */
  digest: string;
  /** Epoch ms. */
  until: number;
}

/** What the caller agreed to: the digest of a preview; or what asks the caller, and throws if the answer is no. */
export type Consent = string | ((question: Question) => Promise<void>);

/** How long a preview may be agreed to. */
const PREVIEW_MS = 10 * 60_000;

/**
 * Carries out an operation with input that its schema has read. What it changes is one transaction: the rights of the
 * caller are read in it, the subject is looked up in it, and either all of it counts, with its audit entry, or none.
 * With the digest of a preview as consent, what was asked there has to be the same. Throws a ConfigurationError, with nothing
 * changed: `forbidden` for a caller who may not, `unknown` where there is no such subject, `conflict` for an outdated
 * preview.
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
    return operation.run(toWorld(deps, caller, store.reader), input);
  }
  if (operation.effect === 'acts') {
    const asked = { deps, caller, operation, input };
    const world = toActing(deps, caller, (question) => requireConsent(asked, question, consent));
    if (consent !== undefined && operation.asksWithin !== true) {
      await requireConsent(asked, await operation.question?.(world, input), consent);
    }
    return operation.run(world, input);
  }
  return store.act(async (trx) => {
    await authoriseAgain(operation, caller, trx);
    const world = { ...toWorld(deps, caller, trx), trx };
    if (consent !== undefined) {
      const asked = { deps, caller, operation, input };
      await requireConsent(asked, await operation.question?.(world, input), consent);
    }
    return operation.run(world, input);
  });
}

/** What would happen, for a caller who decides. Null for an operation that asks nothing. */
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
    throw new Error(`${operation.name} asks for agreement in a preview.`);
  });
  return operation.question?.(world, input);
}

interface Asked {
  deps: OperationDeps;
  caller: Caller;
  operation: Pick<Operation, 'name'>;
  input: unknown;
}

/** Throws a ConfigurationError: conflict unless the question is still the one that was agreed to. */
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
    'What you agreed to is not what would happen now: it changed, or more than ten minutes have passed. Nothing was changed. Ask for the preview again.',
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

/** The end of its validity, in front of what nobody can make without the key of the database. */
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
    store,
    signal,
    carryOn: deps.carryOn ?? (() => {}),
    checkAlerts: () => deps.checkAlerts(signal),
    requestRun: (requested) => deps.requestRun({ ...requested, by: caller.actor }),
    agree,
  };
}

function toWorld(deps: OperationDeps, caller: Caller, reader: TimedReader): World {
  const { application, clock, publicUrl } = deps;
  const { sealer, integrations, store } = application;
  const { fingerprint } = store;
  const { clients: reach } = caller;
  const clients =
    reach === null ? integrations : new Map([...integrations].filter(([id]) => reach.has(id)));
  return { application, reader, caller, clock, sealer, fingerprint, clients, publicUrl };
}
