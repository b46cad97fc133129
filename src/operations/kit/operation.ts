/**
 * Operations define everything that users can do. Each operation is declared once. The terminal, the API and the pages
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

/** What operations use. */
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
  /** The transaction, if the operation changes something. */
  reader: TimedReader;
  /** Use the world's `reader`, `trx` or `store` instead. */
  application: Omit<OperationApplication, 'store'>;
  caller: Caller;
  clock: Pick<Clock, 'now'>;
  sealer: Pick<Sealer, 'seal' | 'open'>;
  /** For values that the database must not reveal. */
  fingerprint: Store['fingerprint'];
  /** Only those of the caller. */
  clients: ReadonlyMap<string, Integration>;
  /** The address in the settings, or this machine's own. `readAddresses` returns the address in use. */
  publicUrl: string;
  /** True without a configured address. */
  hasOwnUrl: boolean;
  /** Checks the audit chain. Can compare it with a saved end. A server returns within seconds, even during a check. */
  checkAudit(known: AuditPlace | null): Promise<AuditCheckView>;
}

/** For operations that change something. Its transaction knows the caller and the time. */
export interface ChangingWorld extends World {
  trx: ActorTransaction;
}

/** The dependencies of an operation that also works outside the database. */
export interface ActingWorld extends World {
  clock: Clock;
  /** Acts on behalf of the caller. */
  store: Store;
  signal: AbortSignal;
  /** Does nothing in the terminal. */
  carryOn(): void;
  /** Acts for the caller. `serve` or a worker starts the run when the client is free. */
  requestRun(requested: Omit<RequestedRun, 'by'>): Promise<Accepted>;
  /** Checks all alerts now and sends the changes. Never rejects. */
  checkAlerts(): Promise<void>;
  /** For operations with `asksWithin`. Resolves if the caller agrees. Otherwise throws a ConfigurationError. */
  agree(question: Question): Promise<void>;
  /**
   * The caller is the second user. Throws a ConfigurationError if the caller may be the first user, or if the effect
   * has changed.
   */
  confirm(approval: ApprovalRecord): Promise<void>;
  /** Acts for this user and records the outcome. The terminal does this immediately. Otherwise the service does. */
  carryOut(approval: ApprovalRecord, by: Actor, signal: AbortSignal): Promise<void>;
  /** Needs an `archive`. Rejects if the receiver has disconnected. */
  writeFile: WriteFile;
  /** `name` is the operation's name. */
  describeResult(name: string, result: unknown): Promise<readonly string[]>;
}

/** Keys become options, body fields and form fields. */
export type InputSchema = z.ZodObject;

/** The properties that every operation declares. */
interface Declaration<Input extends InputSchema, Result extends z.ZodType> {
  /** For example `users remove`. */
  name: string;
  /** For example `Remove a user with their password and passkeys`. */
  summary: string;
  /** More information for callers of the API, in whole sentences. */
  details?: string;
  /** The lowest role over HTTP. The terminal needs none. */
  role: Role;
  /** `all` refuses callers without access to all clients. `some` applies to the accessible clients. */
  reach: 'all' | 'some';
  /** `person` refuses access tokens. */
  by: 'person' | 'person+token';
  /** Users must have proved their identity within ten minutes. */
  needsProof?: boolean;
  input: Input;
  /** Input keys of the subject, in order. Arguments in the terminal, path parts in the API. */
  subjects: readonly (keyof z.output<Input> & string)[];
  /** Further arguments. Lists come last. The API has them in the query or body. */
  arguments?: readonly (keyof z.output<Input> & string)[];
  result: Result;
  /** Describes the result to users, in whole sentences. The text is never written to logs or the audit. */
  say(result: z.output<Result>): string | readonly string[];
  /** Replaces the text of `say` in the terminal. */
  table?(result: z.output<Result>): TableView | readonly TableView[];
  /** Used for `--csv` and `Accept: text/csv`. */
  csv?: CsvView<z.output<Result>, z.output<Input>>;
  /** Sentences in addition to the result. The terminal prints them on stderr. */
  remarks?(result: z.output<Result>): readonly string[];
  /** The clients that failed while others succeeded. The terminal's exit code is that of the error. */
  failures?(result: z.output<Result>): readonly ClientFailure[];
  /**
   * `stopped` means that repeating continues, `refused` that something must change first. The API returns the result in
   * any case.
   */
  ending?(result: z.output<Result>): 'done' | 'stopped' | 'refused';
  /** An error in place of a result that must not look like a success. */
  error?(result: z.output<Result>): DonorSyncError | null;
}

export interface SecondUserMatter {
  /** Without names of people, for example `Pause "riverside" for a month.` */
  text: string;
  /** The number of affected contacts. `credits` is the maximum cost of the action. */
  contacts: number;
  credits: number;
  /** For example `twoPeople.forget`. */
  setting: string;
}

/** May need a second user. */
interface NeedsSecondUser<Input extends InputSchema> {
  /**
   * Null if one user is enough. Refused if no other user could confirm (`second_user_missing`). Called before `run`, so
   * it looks up its subjects itself. Called again at the confirmation, so its numbers must not depend on the time.
   * Operations with secrets cannot have it. Decisions, `undo` and `forget` use `operations/second-person.ts`.
   */
  secondUser?(world: World, input: z.output<Input>): Promise<SecondUserMatter | null>;
}

/** Changes nothing in the database or a CRM. */
export interface Reading<
  Input extends InputSchema = InputSchema,
  Result extends z.ZodType = z.ZodType,
> extends Declaration<Input, Result> {
  effect: 'reads';
  run(world: World, input: z.output<Input>): Promise<z.output<Result>>;
  /** Audit entries before reading. For data that leaves the product. */
  records?(world: World, input: z.output<Input>): readonly NewAuditEntry[];
  /** For files that are too large for memory. Parts are written while they are read. */
  stream?: { file: string; parts(world: World, input: z.output<Input>): AsyncIterable<string> };
}

/** One transaction that ends with its audit entry. */
export interface Changing<
  Input extends InputSchema = InputSchema,
  Result extends z.ZodType = z.ZodType,
> extends Declaration<Input, Result>,
    NeedsSecondUser<Input> {
  effect: 'changes';
  run(world: ChangingWorld, input: z.output<Input>): Promise<z.output<Result>>;
  /**
   * For operations that erase, undo, revoke or remove. The API returns it as a preview. It must be unchanged when the
   * operation is carried out.
   */
  question?(world: World, input: z.output<Input>): Promise<Question>;
  /** Shown once, each on its own line. Null is skipped. */
  secret?: SecretKey<Result> | readonly SecretKey<Result>[];
}

type SecretKey<Result extends z.ZodType> = keyof z.output<Result> & string;

/** Works outside the database, so each change has its own audit entry. */
export interface Acting<
  Input extends InputSchema = InputSchema,
  Result extends z.ZodType = z.ZodType,
> extends Declaration<Input, Result>,
    NeedsSecondUser<Input> {
  effect: 'acts';
  run(world: ActingWorld, input: z.output<Input>): Promise<z.output<Result>>;
  question?(world: ActingWorld, input: z.output<Input>): Promise<Question>;
  /**
   * `run` asks with `world.agree`, because two computations would be expensive. `question` then serves only the
   * preview.
   */
  asksWithin?: boolean;
  /**
   * Longer than an HTTP caller waits. The API responds with 202. The service does the work, even after a restart.
   * `approvals show` has the result for a day. After a restart, the work starts again. Retriable errors repeat for hours, so an
   * unreachable client belongs in the result.
   */
  takesMinutes?: boolean;
  /**
   * The ZIP file's name, for files from `world.writeFile`. The API sends it as the result. Each part is sent
   * immediately. The terminal uses a folder.
   */
  archive?(input: z.output<Input>): string;
}

export type Operation = Reading | Changing | Acting;

/** An operation with any effect, with its own input and result. */
export type OperationOf<Input extends InputSchema, Result extends z.ZodType> =
  | Reading<Input, Result>
  | Changing<Input, Result>
  | Acting<Input, Result>;

/** A user confirms or refuses it. */
export interface Question {
  /** Ends with a question mark. */
  text: string;
  /** For example `{ passkeys: 2 }`. */
  counts: Readonly<Record<string, number>>;
}

export interface TableView {
  title?: string;
  /** Shown for an empty table. */
  empty: string;
  headers: readonly string[];
  /** The rows. Each has one cell per header. */
  rows: readonly (readonly Cell[])[];
  /** Sentences that follow the table. */
  notes?: readonly Note[];
}

/**
 * A string, a number, a time (ISO 8601) or an ID that the terminal shortens. `at` is a past time, `on` a future one.
 * Null means never.
 */
export type Cell = string | number | { at: string | null } | { on: string | null } | { id: string };

/** One sentence. `warning` is for what readers must know before they act. */
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

/** Asks for confirmation. */
export function asksFirst(operation: Operation): boolean {
  return operation.effect !== 'reads' && operation.question !== undefined;
}
