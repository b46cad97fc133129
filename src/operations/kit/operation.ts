/** What users can do, each declared once: the terminal, the API and the pages offer what stands here. */
import type { z } from 'zod';
import type { Application } from '../../application.ts';
import type { Actor } from '../../core/actor.ts';
import type { Clock } from '../../core/clock.ts';
import type { DonorSyncError } from '../../core/errors.ts';
import type { Integration } from '../../core/integration-settings.ts';
import type { Role } from '../../core/role.ts';
import type { WriteFile } from '../../core/write-file.ts';
import type { ActorTransaction } from '../../database/actor-transaction.ts';
import type { Sealer } from '../../database/encryption/sealed.ts';
import type { TimedReader } from '../../database/reader.ts';
import type { ApprovalRecord } from '../../decisions/statements/approvals.ts';
import type { Accepted, RequestedRun } from '../../jobs/request-run.ts';
import type { AuditCheckView } from '../../privacy/audit/checker.ts';
import type { AuditPlace } from '../../privacy/audit/read-audit.ts';
import type { NewAuditEntry } from '../../privacy/audit/record.ts';
import type { Store } from '../../store.ts';
import type { Caller } from './caller.ts';
import type { ClientFailure } from './failures.ts';

/** The parts of the product that operations use. */
export type OperationApplication = Pick<
  Application,
  | 'store'
  | 'integrations'
  | 'sealer'
  | 'settings'
  | 'setup'
  | 'guard'
  | 'allowInsecureHttp'
  | 'findRunning'
  | 'open'
  | 'takeLease'
  | 'refresh'
  | 'contactId'
  | 'credits'
  | 'keyFile'
  | 'erasureLogs'
>;

/** What an operation works with. */
export interface World {
  /** In an operation that changes something, its transaction. */
  reader: TimedReader;
  /** For what is not in the database; its store is that of no caller: take `reader`, `trx` or `store` of the world. */
  application: Omit<OperationApplication, 'store'>;
  caller: Caller;
  clock: Pick<Clock, 'now'>;
  sealer: Pick<Sealer, 'seal' | 'open'>;
  /** What the database has in place of a text that it must not reveal. */
  fingerprint: Store['fingerprint'];
  /** The clients within the caller's reach. */
  clients: ReadonlyMap<string, Integration>;
  /** How the world reaches the server. */
  publicUrl: string;
  /**
   * Checks the chain of the audit, also against an end that was noted down. A server answers within seconds, and may be
   * at it still.
   */
  checkAudit(known: AuditPlace | null): Promise<AuditCheckView>;
}

/** The same for an operation that changes something: its transaction carries who asks, and the time. */
export interface ChangingWorld extends World {
  trx: ActorTransaction;
}

/** The same for an operation that works outside of the database too. */
export interface ActingWorld extends World {
  clock: Clock;
  /** In the name of the caller. */
  store: Store;
  /** Aborted when the process is asked to end, or the caller has waited enough. */
  signal: AbortSignal;
  /** Tells the service that a request is in force which it carries out; nothing at the terminal. */
  carryOn(): void;
  /** Requests a run in the name of the caller: `serve` or a worker starts it as soon as its client is free. */
  requestRun(requested: Omit<RequestedRun, 'by'>): Promise<Accepted>;
  /** Checks all alerts now and sends what has changed; never rejects. */
  checkAlerts(): Promise<void>;
  /**
   * For an operation that `asksWithin`: resolves if the caller agrees to this question, and throws a
   * ConfigurationError otherwise.
   */
  agree(question: Question): Promise<void>;
  /**
   * Confirms an operation that waits for a second user, who is the caller. Throws a ConfigurationError, with nothing done,
   * if the caller may be the first user, or if it is not any more what was asked for.
   */
  confirm(approval: ApprovalRecord): Promise<void>;
  /**
   * Carries out an operation that was confirmed, in the name of this user, and records how it ended. The terminal does
   * that at once; elsewhere the service does it.
   */
  carryOut(approval: ApprovalRecord, by: Actor, signal: AbortSignal): Promise<void>;
  /** Writes a file of an operation with an `archive`, as fast as its receiver takes it; rejects once that is gone. */
  writeFile: WriteFile;
  /** The sentences in which an operation, found by its name, describes its result. */
  describeResult(name: string, result: unknown): Promise<readonly string[]>;
}

/** The schema of an input: an object, whose keys are options, fields of a body and fields of a form. */
export type InputSchema = z.ZodObject;

/** What all operations say of themselves. */
interface Declaration<Input extends InputSchema, Result extends z.ZodType> {
  /** As it is typed in the terminal: `users remove`. */
  name: string;
  /** One line, in the imperative: `Remove a user with their password and passkeys`. */
  summary: string;
  /** What else a caller of the API has to know, in whole sentences. */
  details?: string;
  /** The lowest role that may ask for it over HTTP; the terminal needs none. */
  role: Role;
  /** `all`: a caller who reaches some clients only is refused. `some`: it works on those within reach. */
  reach: 'all' | 'some';
  /** `person`: an access token may not, whatever its role. */
  by: 'person' | 'person+token';
  input: Input;
  /** The keys of the input that name its subject, in order: arguments in the terminal, parts of the path in the API. */
  subjects: readonly (keyof z.output<Input> & string)[];
  /** More keys that the terminal takes as arguments, a list as the last one. The API has them in the query or body. */
  arguments?: readonly (keyof z.output<Input> & string)[];
  result: Result;
  /** What happened, in whole sentences, for a person. Never written to logs or the audit. */
  say(result: z.output<Result>): string | readonly string[];
  /** The result as a table or several; the terminal prints it in place of `say`. */
  table?(result: z.output<Result>): TableView | readonly TableView[];
  /** The result as a file: `--csv` in the terminal, `Accept: text/csv` in the API. */
  csv?: CsvView<z.output<Result>, z.output<Input>>;
  /** Sentences besides the result; the terminal prints them on stderr. */
  remarks?(result: z.output<Result>): readonly string[];
  /** The clients for which it failed, while it worked for others; the terminal ends as with the error itself. */
  failures?(result: z.output<Result>): readonly ClientFailure[];
  /**
   * How the terminal ends where the result is no success: `stopped` where repeating it goes on, `refused` where
   * something has to be changed first. An exit code of the terminal alone: the API answers with the result.
   */
  ending?(result: z.output<Result>): 'done' | 'stopped' | 'refused';
  /** The error with which the terminal ends in place of a result: what was found must not look like success. */
  error?(result: z.output<Result>): DonorSyncError | null;
}

/** What waits for a second user. */
export interface SecondUserMatter {
  /** What is done once it is confirmed, as a sentence without names: `Pause "riverside" for a month.` */
  text: string;
  /** Number of contacts concerned, and the most credits that it can cost. */
  contacts: number;
  credits: number;
  /** The setting that asks for the second user, such as `twoPeople.forget`. */
  setting: string;
}

/** What an operation that changes something may say of a second user. */
interface NeedsSecondUser<Input extends InputSchema> {
  /**
   * What has to be confirmed by another user before it is done; null where one user is enough. While no other user could
   * confirm it, the kit refuses instead (`second_user_missing`). It is called before
   * `run`, so it looks up its subjects itself: otherwise a request about an unknown client would be recorded. It is
   * asked again at the confirmation and has to be the same, so its numbers must not change by themselves. An operation
   * with a secret in its input or its result has none. Decisions, `undo` and `forget` ask by `operations/second-person.ts`
   * instead, because the service carries them out.
   */
  secondUser?(world: World, input: z.output<Input>): Promise<SecondUserMatter | null>;
}

/** An operation that changes nothing, neither in the database nor in a CRM. */
export interface Reading<
  Input extends InputSchema = InputSchema,
  Result extends z.ZodType = z.ZodType,
> extends Declaration<Input, Result> {
  effect: 'reads';
  run(world: World, input: z.output<Input>): Promise<z.output<Result>>;
  /** What the audit records in the name of the caller before anything is read, for data that leaves the product. */
  records?(world: World, input: z.output<Input>): readonly NewAuditEntry[];
  /**
   * In place of `csv`, for a file that may be larger than the memory: its name, and its parts, which are read while the
   * file is written.
   */
  stream?: { file: string; parts(world: World, input: z.output<Input>): AsyncIterable<string> };
}

/** An operation that changes something, in one transaction that ends with its audit entry. */
export interface Changing<
  Input extends InputSchema = InputSchema,
  Result extends z.ZodType = z.ZodType,
> extends Declaration<Input, Result>,
    NeedsSecondUser<Input> {
  effect: 'changes';
  run(world: ChangingWorld, input: z.output<Input>): Promise<z.output<Result>>;
  /**
   * For what erases, undoes, revokes or removes: the question that comes first. The terminal asks it, the API answers
   * it as a preview, and what it says has to be the same when the operation is carried out.
   */
  question?(world: World, input: z.output<Input>): Promise<Question>;
  /**
   * The keys of secrets in the result: each is shown once, alone on a line in the terminal, in this order; one that is
   * null is left out.
   */
  secret?: SecretKey<Result> | readonly SecretKey<Result>[];
}

type SecretKey<Result extends z.ZodType> = keyof z.output<Result> & string;

/**
 * An operation that works outside of the database too: it asks a CRM or the service, or sends a message. It runs in no
 * transaction, and keeps each change that it makes with its own audit entry.
 */
export interface Acting<
  Input extends InputSchema = InputSchema,
  Result extends z.ZodType = z.ZodType,
> extends Declaration<Input, Result>,
    NeedsSecondUser<Input> {
  effect: 'acts';
  run(world: ActingWorld, input: z.output<Input>): Promise<z.output<Result>>;
  /** As that of an operation that changes something. */
  question?(world: ActingWorld, input: z.output<Input>): Promise<Question>;
  /**
   * True if `run` itself asks its question, by `world.agree`, because it costs much to find out twice. `question` is
   * for the preview of the API alone then.
   */
  asksWithin?: boolean;
  /**
   * True if it may take minutes, longer than a caller over HTTP waits: the API records the request and answers 202, the
   * service carries it out, also after a restart, and `approvals show` has the result for a day. A restart calls `run`
   * again, from the beginning. A retriable error is tried again for hours, so one client that is out of reach must not
   * throw: it belongs into the result.
   */
  takesMinutes?: boolean;
  /**
   * For an operation that writes files by `world.writeFile`: the name of the ZIP file in which they are the response of
   * the API, which is sent while they are written, in place of the result. The terminal writes them into a folder.
   */
  archive?(input: z.output<Input>): string;
}

export type Operation = Reading | Changing | Acting;

/** An operation of any effect, with its own input and result. */
export type OperationOf<Input extends InputSchema, Result extends z.ZodType> =
  | Reading<Input, Result>
  | Changing<Input, Result>
  | Acting<Input, Result>;

/** What a person agrees to, or not. */
export interface Question {
  /** A sentence that ends with a question mark. */
  text: string;
  /** What it is about, as numbers: `{ passkeys: 2 }`. */
  counts: Readonly<Record<string, number>>;
}

/** A table that each interface draws in its own way. */
export interface TableView {
  /** The title, where an operation has several tables. */
  title?: string;
  /** The text in place of a table without rows. */
  empty: string;
  headers: readonly string[];
  /** For each header a cell. */
  rows: readonly (readonly Cell[])[];
  /** Sentences below the table. */
  notes?: readonly Note[];
}

/**
 * A text, a number, a time in ISO 8601, or the ID of a run or a decision, which the terminal shortens. Of times, `at` has
 * passed, which people read as "5 minutes ago", and `on` is still to come. Null is never.
 */
export type Cell = string | number | { at: string | null } | { on: string | null } | { id: string };

/** A sentence; `warning` if the reader should act on it or know it before they act. */
export type Note = string | { warning: string };

/** A result as a CSV file. */
export interface CsvView<Result, Input> {
  /** The name of the file: `credits-2026-11.csv`. */
  file(result: Result, input: Input): string;
  text(result: Result): string;
}

/** Checks a declaration by its own types. */
export function reading<Input extends InputSchema, Result extends z.ZodType>(
  declared: Omit<Reading<Input, Result>, 'effect'>,
): Reading<Input, Result> {
  return { ...declared, effect: 'reads' };
}

/** Likewise for an operation that changes something. */
export function changing<Input extends InputSchema, Result extends z.ZodType>(
  declared: Omit<Changing<Input, Result>, 'effect'>,
): Changing<Input, Result> {
  return { ...declared, effect: 'changes' };
}

/** Likewise for one that works outside of the database too. */
export function acting<Input extends InputSchema, Result extends z.ZodType>(
  declared: Omit<Acting<Input, Result>, 'effect'>,
): Acting<Input, Result> {
  return { ...declared, effect: 'acts' };
}

/** The parts of an operation's file, if it is written while it is read. */
export function findStream<Input extends InputSchema, Result extends z.ZodType>(
  operation: OperationOf<Input, Result>,
): Reading<Input, Result>['stream'] {
  return operation.effect === 'reads' ? operation.stream : undefined;
}

/** True if a question comes first. */
export function asksFirst(operation: Operation): boolean {
  return operation.effect !== 'reads' && operation.question !== undefined;
}
