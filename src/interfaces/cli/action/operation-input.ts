import { Argument, type Command, Option } from 'commander';
import type { z } from 'zod';
import type { Application } from '../../../application.ts';
import type { Integration } from '../../../core/integration-settings.ts';
import { listNamed } from '../../../operations/kit/clients.ts';
import type { InputField } from '../../../operations/kit/input-fields.ts';
import type { InputSchema } from '../../../operations/kit/operation.ts';
import { type Environment, invalidVariable } from '../../../settings/environment.ts';
import { usageError } from '../terminal/output.ts';
import { chooseIntegrations, chooseOne, namedOrAll, requireOne } from './integrations.ts';

/** The form in which users name the client. The client's key in the input is `integration`. */
export type ClientChoice =
  /** The command needs one client. Users may omit it if there is only one client. */
  | { one: 'after the command' | 'with --integration' }
  /**
   * The command accepts any number of clients. The command's JSON document lists the results of the clients under this
   * name.
   */
  | EachClient;

interface EachClient {
  each: string;
  /** The clients if users name none. If this is `the only one`, users can choose all clients with `--all`. */
  byDefault: 'all' | 'the only one';
}

/** The key of the client in the input. */
export const CLIENT = 'integration';

export function addClient(command: Command, choice: ClientChoice): void {
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

export function chooseClient(
  application: Application,
  typed: unknown,
  options: Readonly<Record<string, unknown>>,
  { one }: Extract<ClientChoice, { one: string }>,
): string {
  const id = one === 'after the command' ? typed : options[CLIENT];
  if (typeof id === 'string') return id;
  return chooseOne(application, undefined, one).id;
}

/** Returns the clients. Throws a ConfigurationError for an unknown client before any work starts. */
export function chooseClients(
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
  // A contact's ID belongs to one CRM, so it is not allowed for several clients.
  if (contact !== undefined) requireOne(chosen);
  return chosen;
}

/** Reads the typed values, by the keys of the input. */
export async function readGiven(
  fields: { subjects: readonly InputField[]; options: readonly InputField[] },
  typed: { arguments: readonly unknown[]; options: Readonly<Record<string, unknown>> },
  { env, readDocument }: { env: Environment; readDocument: (path: string) => Promise<unknown> },
): Promise<Record<string, unknown>> {
  const given: Record<string, unknown> = {};
  for (const [index, { key, kind }] of fields.subjects.entries()) {
    const argument = typed.arguments[index];
    given[key] =
      kind === 'document' && typeof argument === 'string'
        ? await readDocument(argument)
        : readArgument(argument);
  }
  for (const field of fields.options) {
    given[field.key] = readTyped(field, typed.options[toAttribute(field)], env);
  }
  return given;
}

/** Reads an argument. An empty list counts as omitted. */
function readArgument(typed: unknown): unknown {
  return Array.isArray(typed) && typed.length === 0 ? undefined : typed;
}

export function toArgument({ key, kind, description, isRequired }: InputField): Argument {
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
    ...(kind === 'secret' ? ['the name of the environment variable with the value'] : []),
    ...(choices.length > 0 ? [choices.join(', ')] : []),
    ...(kind === 'list' ? ['separated by commas'] : []),
  ];
  return new Option(flags, words.join('; '));
}

function optionName(field: InputField): string {
  return `--${toAttribute(field).replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

export function toAttribute({ key, kind }: InputField): string {
  return kind === 'secret' ? `${key}Env` : key;
}

/** Reads a typed value. Throws a ConfigurationError if its environment variable is not set. */
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

/** Parses the input. Throws a ConfigurationError that names the invalid options. */
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
