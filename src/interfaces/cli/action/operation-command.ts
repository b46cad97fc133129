/** Creates a command for an operation. The operation defines arguments, options, questions and output. */
import type { Command } from 'commander';
import type { z } from 'zod';
import type { Integration } from '../../../core/integration-settings.ts';
import type { ApprovalRecord } from '../../../decisions/statements/approvals.ts';
import { describeApproval } from '../../../decisions/views/approval.ts';
import { listFields } from '../../../operations/kit/input-fields.ts';
import {
  asksFirst,
  findStream,
  type InputSchema,
  type OperationOf,
} from '../../../operations/kit/operation.ts';
import { type OperationDeps, performStream } from '../../../operations/kit/perform.ts';
import { RequestWaits } from '../../../operations/kit/requests.ts';
import { EXIT_CODES, type ExitCode, type Output, usageError } from '../terminal/output.ts';
import { type Attempt, asStop, finishAttempts, getWorstCode } from './integrations.ts';
import { carryOutAsked, toCaller, toOperationDeps } from './operation-asking.ts';
import {
  addClient,
  CLIENT,
  type ClientChoice,
  chooseClient,
  chooseClients,
  readGiven,
  readInput,
  toArgument,
  toOption,
} from './operation-input.ts';
import { endWith, printResult } from './operation-output.ts';
import { printStream } from './print-stream.ts';
import {
  baseOptions,
  type Opening,
  type ProductAction,
  type ProductDeps,
  productAction,
  productCommand,
} from './product.ts';
import { openLinkPlace } from './secret-link.ts';

export interface CommandShape<Result> {
  /** Prints the result in place of the usual sentences and tables. */
  draw?: (output: Output, result: Result, now: number) => void;
  /** Finds the whole ID of a subject, because lists show only the last characters of IDs. */
  findSubject?: (
    action: Pick<ProductAction<unknown>, 'application' | 'output'>,
    typed: string,
    isYes: boolean,
  ) => Promise<string>;
  readDocument?: ReadDocument;
  /** The operation with which `--csv` and `--json` read all entries. */
  whole?: OperationOf<InputSchema, z.ZodType>;
  opening?: Opening;
  /**
   * The kind of link in the result. The link gives access to anyone, so it is written only to a terminal or to the file
   * of `--out`.
   */
  letsIn?: string;
  /**
   * True if the result of the operation contains names. `--json` is then refused, because a JSON document must not
   * contain names.
   */
  namesPeople?: boolean;
}

const NO_NAMES_IN_JSON =
  "This command shows people's names, and JSON output in the terminal must not contain names. Leave out --json, or use the HTTP API.";

/** Refuses `--json` for a command whose result contains names. */
export function refuseJson({ isJson }: Pick<Output, 'isJson'>): void {
  if (isJson) throw usageError(NO_NAMES_IN_JSON);
}

export type ReadDocument = (
  path: string,
  action: Pick<ProductAction<unknown>, 'settings' | 'output'>,
) => Promise<unknown>;

/** Creates an operation's command. The command's name is the last word of the operation's name. */
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
    letsIn,
    namesPeople = false,
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
  if (hasFile) command.option('--csv', 'print CSV on stdout');
  if (asks) command.option('--yes', 'do not ask');
  if (letsIn !== undefined) {
    command.option('--out <file>', 'write the link into this new file, which only you can read');
  }
  return productAction(
    deps,
    command,
    baseOptions.loose(),
    async (action, ...typed: unknown[]) => {
      const { application, settings, output } = action;
      const isStreamed = findStream(operation) !== undefined;
      const isCsv = action.options['csv'] === true;
      if (isCsv && output.isJson) throw usageError('Use --csv or --json, not both.');
      if (namesPeople) refuseJson(output);
      const isYes = action.options['yes'] === true;
      const [first] = typed;
      if (findSubject !== undefined && typeof first === 'string') {
        typed[0] = await findSubject(action, first, isYes);
      }
      const given = await readGiven(
        { subjects, options },
        { arguments: typed, options: action.options },
        { env: deps.env, readDocument: (path) => readDocument(path, { settings, output }) },
      );
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
      if (letsIn !== undefined) {
        return carryOutPrivately(deps, action, operation, letsIn, () => carryOut({}), {
          tell: () => world.checkAlerts(world.signal()),
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

/**
 * Carries out an operation whose result contains a link. If there is neither a terminal nor a file, the result is shown
 * without the link.
 */
async function carryOutPrivately<Input extends InputSchema, Result extends z.ZodType>(
  { cwd, clock }: Pick<ProductDeps, 'cwd' | 'clock'>,
  { output, options }: Pick<ProductAction<Record<string, unknown>>, 'output' | 'options'>,
  operation: OperationOf<Input, Result>,
  key: string,
  carryOut: () => Promise<z.output<Result>>,
  { tell }: { tell: () => Promise<void> },
): Promise<ExitCode> {
  const { out } = options;
  const place = await openLinkPlace(cwd, typeof out === 'string' ? out : undefined, output);
  try {
    const result = await carryOut();
    const shown = new Map<string, unknown>(Object.entries(Object(result)));
    const link = shown.get(key);
    await place.write(String(link));
    shown.delete(key);
    output.finish({ ...Object.fromEntries(shown), linkFile: place.file }, () => {
      if (place.file === null) return printResult(output, operation, result, clock.now());
      output.print(place.file);
      for (const line of [operation.say(result)].flat()) output.note(line);
    });
  } catch (error) {
    await place.drop();
    throw error;
  }
  await tell();
  return EXIT_CODES.done;
}

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
  await printStream(deps, output, parts);
  return EXIT_CODES.done;
}

/** Prints that the request waits for a second user. The requested action has not been done yet. */
async function finishWaiting(output: Output, waiting: ApprovalRecord): Promise<ExitCode> {
  const { describeWaiting } = await import('../../../operations/second-person.ts');
  const approval = describeApproval(waiting);
  output.finish({ approval }, () => output.print(describeWaiting(approval).join('\n')));
  return EXIT_CODES.stopped;
}

/**
 * Carries out an operation and prints its result. Used by commands that read their input in their own way. Returns the
 * exit code.
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

function noDocuments(path: string): never {
  throw new Error(`Nothing reads the file ${path}.`);
}

/** Makes one attempt for each client. Stops after an abort. */
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
