/**
 * Operations are everything that users can do. Each operation is declared once, and the terminal, the API and the pages
 * offer it.
 */
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
  | 'unreadable'
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

/** The dependencies of an operation. */
export interface World {
  /** The transaction, for an operation that changes something. */
  reader: TimedReader;
  /**
   * The store for everything outside the database. It acts for no caller, so `reader`, `trx` or `store` of
   * the world must be used instead.
   */
  application: Omit<OperationApplication, 'store'>;
  caller: Caller;
  clock: Pick<Clock, 'now'>;
  sealer: Pick<Sealer, 'seal' | 'open'>;
  /**
   * Returns the fingerprint of a text. The database stores fingerprints instead of texts that it must not
   * reveal.
   */
  fingerprint: Store['fingerprint'];
  /** The clients that the caller has access to. */
  clients: ReadonlyMap<string, Integration>;
  /** The address in the settings, or this machine's own. `readAddresses` returns the address in use. */
  publicUrl: string;
  /** True if no address is configured. */
  hasOwnUrl: boolean;
  /**
   * Checks the audit chain, optionally against an end that was saved earlier. A server returns within
   * seconds, even if the check is still running.
   */
  checkAudit(known: AuditPlace | null): Promise<AuditCheckView>;
}

/** The dependencies of an operation that changes something. Its transaction knows the caller and the time. */
export interface ChangingWorld extends World {
  trx: ActorTransaction;
}

/** The dependencies of an operation that also works outside the database. */
export interface ActingWorld extends World {
  clock: Clock;
  /** Acts in the caller's name. */
  store: Store;
  /** Aborted when the process has to end, or when the caller's time limit is over. */
  signal: AbortSignal;
  /** Notifies the service that there is a request to carry out. Does nothing in the terminal. */
  carryOn(): void;
  /**
   * Requests a run in the name of the caller. `serve` or a worker starts it as soon as its client is free.
   */
  requestRun(requested: Omit<RequestedRun, 'by'>): Promise<Accepted>;
  /** Checks all alerts now and sends the changes. Never rejects. */
  checkAlerts(): Promise<void>;
  /**
   * Asks the caller this question, for an operation with `asksWithin`. Resolves if the caller agrees. Otherwise throws
   * a ConfigurationError.
   */
  agree(question: Question): Promise<void>;
  /**
   * Confirms an operation that waits for a second user, who is the caller. Throws a ConfigurationError and does nothing
   * if the caller may be the first user, or if the operation would no longer do what was requested.
   */
  confirm(approval: ApprovalRecord): Promise<void>;
  /**
   * Carries out a confirmed operation in this user's name, and records the outcome. The terminal does this immediately.
   * For the other interfaces, the service does it.
   */
  carryOut(approval: ApprovalRecord, by: Actor, signal: AbortSignal): Promise<void>;
  /**
   * Writes a file for an operation with an `archive`, as fast as the receiver accepts it. Rejects once the receiver has
   * disconnected.
   */
  writeFile: WriteFile;
  /** Returns the sentences with which an operation describes its result. `name` is the operation's name. */
  describeResult(name: string, result: unknown): Promise<readonly string[]>;
}

/** The schema of an input, which is an object. Its keys become options, body fields and form fields. */
export type InputSchema = z.ZodObject;

/** The declaration that all operations share. */
interface Declaration<Input extends InputSchema, Result extends z.ZodType> {
  /** The command in the terminal, such as `users remove`. */
  name: string;
  /** One line in the imperative, such as `Remove a user with their password and passkeys`. */
  summary: string;
  /** More information for callers of the API, in whole sentences. */
  details?: string;
  /** The lowest role that may use it over HTTP. The terminal needs no role. */
  role: Role;
  /**
   * `all`: callers without access to all clients are refused. `some`: the operation applies to the clients that the
   * caller may access.
   */
  reach: 'all' | 'some';
  /** If `person`, access tokens are refused, whatever their role. */
  by: 'person' | 'person+token';
  /** True if users must have signed in, or proved their identity, within the last ten minutes. */
  needsProof?: boolean;
  input: Input;
  /**
   * The keys of the input that identify its subject, in order. They are arguments in the terminal, and parts of the
   * path in the API.
   */
  subjects: readonly (keyof z.output<Input> & string)[];
  /**
   * Further keys that are arguments in the terminal, lists last. In the API, they are in the query or in the
   * body.
   */
  arguments?: readonly (keyof z.output<Input> & string)[];
  result: Result;
  /** Describes the result to users, in whole sentences. The text is never written to logs or the audit. */
  say(result: z.output<Result>): string | readonly string[];
  /** Returns the result as one or several tables. The terminal prints them in place of the text of `say`. */
  table?(result: z.output<Result>): TableView | readonly TableView[];
  /** The result as a file: `--csv` in the terminal, `Accept: text/csv` in the API. */
  csv?: CsvView<z.output<Result>, z.output<Input>>;
  /** Sentences in addition to the result. The terminal prints them on stderr. */
  remarks?(result: z.output<Result>): readonly string[];
  /**
   * The clients for which it failed, although it succeeded for others. The terminal exits as it would for the
   * error itself.
   */
  failures?(result: z.output<Result>): readonly ClientFailure[];
  /**
   * Returns the outcome for the terminal's exit code if the result is not a success. `stopped` means that repeating the
   * command continues the work, and `refused` that something has to be changed first. The API responds with the result
   * in any case.
   */
  ending?(result: z.output<Result>): 'done' | 'stopped' | 'refused';
  /** The error that the terminal shows instead of the result, if the result must not look like a success. */
  error?(result: z.output<Result>): DonorSyncError | null;
}

/** The part of a request that a second user sees before confirming it. */
export interface SecondUserMatter {
  /**
   * Describes the action after the confirmation, without people's names, for example `Pause "riverside" for a month.`
   */
  text: string;
  /** The number of affected contacts. `credits` is the maximum cost of the action. */
  contacts: number;
  credits: number;
  /** The setting that requires the second user, such as `twoPeople.forget`. */
  setting: string;
}

/** The part of a changing operation that can require a second user. */
interface NeedsSecondUser<Input extends InputSchema> {
  /**
   * Describes the action that another user has to confirm first, or returns null if one user is enough. If no other
   * user could confirm it, the kit refuses it (`second_user_missing`). It is called before `run` and looks up its
   * subjects itself, because otherwise a request about an unknown client would be recorded. It is called again at the
   * confirmation and must return the same, so its numbers must not change over time. An operation with a secret in its
   * input or result cannot have it. Decisions, `undo` and `forget` use `operations/second-person.ts`, because the
   * service carries them out.
   */
  secondUser?(world: World, input: z.output<Input>): Promise<SecondUserMatter | null>;
}

/** An operation that changes nothing, either in the database or in a CRM. */
export interface Reading<
  Input extends InputSchema = InputSchema,
  Result extends z.ZodType = z.ZodType,
> extends Declaration<Input, Result> {
  effect: 'reads';
  run(world: World, input: z.output<Input>): Promise<z.output<Result>>;
  /**
   * Returns the audit entries that are recorded in the caller's name before anything is read. Used for data that leaves
   * the product.
   */
  records?(world: World, input: z.output<Input>): readonly NewAuditEntry[];
  /**
   * Replaces `csv` for files that may not fit into memory. Contains the file's name, and its parts, which are written
   * while they are read.
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
   * The confirmation question of operations that erase, undo, revoke or remove. The terminal asks it, and the
   * API returns it as a preview. It must not have changed when the operation is carried out.
   */
  question?(world: World, input: z.output<Input>): Promise<Question>;
  /**
   * The keys of secrets in the result. The terminal shows each secret once, on its own line and in this order. A secret
   * that is null is left out.
   */
  secret?: SecretKey<Result> | readonly SecretKey<Result>[];
}

type SecretKey<Result extends z.ZodType> = keyof z.output<Result> & string;

/**
 * An operation that also works outside the database: it sends requests to a CRM or to the service, or sends a message.
 * It does not run in a transaction, and stores each of its changes with an audit entry.
 */
export interface Acting<
  Input extends InputSchema = InputSchema,
  Result extends z.ZodType = z.ZodType,
> extends Declaration<Input, Result>,
    NeedsSecondUser<Input> {
  effect: 'acts';
  run(world: ActingWorld, input: z.output<Input>): Promise<z.output<Result>>;
  /** The same as for an operation that changes something. */
  question?(world: ActingWorld, input: z.output<Input>): Promise<Question>;
  /**
   * True if `run` asks its question with `world.agree`, because computing the question twice would be expensive.
   * `question` is then used only for the API's preview.
   */
  asksWithin?: boolean;
  /**
   * True if it can take minutes, which is longer than an HTTP caller waits. The API records the request and responds
   * with 202. The service carries the request out, even after a restart, and `approvals show` returns the result for a
   * day. After a restart, `run` starts from the beginning. A retriable error is retried for hours, so an unreachable
   * client must be reported in the result and not as an error.
   */
  takesMinutes?: boolean;
  /**
   * Returns the name of the ZIP file, for an operation that writes files with `world.writeFile`. The API sends the ZIP
   * file in place of the result while the files are written. The terminal writes the files into a folder.
   */
  archive?(input: z.output<Input>): string;
}

export type Operation = Reading | Changing | Acting;

/** An operation with any effect, with its own input and result. */
export type OperationOf<Input extends InputSchema, Result extends z.ZodType> =
  | Reading<Input, Result>
  | Changing<Input, Result>
  | Acting<Input, Result>;

/** The question that a user confirms or refuses. */
export interface Question {
  /** A sentence that ends with a question mark. */
  text: string;
  /** The numbers in the question, such as `{ passkeys: 2 }`. */
  counts: Readonly<Record<string, number>>;
}

/** A table that each interface displays in its own way. */
export interface TableView {
  /** The title, if an operation has several tables. */
  title?: string;
  /** The text that is shown if a table has no rows. */
  empty: string;
  headers: readonly string[];
  /** The rows. Each has one cell per header. */
  rows: readonly (readonly Cell[])[];
  /** Sentences below the table. */
  notes?: readonly Note[];
}

/**
 * A text, a number, a time in ISO 8601, or the ID of a run or a decision, which the terminal shortens. `at` is a time
 * in the past, shown as "5 minutes ago", and `on` is a time in the future. A time that is null means never.
 */
export type Cell = string | number | { at: string | null } | { on: string | null } | { id: string };

/** A sentence. Use `warning` if readers have to act on it, or have to know it before they act. */
export type Note = string | { warning: string };

/** A result as a CSV file. */
export interface CsvView<Result, Input> {
  /** Returns the file's name, such as `credits-2026-11.csv`. */
  file(result: Result, input: Input): string;
  text(result: Result): string;
}

/** Declares an operation that only reads. */
export function reading<Input extends InputSchema, Result extends z.ZodType>(
  declared: Omit<Reading<Input, Result>, 'effect'>,
): Reading<Input, Result> {
  return { ...declared, effect: 'reads' };
}

/** Declares an operation that changes something. */
export function changing<Input extends InputSchema, Result extends z.ZodType>(
  declared: Omit<Changing<Input, Result>, 'effect'>,
): Changing<Input, Result> {
  return { ...declared, effect: 'changes' };
}

/** Declares an operation that also works outside the database. */
export function acting<Input extends InputSchema, Result extends z.ZodType>(
  declared: Omit<Acting<Input, Result>, 'effect'>,
): Acting<Input, Result> {
  return { ...declared, effect: 'acts' };
}

/** Returns an operation's file whose parts are written while they are read, or undefined if it has none. */
export function findStream<Input extends InputSchema, Result extends z.ZodType>(
  operation: OperationOf<Input, Result>,
): Reading<Input, Result>['stream'] {
  return operation.effect === 'reads' ? operation.stream : undefined;
}

/** True if the operation asks for confirmation first. */
export function asksFirst(operation: Operation): boolean {
  return operation.effect !== 'reads' && operation.question !== undefined;
}
