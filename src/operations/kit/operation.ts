/**
 * Defines all actions of users as operations. Each operation is declared once, for all interfaces. The terminal, the
 * API and the pages offer it.
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

/** The parts of the application that operations use. */
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

export interface World {
  /** Reads from the database. In an operation that changes something, this is the transaction. */
  reader: TimedReader;
  /** The application without its store. Use the world's `reader`, `trx` or `store` instead. */
  application: Omit<OperationApplication, 'store'>;
  caller: Caller;
  clock: Pick<Clock, 'now' | 'monotonicMs'>;
  sealer: Pick<Sealer, 'seal' | 'open'>;
  /** Computes fingerprints of values that the database must not reveal. */
  fingerprint: Store['fingerprint'];
  /** The clients to which the caller has access, by ID. */
  clients: ReadonlyMap<string, Integration>;
  /**
   * The address in the settings, or this machine's own address. `readAddresses` returns the address that is currently
   * used.
   */
  publicUrl: string;
  /** True if the settings contain no address of the server. */
  hasOwnUrl: boolean;
  /**
   * Checks the audit chain. Can compare the chain with an end that a user saved. In a server, returns within seconds,
   * even if the check is still in progress.
   */
  checkAudit(known: AuditPlace | null): Promise<AuditCheckView>;
}

/**
 * The dependencies of an operation that changes the database. The transaction of this operation contains the caller and
 * the time.
 */
export interface ChangingWorld extends World {
  trx: ActorTransaction;
}

/** The dependencies of an operation that also works outside the database. */
export interface ActingWorld extends World {
  clock: Clock;
  /** The store, on behalf of the caller. */
  store: Store;
  signal: AbortSignal;
  /** Starts work that the operation has left to the service. Does nothing in the terminal. */
  carryOn(): void;
  /** Requests a run on behalf of the caller. `serve` or a worker starts the run when the client is free. */
  requestRun(requested: Omit<RequestedRun, 'by'>): Promise<Accepted>;
  /** Checks all alerts now and sends the changes. This function never rejects. */
  checkAlerts(): Promise<void>;
  /**
   * Asks the caller to confirm, for operations with `asksWithin`. Resolves if the caller agrees. Otherwise throws a
   * ConfigurationError.
   */
  agree(question: Question): Promise<void>;
  /**
   * Confirms a request, with the caller as the second user. Throws a ConfigurationError if the caller may also be the
   * first user, or if the effect has changed.
   */
  confirm(approval: ApprovalRecord): Promise<void>;
  /** Carries out a request on behalf of this user and records the outcome. The terminal calls this immediately. */
  carryOut(approval: ApprovalRecord, by: Actor, signal: AbortSignal): Promise<void>;
  /** Writes a file for an operation with an `archive`. Rejects if the receiver has disconnected. */
  writeFile: WriteFile;
  /** Describes a result in words. `name` is the operation's name. */
  describeResult(name: string, result: unknown): Promise<readonly string[]>;
}

/** The schema of an operation's input. The keys of the schema become options, body fields and form fields. */
export type InputSchema = z.ZodObject;

/** The properties that every operation declares. */
interface Declaration<Input extends InputSchema, Result extends z.ZodType> {
  /** The operation's name, for example `users remove`. */
  name: string;
  /** A short description, for example `Remove a user with their password and passkeys`. */
  summary: string;
  /** More information for callers of the API, in complete sentences. */
  details?: string;
  /** The lowest role that may call the operation over HTTP. The terminal needs no role. */
  role: Role;
  /**
   * Whether the caller needs access to all clients. `all` refuses callers without access to all clients. `some` applies
   * only to the caller's clients.
   */
  reach: 'all' | 'some';
  /** The allowed callers. `person` refuses access tokens. */
  by: 'person' | 'person+token';
  /** True if users must have proved their identity within the last ten minutes. */
  needsProof?: boolean;
  input: Input;
  /**
   * The input keys of the subject, in order. The subjects are arguments in the terminal and parts of the path in the
   * API.
   */
  subjects: readonly (keyof z.output<Input> & string)[];
  /** Further arguments in the terminal. Lists come last. In the API, these values are in the query or the body. */
  arguments?: readonly (keyof z.output<Input> & string)[];
  result: Result;
  /** Describes the result to users, in complete sentences. The text is never written to logs or the audit. */
  say(result: z.output<Result>): string | readonly string[];
  /** Returns a table that replaces the text of `say` in the terminal. */
  table?(result: z.output<Result>): TableView | readonly TableView[];
  /** The CSV form of the result, for `--csv` and `Accept: text/csv`. */
  csv?: CsvView<z.output<Result>, z.output<Input>>;
  /** Returns further sentences about the result. The terminal prints these sentences on stderr. */
  remarks?(result: z.output<Result>): readonly string[];
  /**
   * Returns the clients for which the operation failed although it succeeded for others. The error decides the
   * terminal's exit code.
   */
  failures?(result: z.output<Result>): readonly ClientFailure[];
  /**
   * Returns how the operation ended. `stopped` means that repeating it continues the work. `refused` means that
   * something must change first. In both cases, the API returns the result.
   */
  ending?(result: z.output<Result>): 'done' | 'stopped' | 'refused';
  /** Returns an error in place of a result that must not look like a success. */
  error?(result: z.output<Result>): DonorSyncError | null;
}

export interface SecondUserMatter {
  /** The request in words, without people's names. For example `Pause "riverside" for a month.` */
  text: string;
  /** The number of affected contacts. `credits` is the maximum number of credits that the action costs. */
  contacts: number;
  credits: number;
  /** The setting that requires the second user, for example `twoPeople.forget`. */
  setting: string;
}

/** An operation that may need a second user. */
interface NeedsSecondUser<Input extends InputSchema> {
  /**
   * Returns the request for a second user, or null if one user is enough. The request is refused if no other user could
   * confirm it (`second_user_missing`). This function is called before `run`, so it finds its subjects itself. The
   * function is called again at the confirmation, so its numbers must not depend on the time. Operations with secrets
   * cannot have this function. Decisions, `undo` and `forget` use `operations/second-person.ts`.
   */
  secondUser?(world: World, input: z.output<Input>): Promise<SecondUserMatter | null>;
}

/** An operation that only reads, and changes neither the database nor a CRM. */
export interface Reading<
  Input extends InputSchema = InputSchema,
  Result extends z.ZodType = z.ZodType,
> extends Declaration<Input, Result> {
  effect: 'reads';
  run(world: World, input: z.output<Input>): Promise<z.output<Result>>;
  /** Returns audit entries that are recorded before reading. Used for data that leaves donor-sync. */
  records?(world: World, input: z.output<Input>): readonly NewAuditEntry[];
  /** Creates a file that is too large for memory. The parts of the file are sent while they are read. */
  stream?: { file: string; parts(world: World, input: z.output<Input>): AsyncIterable<string> };
}

/** An operation that changes the database in one transaction, which ends with its audit entry. */
export interface Changing<
  Input extends InputSchema = InputSchema,
  Result extends z.ZodType = z.ZodType,
> extends Declaration<Input, Result>,
    NeedsSecondUser<Input> {
  effect: 'changes';
  run(world: ChangingWorld, input: z.output<Input>): Promise<z.output<Result>>;
  /**
   * Returns the confirmation question, for operations that erase, undo, revoke or remove. The API returns the
   * confirmation question as a preview. The question must be unchanged when the operation is carried out.
   */
  question?(world: World, input: z.output<Input>): Promise<Question>;
  /** The secrets in the result. Each secret is shown only once, on a separate line. Null is skipped. */
  secret?: SecretKey<Result> | readonly SecretKey<Result>[];
}

type SecretKey<Result extends z.ZodType> = keyof z.output<Result> & string;

/**
 * An operation that also works outside the database. Each change that the operation makes has a separate audit entry.
 */
export interface Acting<
  Input extends InputSchema = InputSchema,
  Result extends z.ZodType = z.ZodType,
> extends Declaration<Input, Result>,
    NeedsSecondUser<Input> {
  effect: 'acts';
  run(world: ActingWorld, input: z.output<Input>): Promise<z.output<Result>>;
  question?(world: ActingWorld, input: z.output<Input>): Promise<Question>;
  /**
   * True if `run` asks with `world.agree`, because computing the question twice would be expensive. `question` is then
   * used only for the preview.
   */
  asksWithin?: boolean;
  /**
   * True if the operation takes longer than an HTTP caller waits. The API responds with 202, and the service does the
   * work, even after a restart. `approvals show` shows the result for a day. After a restart, the work starts again.
   * Retriable errors are repeated for hours, so an operation should report an unreachable client in its result.
   */
  takesMinutes?: boolean;
  /**
   * Returns the name of the ZIP file with the files from `world.writeFile`. The API sends the ZIP file as its result,
   * each part immediately. The terminal writes the files into a folder.
   */
  archive?(input: z.output<Input>): string;
}

export type Operation = Reading | Changing | Acting;

/** Any kind of operation, with its own input and result. */
export type OperationOf<Input extends InputSchema, Result extends z.ZodType> =
  | Reading<Input, Result>
  | Changing<Input, Result>
  | Acting<Input, Result>;

/** A question that a user confirms or refuses. */
export interface Question {
  /** The text of the confirmation question, which ends with a question mark. */
  text: string;
  /** The numbers of affected objects, for example `{ passkeys: 2 }`. */
  counts: Readonly<Record<string, number>>;
}

export interface TableView {
  title?: string;
  /** The text that replaces an empty table. */
  empty: string;
  headers: readonly string[];
  /** The rows of the table. Each row has one cell per header. */
  rows: readonly (readonly Cell[])[];
  /** Sentences that follow the table. */
  notes?: readonly Note[];
}

/**
 * A cell of a table: a text, a number, a time (ISO 8601) or an ID that the terminal shortens. `at` is a past time, `on`
 * a future time. Null means never.
 */
export type Cell = string | number | { at: string | null } | { on: string | null } | { id: string };

/** One sentence. Readers must know a `warning` before they act. */
export type Note = string | { warning: string };

export interface CsvView<Result, Input> {
  file(result: Result, input: Input): string;
  text(result: Result): string;
}

/** Declares an operation that only reads. */
export function reading<Input extends InputSchema, Result extends z.ZodType>(
  declared: Omit<Reading<Input, Result>, 'effect'>,
): Reading<Input, Result> {
  return { ...declared, effect: 'reads' };
}

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

export function findStream<Input extends InputSchema, Result extends z.ZodType>(
  operation: OperationOf<Input, Result>,
): Reading<Input, Result>['stream'] {
  return operation.effect === 'reads' ? operation.stream : undefined;
}

/** True if the operation asks for confirmation. */
export function asksFirst(operation: Operation): boolean {
  return operation.effect !== 'reads' && operation.question !== undefined;
}
