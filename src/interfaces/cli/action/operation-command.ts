/** An operation as a command. Its arguments, options, questions and output come from the operation. */
import { Argument, type Command, Option } from 'commander';
import type { z } from 'zod';
import type { Application } from '../../../application.ts';
import { ConfigurationError, type DonorSyncError, RetriableError } from '../../../core/errors.ts';
import type { Integration } from '../../../core/integration-settings.ts';
import type { ApprovalRecord } from '../../../decisions/statements/approvals.ts';
import { describeApproval } from '../../../decisions/views/approval.ts';
import type { Caller } from '../../../operations/kit/caller.ts';
import { listNamed } from '../../../operations/kit/clients.ts';
import type { ClientFailure } from '../../../operations/kit/failures.ts';
import { type InputField, listFields } from '../../../operations/kit/input-fields.ts';
import {
  asksFirst,
  type Cell,
  findStream,
  type InputSchema,
  type OperationOf,
  type Question,
  type TableView,
} from '../../../operations/kit/operation.ts';
import {
  type OperationDeps,
  perform,
  performStream,
  preview,
} from '../../../operations/kit/perform.ts';
import { RequestWaits } from '../../../operations/kit/requests.ts';
import { type Environment, invalidVariable } from '../../../settings/environment.ts';
import type { Settings } from '../../../settings/settings.ts';
import { EXIT_CODES, type ExitCode, type Output, usageError } from '../terminal/output.ts';
import type { Column } from '../terminal/table.ts';
import { formatCount, formatLast, formatTimestamp, shortId } from '../terminal/words.ts';
import {
  type Attempt,
  asStop,
  chooseIntegrations,
  chooseOne,
  finishAttempts,
  getWorstCode,
  namedOrAll,
  requireOne,
} from './integrations.ts';
import {
  baseOptions,
  confirmOrStop,
  type Opening,
  type ProductAction,
  type ProductDeps,
  productAction,
  productCommand,
} from './product.ts';
import { getRequester } from './second-person.ts';

/** How a command accepts the client of an operation, whose key is `integration`. */
export type ClientChoice =
  /** One client, which may be left out if there is only one. */
  | { one: 'after the command' | 'with --integration' }
  /** Any number of clients; the document has their results as a list under this name. */
  | EachClient;

interface EachClient {
  each: string;
  /** Of those that may be left out if there is only one, `--all` is all clients. */
  byDefault: 'all' | 'the only one';
}

/** The parts that a command does in its own way. */
export interface CommandShape<Result> {
  /** Prints the result instead of its sentences and tables. */
  draw?: (output: Output, result: Result, now: number) => void;
  /** Finds the ID that the first argument means: lists show the ends of IDs alone. */
  findSubject?: (
    action: Pick<ProductAction<unknown>, 'application' | 'output'>,
    typed: string,
    isYes: boolean,
  ) => Promise<string>;
  /** Reads the file that the user named for a document of the input. */
  readDocument?: ReadDocument;
  /** The operation that `--csv` and `--json` carry out in its place, with the same options: it reads everything. */
  whole?: OperationOf<InputSchema, z.ZodType>;
  opening?: Opening;
}

export type ReadDocument = (
  path: string,
  action: Pick<ProductAction<unknown>, 'settings' | 'output'>,
) => Promise<unknown>;

/** The command of an operation, by the last word of its name. */
export function operationCommand<Input extends InputSchema, Result extends z.ZodType>(
  deps: ProductDeps,
  operation: OperationOf<Input, Result>,
  choice?: ClientChoice,
  {
    draw,
    findSubject,
    readDocument = noDocuments,
    whole,
    opening,
  }: CommandShape<z.output<Result>> = {},
): Command {
  const { name, summary, input, csv } = operation;
  const asks = asksFirst(operation);
  const command = productCommand(name.split(' ').at(-1) ?? name, deps).description(summary);
  const fields = listFields(input).filter(({ key }) => choice === undefined || key !== CLIENT);
  const names = [...operation.subjects, ...(operation.arguments ?? [])];
  const subjects = names.flatMap((key) => fields.find((field) => field.key === key) ?? []);
  for (const field of subjects) command.addArgument(toArgument(field));
  const options = fields.filter((field) => !subjects.includes(field));
  for (const field of options) command.addOption(toOption(field));
  if (choice !== undefined) addClient(command, choice);
  const hasFile = csv !== undefined || findStream(whole ?? operation) !== undefined;
  if (hasFile) command.option('--csv', 'print a CSV file on stdout');
  if (asks) command.option('--yes', 'do not ask');
  return productAction(
    deps,
    command,
    baseOptions.loose(),
    async (action, ...typed: unknown[]) => {
      const { application, settings, output } = action;
      const isStreamed = findStream(operation) !== undefined;
      const isCsv = action.options['csv'] === true;
      if (isCsv && output.isJson) throw usageError('Either --csv or --json, not both.');
      const isYes = action.options['yes'] === true;
      const [first] = typed;
      if (findSubject !== undefined && typeof first === 'string') {
        typed[0] = await findSubject(action, first, isYes);
      }
      const readSubject = ({ kind }: InputField, argument: unknown) =>
        kind === 'document' && typeof argument === 'string'
          ? readDocument(argument, { settings, output })
          : readArgument(argument);
      const read: [string, unknown][] = [];
      for (const [index, field] of subjects.entries()) {
        read.push([field.key, await readSubject(field, typed[index])]);
      }
      const given = Object.fromEntries([
        ...read,
        ...options.map((field) => [
          field.key,
          readTyped(field, action.options[toAttribute(field)], deps.env),
        ]),
      ]);
      const world = toOperationDeps(deps, application, settings);
      const carryOut = (more: Record<string, unknown>) =>
        carryOutAsked(
          deps,
          world,
          operation,
          readInput(operation, { ...given, ...more }, options),
          {
            isYes,
          },
        );
      const show = (result: z.output<Result>) => {
        if (isCsv && csv !== undefined) deps.stdout.write(csv.text(result));
        else if (draw !== undefined) draw(output, result, deps.clock.now());
        else printResult(output, operation, result, deps.clock.now());
      };
      const end = (result: z.output<Result>) => endWith(output, operation, result);
      const clients = typed[subjects.length];
      if (choice !== undefined && 'each' in choice) {
        const { attempts, results } = await attemptAll(
          chooseClients(application, clients, {
            byDefault: choice.byDefault,
            isAll: action.options['all'] === true,
            contact: given['contact'],
          }),
          (id) => carryOut({ [CLIENT]: id }),
          operation.effect === 'acts' ? world.signal() : null,
        );
        const failed = finishAttempts(output, attempts, choice.each, (result) => {
          show(result);
          output.print();
        });
        return getWorstCode([
          ...(failed === EXIT_CODES.done ? [] : [failed]),
          ...results.flatMap(end),
        ]);
      }
      const inFull =
        isCsv || output.isJson ? (whole ?? (isStreamed && isCsv ? operation : null)) : null;
      if (inFull !== null) {
        return carryOutWhole(deps, action, inFull, {
          world,
          input: readInput(inFull, given, options),
        });
      }
      const client = choice && chooseClient(application, clients, action.options, choice);
      try {
        const result = await carryOut(client === undefined ? {} : { [CLIENT]: client });
        output.finish(result, () => show(result));
        return getWorstCode(end(result));
      } catch (error) {
        if (!(error instanceof RequestWaits)) throw error;
        return finishWaiting(output, error.approval);
      }
    },
    opening,
  );
}

/** Writes everything that an operation reads on stdout: as a file, or as a document. */
async function carryOutWhole<Input extends InputSchema, Result extends z.ZodType>(
  deps: ProductDeps,
  { output }: Pick<ProductAction<unknown>, 'output'>,
  operation: OperationOf<Input, Result>,
  { world, input }: { world: OperationDeps; input: z.output<Input> },
): Promise<ExitCode> {
  if (output.isJson) {
    const result = await carryOutAsked(deps, world, operation, input, { isYes: false });
    output.finish(result, () => {});
    return EXIT_CODES.done;
  }
  const { parts } = await performStream(world, toCaller(deps), operation, input);
  for await (const part of parts) deps.stdout.write(part);
  return EXIT_CODES.done;
}

/** Nothing has been done yet. */
async function finishWaiting(output: Output, waiting: ApprovalRecord): Promise<ExitCode> {
  const { describeWaiting } = await import('../../../operations/second-person.ts');
  const approval = describeApproval(waiting);
  output.finish({ approval }, () => output.print(describeWaiting(approval).join('\n')));
  return EXIT_CODES.stopped;
}

/**
 * Carries out an operation with the input that a command of a different form has read, and prints the result. Resolves
 * to the exit code.
 */
export async function carryOutHere<Input extends InputSchema, Result extends z.ZodType>(
  deps: ProductDeps,
  {
    application,
    settings,
    output,
  }: Pick<ProductAction<unknown>, 'application' | 'settings' | 'output'>,
  operation: OperationOf<Input, Result>,
  given: z.input<Input>,
  { isYes = false } = {},
): Promise<ExitCode> {
  const world = toOperationDeps(deps, application, settings);
  const options = listFields(operation.input).filter(
    ({ key }) => !operation.subjects.includes(key),
  );
  const input = readInput(operation, given, options);
  const result = await carryOutAsked(deps, world, operation, input, { isYes }).catch(
    (error: unknown) => {
      if (error instanceof RequestWaits) return error;
      throw error;
    },
  );
  if (result instanceof RequestWaits) return finishWaiting(output, result.approval);
  output.finish(result, () => printResult(output, operation, result, deps.clock.now()));
  return getWorstCode(endWith(output, operation, result));
}

/** Prints the remarks and failures of a result, and says how the command ends with it. */
function endWith<Input extends InputSchema, Result extends z.ZodType>(
  output: Output,
  operation: OperationOf<Input, Result>,
  result: z.output<Result>,
): ExitCode[] {
  for (const remark of operation.remarks?.(result) ?? []) output.note(remark);
  const failures = operation.failures?.(result) ?? [];
  const ended = ENDINGS[operation.ending?.(result) ?? 'done'];
  const codes = failures.map((failure) => output.fail(toError(failure)));
  return ended === EXIT_CODES.done ? codes : [...codes, ended];
}

function noDocuments(path: string): never {
  throw new Error(`Nothing reads the file ${path}.`);
}

/** Works on one client after the other. Once the signal is aborted, no other starts. */
async function attemptAll<Value>(
  clients: readonly Integration[],
  work: (id: string) => Promise<Value>,
  signal: AbortSignal | null,
): Promise<{ attempts: Attempt<Value>[]; results: Value[] }> {
  const attempts: Attempt<Value>[] = [];
  const results: Value[] = [];
  for (const integration of clients) {
    if (signal?.aborted) break;
    try {
      const value = await work(integration.id);
      attempts.push({ integration, value });
      results.push(value);
    } catch (error) {
      attempts.push({ integration, error: signal?.aborted ? asStop(error) : error });
    }
  }
  return { attempts, results };
}

const ENDINGS = {
  done: EXIT_CODES.done,
  stopped: EXIT_CODES.stopped,
  refused: EXIT_CODES.usage,
};

/** The key of the client in inputs. */
const CLIENT = 'integration';

function addClient(command: Command, choice: ClientChoice): void {
  const only = 'may be left out if there is only one';
  if ('each' in choice) {
    const left = choice.byDefault === 'all' ? 'all if left out' : only;
    command.argument(`[${CLIENT}...]`, `The IDs of the clients; ${left}`);
    if (choice.byDefault === 'the only one') command.option('--all', 'all clients');
  } else if (choice.one === 'after the command') {
    command.argument(`[${CLIENT}]`, `The ID of the client; ${only}`);
  } else {
    command.option(`--${CLIENT} <id>`, `The ID of the client; ${only}`);
  }
}

function chooseClient(
  application: Application,
  typed: unknown,
  options: Readonly<Record<string, unknown>>,
  { one }: Extract<ClientChoice, { one: string }>,
): string {
  const id = one === 'after the command' ? typed : options[CLIENT];
  if (typeof id === 'string') return id;
  return chooseOne(application, undefined, one).id;
}

/** Throws a ConfigurationError, before anything is done, if a named client does not exist. */
function chooseClients(
  application: Application,
  typed: unknown,
  {
    byDefault,
    isAll,
    contact,
  }: { byDefault: EachClient['byDefault']; isAll: boolean; contact: unknown },
): Integration[] {
  const ids = Array.isArray(typed) ? typed.map(String) : [];
  if (byDefault === 'all')
    return ids.length > 0
      ? listNamed({ clients: application.integrations }, ids)
      : namedOrAll(application, []);
  const chosen = chooseIntegrations(application, ids, isAll);
  // It is an ID in one CRM.
  if (contact !== undefined) requireOne(chosen);
  return chosen;
}

/** Asks before the operation, or within it if it asks itself. */
async function carryOutAsked<Input extends InputSchema, Result extends z.ZodType>(
  deps: ProductDeps,
  world: OperationDeps,
  operation: OperationOf<Input, Result>,
  input: z.output<Input>,
  { isYes }: { isYes: boolean },
): Promise<z.output<Result>> {
  const caller = toCaller(deps);
  if (operation.effect === 'acts' && operation.asksWithin === true) {
    const agree = ({ text }: Question) => confirmOrStop(deps, text, isYes);
    return orError(operation, await perform(world, caller, operation, input, agree));
  }
  const asked = await preview(world, caller, operation, input);
  if (asked !== null) await confirmOrStop(deps, asked.text, isYes);
  return orError(operation, await perform(world, caller, operation, input, asked?.digest));
}

/** Throws the error that a result stands for, if it stands for one. */
function orError<Input extends InputSchema, Result extends z.ZodType>(
  operation: OperationOf<Input, Result>,
  result: z.output<Result>,
): z.output<Result> {
  const error = operation.error?.(result) ?? null;
  if (error !== null) throw error;
  return result;
}

function toError({ integration, code, message: text, retriable }: ClientFailure): DonorSyncError {
  const message = `${integration}: ${text}`;
  return retriable
    ? new RetriableError(message, { code })
    : new ConfigurationError(message, { code });
}

/** A list of no arguments counts as left out. */
function readArgument(typed: unknown): unknown {
  return Array.isArray(typed) && typed.length === 0 ? undefined : typed;
}

/** A command that only holds the commands of its topic: `users`. */
export function topicCommand(
  deps: ProductDeps,
  name: string,
  description: string,
  commands: readonly Command[],
): Command {
  const topic = productCommand(name, deps).description(description);
  for (const command of commands) topic.addCommand(command);
  return topic;
}

export function toOperationDeps(
  deps: Pick<ProductDeps, 'clock' | 'log' | 'stopSignal'>,
  application: Application,
  { server }: Settings,
): OperationDeps {
  const { clock, stopSignal } = deps;
  return {
    application,
    clock,
    publicUrl: server.publicUrl,
    signal: stopSignal,
    async findOperation(name) {
      const { findOperation } = await import('../../../operations/catalogue.ts');
      return findOperation(name);
    },
    async requestRun(requested) {
      const { storeRequest } = await import('../../../jobs/request-run.ts');
      return storeRequest({ application, clock }, requested);
    },
    async checkAlerts(signal) {
      const { checkAlertsOnce } = await import('../../../clients/alerts/product-alerts.ts');
      await checkAlertsOnce(deps, application, signal);
    },
    async checkAudit(known) {
      const { checkAudit } = await import('../../../privacy/audit/checker.ts');
      return checkAudit(deps, application, known);
    },
  };
}

/** A user of this machine, who needs no role. */
export function toCaller(deps: Pick<ProductDeps, 'user' | 'owner'>): Caller {
  return { kind: 'machine', role: null, clients: null, ...getRequester(deps) };
}

function toArgument({ key, kind, description, isRequired }: InputField): Argument {
  const name = kind === 'list' ? `${key}...` : kind === 'document' ? 'file' : key;
  return new Argument(isRequired ? `<${name}>` : `[${name}]`, description);
}

const PLACEHOLDERS = {
  text: '<text>',
  secret: '<name>',
  choice: '<word>',
  list: '<list>',
  number: '<number>',
  document: '<file>',
};

export function toOption(field: InputField): Option {
  const { kind, choices, description } = field;
  const name = optionName(field);
  const flags = kind === 'flag' ? name : `${name} ${PLACEHOLDERS[kind]}`;
  const words = [
    description,
    ...(kind === 'secret' ? ['the name of the environment variable that has it'] : []),
    ...(choices.length > 0 ? [choices.join(', ')] : []),
    ...(kind === 'list' ? ['with commas between them'] : []),
  ];
  return new Option(flags, words.join('; '));
}

/** `createdAfter` as it is typed: `--created-after`. */
function optionName(field: InputField): string {
  return `--${toAttribute(field).replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** The key of an option as commander calls it. */
export function toAttribute({ key, kind }: InputField): string {
  return kind === 'secret' ? `${key}Env` : key;
}

/**
 * Returns the typed value in the form that the schema expects; undefined if nothing was typed. Throws a
 * ConfigurationError for the name of an environment variable that is not set.
 */
export function readTyped({ kind }: InputField, typed: unknown, env: Environment): unknown {
  if (typeof typed !== 'string') return typed;
  if (kind === 'secret') return fromEnvironment(env, typed);
  if (kind === 'list') return typed.split(',').map((one) => one.trim());
  return kind === 'number' ? Number(typed) : typed;
}

function fromEnvironment(env: Environment, name: string): string {
  const secret = env[name];
  if (secret) return secret;
  throw invalidVariable(name, 'is not set. Nothing was changed.');
}

/** Throws a ConfigurationError with the schema's message, which names the options. */
export function readInput<Input extends InputSchema>(
  { input }: { input: Input },
  given: Readonly<Record<string, unknown>>,
  options: readonly InputField[],
): z.output<Input> {
  const { data, error } = input.safeParse(given);
  if (data !== undefined) return data;
  const problems = error?.issues.map(({ path, message }) => {
    const key = String(path[0] ?? '');
    const option = options.find((one) => one.key === key);
    if (option === undefined) return `${key}: ${endsWell(message)}`;
    if (given[key] === undefined) return missing(option);
    return `${optionName(option)}: ${endsWell(message)}`;
  });
  throw usageError([...new Set(problems)].join(' '));
}

function missing(option: InputField): string {
  const { description, choices } = option;
  const words = choices.length > 0 ? `${description}: ${choices.join(', ')}` : description;
  return `${optionName(option)} is missing. ${endsWell(words)}`;
}

function endsWell(words: string): string {
  return words.endsWith('.') ? words : `${words}.`;
}

/** Prints a result as its operation describes it: its tables, or its sentences. */
export function printResult<Input extends InputSchema, Result extends z.ZodType>(
  output: Output,
  operation: OperationOf<Input, Result>,
  result: z.output<Result>,
  now: number,
): void {
  if (operation.table !== undefined) {
    const tables = [operation.table(result)].flat();
    if (tables.length === 0) output.print([operation.say(result)].flat().join('\n'));
    for (const [index, table] of tables.entries()) {
      if (index > 0) output.print();
      printTable(output, table, now);
    }
    return;
  }
  const lines = [operation.say(result)].flat();
  const secrets = listSecrets(operation);
  if (secrets.length === 0) {
    for (const line of lines) output.print(line);
    return;
  }
  // Alone on stdout, so that a script can keep it without reading words.
  for (const key of secrets) {
    const secret = (result as Record<string, unknown>)[key];
    if (secret !== null) output.print(String(secret));
  }
  for (const line of lines) output.note(line);
}

/** The keys of what the result shows once. */
function listSecrets<Input extends InputSchema, Result extends z.ZodType>(
  operation: OperationOf<Input, Result>,
): readonly string[] {
  if (operation.effect !== 'changes' || operation.secret === undefined) return [];
  return [operation.secret].flat();
}

function printTable(
  output: Output,
  { title, empty, headers, rows, notes = [] }: TableView,
  now: number,
): void {
  if (title !== undefined) output.print(output.style.strong(title));
  if (rows.length === 0) output.print(empty);
  else
    output.table(
      headers.map((header, index) => toColumn(header, index, rows, now)),
      rows,
    );
  for (const note of notes) {
    output.print(typeof note === 'string' ? note : output.style.warn(note.warning));
  }
}

function toColumn(
  header: string,
  index: number,
  rows: TableView['rows'],
  now: number,
): Column<readonly Cell[]> {
  const isNumber = rows.some((row) => typeof row[index] === 'number');
  return {
    header,
    value: (row) => cellText(row[index] ?? '', now),
    shrinks: header !== 'ID' && !isNumber && !rows.some((row) => isId(row[index])),
    ...(isNumber && { align: 'right' }),
  };
}

function isId(cell: Cell | undefined): boolean {
  return typeof cell === 'object' && 'id' in cell;
}

function cellText(cell: Cell, now: number): string {
  if (typeof cell === 'number') return formatCount(cell);
  if (typeof cell === 'string') return cell;
  if ('id' in cell) return shortId(cell.id);
  if ('at' in cell) return formatLast(cell.at, now);
  return cell.on === null ? 'never' : formatTimestamp(cell.on);
}
